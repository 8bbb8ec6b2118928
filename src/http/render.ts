import { gzipSync } from 'node:zlib'
import type { Caller } from '../lib/caller.ts'
import type { Answer } from './answer.ts'
import type { Cursors } from './cursor.ts'
import { readAsk } from './query.ts'
import type { Listed } from './route.ts'

/** Below this, gzip costs more than it saves. */
const GZIP_FROM_BYTES = 2048

/** A response that is complete in memory. */
export type Rendered = Answer & { body: string | Buffer }

/** Renders a page of a list, and returns whether it depends on the time. Throws Problem 400. */
export function renderList(
  listed: Listed,
  who: Caller,
  { path, query }: { path: string; query: string },
  zipped: boolean,
  cursors: Cursors,
): { answer: Rendered; timeDependent: boolean } {
  const { ask, question, timeDependent } = readAsk(listed, who, path, query, cursors)
  const { rows, next, total } = listed.list(who.org, ask, who)
  const headers: string[] = []
  let text = '{"data":['
  for (let index = 0; index < rows.length; index++) text += (index === 0 ? '' : ',') + listed.columns.json(rows[index]!)
  if (next) {
    const cursor = cursors.seal(next, question)
    headers.push('Link', `<${nextTarget(path, query, cursor)}>; rel="next"`)
    text += `],"next_cursor":"${cursor}"`
  } else text += '],"next_cursor":null'
  const answer = packed(headers, `${text}${total === undefined ? '' : `,"total":${total}`}}`, zipped)
  return { answer, timeDependent }
}

/** Compresses the text if the client accepts that and it is worth it. */
export function packed(headers: string[], text: string, zipped: boolean): Rendered {
  const body = Buffer.from(text)
  const all = ['Vary', 'Accept-Encoding', ...headers]
  if (!zipped || body.length < GZIP_FROM_BYTES) return { status: 200, headers: all, body }
  return { status: 200, headers: [...all, 'Content-Encoding', 'gzip'], body: gzipSync(body, { level: 1 }) }
}

/** The same query with another cursor. Escapes characters that are valid in a query and not in a link. */
export function nextTarget(path: string, query: string, cursor: string): string {
  const isKept = (pair: string) => pair !== '' && decodeURIComponent(pair.split('=')[0] as string) !== 'cursor'
  return `${path}?${[...query.split('&').filter(isKept), `cursor=${cursor}`].join('&').replace(/[<>"]/g, encodeURIComponent)}`
}
