import type { Said } from './captions.ts'
import { isJson, type Operation } from './document.ts'
import type { Kept } from './observations.ts'

/** The order of checks that the interface keeps: of several faults, the one that is checked first is answered. */
export const STAGES = ['path', 'method', 'token', 'scope', 'media', 'record', 'precondition', 'fields'] as const
export type Stage = (typeof STAGES)[number]

/** What is wrong with a request, and with what it has to be refused. */
export type Fault = { stage: Stage; what: string; statuses: number[] }

export const fault = (stage: Stage, what: string, ...statuses: number[]): Fault => ({ stage, what, statuses })

/** A request, and what is known of it that says which answers are right. */
export type Request = {
  /** In its run; -1 for what the fuzzer asks for itself. */
  number: number
  /** Undefined for paths, methods and framing that the document does not have. */
  operation: Operation | undefined
  method: string
  target: string
  headers: [string, string][]
  body: Buffer | undefined
  faults: Fault[]
  /** Statuses that are right beside those of a request without faults, such as 412 with a version that may be old. */
  may: number[]
  /** The id in the path. */
  id: string | undefined
  /** The media type that Accept asks for, where that is not JSON. */
  form: string | undefined
  /** What a file of captions in its body says. */
  said: Said[] | undefined
  /** The sizes of the files in a form, which come after those in its JSON. */
  uploaded?: { json: unknown; sizes: number[] }
  /** Nothing can match it: a filter by an id of another org. */
  isEmpty: boolean
  /** Of a list: its question without the cursor, so that its cursors can be used again. */
  question: string | undefined
  /** An earlier request with the same Idempotency-Key, and whether the rest is the same, too. */
  repeats: { kept: Kept; same: boolean } | undefined
}

export type Answer = { status: number; headers: Record<string, string>; body: string }

export const header = ({ headers }: Pick<Request, 'headers'>, name: string): string | undefined =>
  headers.find(([given]) => given.toLowerCase() === name.toLowerCase())?.[1]

/** The body, where it is JSON, or the JSON of a form. */
export function jsonOf(request: Request): unknown {
  if (request.uploaded) return request.uploaded.json
  const [type = ''] = (header(request, 'content-type') ?? '').toLowerCase().split(';')
  return request.body && (type === '' || isJson(type)) ? JSON.parse(request.body.toString()) : undefined
}

/** The request as it goes over the wire. */
export function bytesOf({ method, target, headers, body }: Request, host: string): Buffer {
  const framing = body === undefined ? [] : [['Content-Length', String(body.length)]]
  const lines = [['Host', host], ...headers, ...framing].map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
  return body ? Buffer.concat([head, body]) : head
}

const MAX_SHOWN = 4000

/** The request as a command line for a shell; the token stands in $TOKEN. */
export function curlOf({ method, target, headers, body }: Request, url: string, token: string): string {
  const parts = ['curl -sig', method === 'HEAD' ? '-I' : `-X ${method}`]
  if (!headers.some(([name]) => name.toLowerCase() === 'accept')) parts.push(`-H 'Accept:'`)
  if (body && !headers.some(([name]) => name.toLowerCase() === 'content-type')) parts.push(`-H 'Content-Type:'`)
  for (const [name, value] of headers) {
    const line = value === '' ? `${name};` : `${name}: ${value}`
    parts.push(
      value === `Bearer ${token}` ? `-H "Authorization: Bearer $TOKEN"` : `-H ${quoted(Buffer.from(line, 'latin1'))}`,
    )
  }
  if (body) {
    const more = body.length > MAX_SHOWN ? ` # and ${body.length - MAX_SHOWN} bytes more` : ''
    parts.push(`--path-as-is ${quoted(Buffer.from(url + target, 'latin1'))}`)
    return `${parts.join(' ')} --data-binary ${quoted(body.subarray(0, MAX_SHOWN))}${more}`
  }
  return `${parts.join(' ')} --path-as-is ${quoted(Buffer.from(url + target, 'latin1'))}`
}

/** Bytes as one word of a shell. */
function quoted(bytes: Buffer): string {
  const text = bytes.toString('latin1')
  if (/^[\x20-\x26\x28-\x7e]*$/.test(text)) return `'${text}'`
  const escaped = text.replace(
    /[\\']|[^\x20-\x7e]/g,
    (one) => `\\${one === '\\' || one === "'" ? one : `x${one.charCodeAt(0).toString(16).padStart(2, '0')}`}`,
  )
  return `$'${escaped}'`
}
