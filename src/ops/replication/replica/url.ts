import { fileURLToPath } from 'node:url'
import { Problem } from '../../../lib/problem.ts'
import type { Naming } from '../../backup/places/s3/failures.ts'
import type { ReplicaStorage } from './copy.ts'
import { folderCopy } from './folder.ts'
import { s3Copy } from './s3.ts'

// A copy by the URL that Litestream takes for it, with the keys of its environment.

/** Where the keys are, as Litestream reads them; the first that is set counts. */
const KEY_IDS = ['LITESTREAM_ACCESS_KEY_ID', 'AWS_ACCESS_KEY_ID']
const SECRETS = ['LITESTREAM_SECRET_ACCESS_KEY', 'AWS_SECRET_ACCESS_KEY']

const OF_URL: Naming = { region: (region) => `region=${region} in its URL` }

/** Undefined for storage that only Litestream reaches, such as SFTP. Throws Problem 409 if keys are missing. */
export function copyOfUrl(text: string, env: NodeJS.ProcessEnv): ReplicaStorage | undefined {
  const url = new URL(text)
  if (url.protocol === 'file:') return folderCopy(fileURLToPath(url))
  if (url.protocol !== 's3:') return undefined
  const first = (names: readonly string[]) => names.map((name) => env[name]).find(Boolean)
  const [id, secret] = [first(KEY_IDS), first(SECRETS)]
  if (!id || !secret)
    throw new Problem(
      409,
      'no_keys',
      `The environment lacks the keys of ${text}: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    )
  const region = url.searchParams.get('region') ?? env.AWS_REGION ?? 'us-east-1'
  const endpoint = new URL(url.searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`)
  const folders = decodeURIComponent(url.pathname).split('/').filter(Boolean)
  const prefix = folders.map((each) => `${each}/`).join('')
  return s3Copy({ endpoint, bucket: url.host, prefix, keys: { id, secret }, region }, { naming: OF_URL })
}

/** The URL of a folder below. */
export function urlBelow(text: string, folder: string): string {
  if (folder === '') return text
  const url = new URL(text)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${folder}`
  return url.href
}
