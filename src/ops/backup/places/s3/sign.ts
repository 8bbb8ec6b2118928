import { createHmac, hash } from 'node:crypto'
import type { Keys } from './account.ts'

// AWS Signature Version 4, in the authorization header, for S3: the path is encoded once.

export type Request = {
  method: string
  /** Encoded, as `pathOf` returns it. */
  path: string
  query: Record<string, string>
  /** All are signed; names in lower case. Includes host. */
  headers: Record<string, string>
  /** Of the body, in hexadecimal digits. */
  sha256: string
}

export const SHA256_OF_NOTHING = hash('sha256', '')

/** Returns the headers to send: those given, and those of the signature. `now` is in milliseconds. */
export function signed(request: Request, keys: Keys, region: string, now: number): Record<string, string> {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
  const day = time.slice(0, 8)
  const headers = { ...request.headers, 'x-amz-content-sha256': request.sha256, 'x-amz-date': time }
  const sorted = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1))
  const names = sorted.map(([name]) => name).join(';')
  const canonical = [
    request.method,
    request.path,
    queryText(request.query),
    ...sorted.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}`),
    '',
    names,
    request.sha256,
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, hash('sha256', canonical)].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(mac, `AWS4${keys.secret}`)
  const signature = mac(key, text).toString('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${keys.id}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  return { ...headers, authorization }
}

const mac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Sorted and encoded, as it is sent. */
export function queryText(query: Record<string, string>): string {
  const pairs = Object.entries(query).map(([name, value]) => [encoded(name), encoded(value)])
  return pairs
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&')
}

/** The path of an object in path style; of the bucket, if the key is empty. */
export const pathOf = (bucket: string, key: string): string => `/${[bucket, ...key.split('/')].map(encoded).join('/')}`

/** Everything but unreserved characters, unlike encodeURIComponent. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
