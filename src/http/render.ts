import { gzipSync } from 'node:zlib'
import type { Caller } from '../lib/caller.ts'
import type { RenderedPage } from '../store/list/page.ts'
import type { ListQuery } from '../store/list/query.ts'
import { type Answer, sizeOf, type Whole } from './answer.ts'
import type { Cursors } from './cursor.ts'
import { readAsk } from './query.ts'
import type { Listed } from './route.ts'

/** Below this, gzip costs more than it saves. */
const GZIP_FROM_BYTES = 2048

/** A response that is complete in memory. */
export type Rendered = Answer & { body: Whole }

/** Renders a page of a list, and returns whether it depends on the time. Throws Problem 400. */
export function renderList(
  listed: Listed,
  who: Caller,
  { path, query }: { path: string; query: string },
  zipped: boolean,
  cursors: Cursors,
): { answer: Rendered; timeDependent: boolean } {
  const { ask, question, timeDependent } = readAsk(listed, who, path, query, cursors)
  const { json, next, total } = listed.render?.(who.org, ask, who) ?? rowByRow(listed, who, ask)
  const headers: string[] = []
  let end = '],"next_cursor":null'
  if (next) {
    const cursor = cursors.seal(next, question)
    headers.push('Link', `<${nextTarget(path, query, cursor)}>; rel="next"`)
    end = `],"next_cursor":"${cursor}"`
  }
  if (total !== undefined) end += `,"total":${total}`
  return { answer: packed(headers, [START, json, Buffer.from(`${end}}`)], zipped), timeDependent }
}

const START = Buffer.from('{"data":[')

/** The page with rows that TypeScript renders. */
function rowByRow({ list, columns }: Listed, who: Caller, ask: ListQuery): RenderedPage {
  const { rows, ...end } = list(who.org, ask, who)
  return { json: Buffer.from(rows.map(columns.json).join()), ...end }
}

/** Compresses the body if the client accepts that and it is worth it. */
export function packed(headers: string[], body: Whole, zipped: boolean): Rendered {
  const all = ['Vary', 'Accept-Encoding', ...headers]
  if (!zipped || sizeOf(body) < GZIP_FROM_BYTES) return { status: 200, headers: all, body }
  return { status: 200, headers: [...all, 'Content-Encoding', 'gzip'], body: gzipSync(joined(body), { level: 1 }) }
}

const joined = (body: Whole): string | Buffer => (Array.isArray(body) ? Buffer.concat(body) : (body as string | Buffer))

/** The same query with another cursor. Escapes characters that are valid in a query and not in a link. */
export function nextTarget(path: string, query: string, cursor: string): string {
  const isKept = (pair: string) => pair !== '' && decodeURIComponent(pair.split('=')[0] as string) !== 'cursor'
  return `${path}?${[...query.split('&').filter(isKept), `cursor=${cursor}`].join('&').replace(/[<>"]/g, encodeURIComponent)}`
}
