import type { ServerResponse } from 'node:http'
import type { Access } from '../auth/access.ts'
import type { Answer } from './answer.ts'
import type { Cursors } from './cursor.ts'
import { acceptsGzip } from './negotiate.ts'
import { badQuery, readLimit, readQuery } from './query.ts'
import { nextTarget, packed } from './render.ts'
import type { Need, PollRoute, StreamSlice } from './route.ts'
import { SEQ, type SeqWaits } from './seq.ts'
import type { CommitWaiters } from './waiting.ts'

export const POLL_PARAMETERS = ['after_seq', 'types', 'wait', 'limit', 'cursor'] as const
export const MAX_WAIT_S = 60
/** The `after_seq` of a client that reads the records themselves, or only wants what comes. */
export const LATEST = 'latest'
/** Values of `types`. */
export const MAX_TYPES = 100

type PollQuery = {
  after: number | undefined | typeof LATEST
  types: readonly string[]
  waitMs: number
  limit: number
  question: string
}

type Parts = { cursors: Cursors; waiters: CommitWaiters; reach: SeqWaits['reach'] }
/** `seq` is that of the newest event, of a moment ago. */
type Target = { path: string; query: string; res: ServerResponse; seq: number | undefined }

/**
 * Answers with the next events of a stream; with `wait`, as soon as there are any, or empty after that time. Equal
 * requests in a turn of the event loop, such as all waiting ones after a commit, share the read and the response.
 */
export function pollAnswers({ cursors, waiters, reach }: Parts) {
  const shared = new Map<string, Answer | StreamSlice>()

  function share<Made extends Answer | StreamSlice>(key: string, make: () => Made): Made {
    const hit = shared.get(key)
    if (hit) return hit as Made
    const made = make()
    if (shared.size === 0) setImmediate(() => shared.clear())
    shared.set(key, made)
    return made
  }

  return async function answer(route: PollRoute<Need>, { who, scopeKey }: Access, target: Target): Promise<Answer> {
    const asked = readPoll(route, who.org, target, cursors)
    const isZipped = acceptsGzip(target.res.req.headers['accept-encoding'])
    const stream = `${who.org} ${route.path}`
    const newest = () => route.newest(who)
    if (asked.after === LATEST) return render({ items: [], last: newest(), more: false })
    let { after } = asked
    if (after !== undefined && after > (target.seq ?? 0)) await reach(who.org, after, target.res)

    function next(): Answer | undefined {
      const question = `${stream} ${newest()} ${after} ${asked.limit} ${asked.types.join()} ${scopeKey}`
      const found = share(question, () => route.read(who, after, asked.types, asked.limit))
      after = found.last
      if (found.more) return render(found)
      return found.items.length > 0 ? share(`${question} ${isZipped}`, () => render(found)) : undefined
    }

    function render({ items, last, more }: StreamSlice): Answer {
      const cursor = more ? cursors.seal({ key: last, id: '' }, asked.question) : null
      const link = cursor ? ['Link', `<${nextTarget(target.path, target.query, cursor)}>; rel="next"`] : []
      const headers = [SEQ, String(last), ...link]
      const body = `{"data":[${items.join()}],"last_seq":${last},"next_cursor":${JSON.stringify(cursor)}}`
      return packed(headers, body, isZipped)
    }

    const found =
      next() ??
      (asked.waitMs > 0 ? await waiters.until({ key: stream, newest }, next, asked.waitMs, target.res) : undefined)
    return found ?? render({ items: [], last: after as number, more: false })
  }
}

/** Throws Problem 400. */
function readPoll(
  { patterns }: PollRoute<Need>,
  org: number,
  { path, query }: { path: string; query: string },
  cursors: Cursors,
): PollQuery {
  const parameters = readQuery(query)
  for (const name of parameters.keys()) {
    if (!(POLL_PARAMETERS as readonly string[]).includes(name))
      throw badQuery(`There is no parameter "${name}" here. The allowed parameters are: ${POLL_PARAMETERS.join(', ')}.`)
  }
  const types = readTypes(parameters.get('types'), patterns)
  const isLatest = parameters.get('after_seq') === LATEST
  const afterSeq = isLatest ? LATEST : readWhole(parameters, 'after_seq', Number.MAX_SAFE_INTEGER, `, or ${LATEST}`)
  const question = `${org} ${path} ${afterSeq} ${types.join()}`
  const cursor = parameters.get('cursor')
  return {
    after: cursor === undefined ? afterSeq : cursors.openCounted(cursor, question).key,
    types,
    waitMs: (readWhole(parameters, 'wait', MAX_WAIT_S) ?? 0) * 1000,
    limit: readLimit(parameters.get('limit')),
    question,
  }
}

function readTypes(text: string | undefined, patterns: readonly string[]): readonly string[] {
  if (text === undefined) return ['*']
  const types = text.split(',')
  const unknown = types.find((type) => !patterns.includes(type))
  if (unknown !== undefined)
    throw badQuery(
      `The parameter "types" contains "${unknown}", which is not an event type. Event types are: ${patterns.join(', ')}.`,
    )
  if (types.length > MAX_TYPES) throw badQuery(`The parameter "types" can have at most ${MAX_TYPES} values.`)
  return types
}

function readWhole(parameters: Map<string, string>, name: string, max: number, or = ''): number | undefined {
  const text = parameters.get(name)
  if (text === undefined) return undefined
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (number <= max) return number
  throw badQuery(`The parameter "${name}" must be a whole number from 0 to ${max}${or}.`)
}
