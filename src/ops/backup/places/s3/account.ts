import { usage } from '../../../../lib/problem.ts'
import { readSecretFile } from '../../files/secret-file.ts'

/** An S3-compatible service, and where in it. */
export type Address = {
  /** http: or https:, without a path. */
  endpoint: URL
  bucket: string
  /** What the names of all objects begin with: empty, or with a final slash. */
  prefix: string
}

export type Keys = { id: string; secret: string }

export type Account = Address & {
  keys: Keys
  region: string
}

const FORM = 'Use a form such as https://s3.example.com/BUCKET or https://s3.example.com/BUCKET/FOLDER.'

/** Parses the address of a bucket in path style. Throws a usage Problem. */
export function parseAddress(option: string, text: string): Address {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw usage(`${option} ${text} is not a URL. ${FORM}`)
  // The text is not repeated: it may contain a password.
  if (url.username || url.password) throw usage(`${option} must not contain keys; they are in the file of the keys.`)
  if (url.search || url.hash) throw usage(`${option} ${text} must end with the bucket or a folder in it. ${FORM}`)
  const [bucket = '', ...folders] = decoded(option, url.pathname).replace(/^\//, '').replace(/\/$/, '').split('/')
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/.test(bucket))
    throw usage(`${option} ${text} does not name a bucket. ${FORM}`)
  if (folders.some((each) => each === '' || /[\p{Cc}\\]/u.test(each)))
    throw usage(`${option} ${text} names a folder that cannot be used. ${FORM}`)
  const endpoint = new URL(url.origin)
  return { endpoint, bucket, prefix: folders.map((each) => `${each}/`).join('') }
}

function decoded(option: string, path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw usage(`${option} has a path that is not encoded correctly. ${FORM}`)
  }
}

/** Reads the two keys, in the form of the credentials file of the AWS tools. Throws a usage Problem. */
export function readKeys(option: string, file: string): Keys {
  const text = readSecretFile(option, file)
  const read = (name: string) => new RegExp(`^\\s*${name}\\s*=\\s*(\\S+)\\s*$`, 'm').exec(text)?.[1]
  const id = read('aws_access_key_id')
  const secret = read('aws_secret_access_key')
  if (!id || !secret)
    throw usage(`${option} ${file} needs two lines: aws_access_key_id = ... and aws_secret_access_key = ...`)
  return { id, secret }
}
