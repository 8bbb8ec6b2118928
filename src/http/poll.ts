import type { ServerResponse } from 'node:http'
import type { Caller } from '../lib/caller.ts'
import type { Answer } from './answer.ts'
import type { Cursors } from './cursor.ts'
import { acceptsGzip } from './negotiate.ts'
import { badQuery, readLimit, readQuery } from './query.ts'
import { nextTarget, packed } from './render.ts'
import type { PollRoute } from './route.ts'
import type { WaitingRoom } from './waiting.ts'

export const POLL_PARAMETERS = ['after_seq', 'types', 'wait', 'limit', 'cursor'] as const
export const LONGEST_WAIT_S = 60
const MOST_TYPES = 100

type Asked = { after: number | undefined; types: readonly string[]; waitMs: number; limit: number; question: string }

/** The next stretch of a stream; with `wait` it is answered when something comes, or empty when nothing has. */
export async function answerPoll(
  route: PollRoute,
  who: Caller,
  target: { path: string; query: string; res: ServerResponse },
  { cursors, room }: { cursors: Cursors; room: WaitingRoom },
): Promise<Answer> {
  const asked = readPoll(route, who.org, target, cursors)
  let { after } = asked

  function next(): Answer | undefined {
    const { items, last, more } = route.read(who, after, asked.types, asked.limit)
    after = last
    return items.length > 0 || more ? render(items, last, more) : undefined
  }

  function render(items: string[], last: number, more: boolean): Answer {
    const cursor = more ? cursors.seal({ key: last, id: '' }, asked.question) : null
    const headers = cursor ? ['Link', `<${nextTarget(target.path, target.query, cursor)}>; rel="next"`] : []
    const body = `{"data":[${items.join()}],"last_seq":${last},"next_cursor":${JSON.stringify(cursor)}}`
    return packed(headers, body, acceptsGzip(target.res.req.headers['accept-encoding']))
  }

  const found = next() ?? (asked.waitMs > 0 ? await room.until(next, asked.waitMs, target.res) : undefined)
  return found ?? render([], after as number, false)
}

/** Throws Problem 400. */
function readPoll(
  { patterns }: PollRoute,
  org: number,
  { path, query }: { path: string; query: string },
  cursors: Cursors,
): Asked {
  const parameters = readQuery(query)
  for (const name of parameters.keys()) {
    if (!(POLL_PARAMETERS as readonly string[]).includes(name))
      throw badQuery(`There is no parameter "${name}" here; allowed are: ${POLL_PARAMETERS.join(', ')}.`)
  }
  const types = readTypes(parameters.get('types'), patterns)
  const afterSeq = readWhole(parameters, 'after_seq', Number.MAX_SAFE_INTEGER)
  const question = `${org} ${path} ${afterSeq} ${types.join()}`
  const cursor = parameters.get('cursor')
  return {
    after: cursor === undefined ? afterSeq : cursors.openCounted(cursor, question).key,
    types,
    waitMs: (readWhole(parameters, 'wait', LONGEST_WAIT_S) ?? 0) * 1000,
    limit: readLimit(parameters.get('limit')),
    question,
  }
}

function readTypes(text: string | undefined, patterns: readonly string[]): readonly string[] {
  if (text === undefined) return ['*']
  const types = text.split(',')
  const unknown = types.find((type) => !patterns.includes(type))
  if (unknown !== undefined)
    throw badQuery(`The parameter "types" has "${unknown}", which is no event; there are: ${patterns.join(', ')}.`)
  if (types.length > MOST_TYPES) throw badQuery(`The parameter "types" takes at most ${MOST_TYPES} values.`)
  return types
}

function readWhole(parameters: Map<string, string>, name: string, most: number): number | undefined {
  const text = parameters.get(name)
  if (text === undefined) return undefined
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (number <= most) return number
  throw badQuery(`The parameter "${name}" has to be a whole number from 0 to ${most}.`)
}
