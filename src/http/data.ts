import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Caller } from '../lib/caller.ts'
import type { Answer } from './answer.ts'
import { etag, isUnchanged } from './conditional.ts'
import type { Cursors } from './cursor.ts'
import { acceptsGzip } from './negotiate.ts'
import { readRecordQuery } from './record.ts'
import { nextTarget, packed } from './render.ts'
import type { DataRoute } from './route.ts'

type Target = { path: string; query: string; req: IncomingMessage }

/** From here on, another thread compresses: a board of 5,000 deals takes 20 ms, in which nobody else would be served. */
const LARGE = 65_536
const compress = promisify(gzip)

/** Throws Problem 400, and any error of the route. */
export async function answerData(
  route: DataRoute,
  who: Caller,
  ids: string[],
  { path, query, req }: Target,
  cursors: Cursors,
): Promise<Answer> {
  const { asked, question } = readRecordQuery(route, who.org, path, query, cursors)
  const newest = route.newest?.(who)
  const headers = newest === undefined ? [] : ['ETag', etag(newest)]
  if (newest !== undefined && isUnchanged(req.headers['if-none-match'], newest))
    return { status: 304, headers: ['Vary', 'Accept-Encoding', ...headers], body: '' }
  const vary = ['Vary', 'Accept-Encoding', ...headers]
  const zipped = acceptsGzip(req.headers['accept-encoding'])
  const kept = zipped && newest !== undefined && route.shared ? keptOf(route) : undefined
  const name = `${who.org} ${query}`
  const before = kept?.get(name)
  if (before && before.newest === newest)
    return { status: 200, headers: [...vary, 'Content-Encoding', 'gzip'], body: await before.body }
  const { json, next } = await route.read(who, ids, {
    ...asked,
    cursorAt: (position) => cursors.seal(position, question),
  })
  if (next) headers.push('Link', `<${nextTarget(path, query, next)}>; rel="next"`)
  if (typeof json !== 'string') return { status: 200, headers, body: json }
  if (!zipped || json.length < LARGE) return packed(headers, json, zipped)
  const body = compress(json, { level: 6 })
  if (kept && newest !== undefined) keep(kept, name, { newest, body })
  return { status: 200, headers: [...vary, 'Content-Encoding', 'gzip'], body: await body }
}

/** A compressed response, which may still be on its way, and what it is as of. */
type Kept = { newest: string; body: Promise<Buffer> }

const keptByRoute = new WeakMap<DataRoute, Map<string, Kept>>()
/** Responses of each route: some MB at most. */
const MOST_KEPT = 8

function keptOf(route: DataRoute): Map<string, Kept> {
  const kept = keptByRoute.get(route) ?? new Map<string, Kept>()
  keptByRoute.set(route, kept)
  return kept
}

/** Keeps a response as the newest one. The one that nobody has requested for the longest time is dropped. */
function keep(kept: Map<string, Kept>, name: string, response: Kept): void {
  kept.delete(name)
  kept.set(name, response)
  const [oldest] = kept.keys()
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
}
