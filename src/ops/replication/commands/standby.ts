import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { everyMs } from '../../../lib/every.ts'
import { Problem } from '../../../lib/problem.ts'
import { HOUR_MS } from '../../../lib/time.ts'
import { replaceFile } from '../../../store/folder/replace-file.ts'

// How "dealbox promote" speaks with the standby that serves a folder: by two small files in there, since a standby has no
// other way in for commands, and whoever may write in the folder may do everything with it anyway.

const REQUEST = 'promote.request'
const ANSWER = 'promote.answer'
const LOOK_EVERY_MS = 100
/** A standby that holds its folder no longer than this has ended. */
const ENDED_MS = 10_000

const Request = v.object({
  id: v.string(),
  url: v.nullable(v.string()),
  abandons: v.boolean(),
  isUnchecked: v.boolean(),
  isOldOff: v.boolean(),
  /** Also if the copy is old. */
  acceptsAge: v.boolean(),
})
export type Request = v.InferOutput<typeof Request>

const Answer = v.object({
  id: v.string(),
  promoted: v.nullable(
    v.object({
      epoch: v.number(),
      api: v.string(),
      screens: v.nullable(v.string()),
      was_fenced: v.boolean(),
      is_complete: v.boolean(),
      /** When the copy was as it is, in RFC 3339, and how long ago that was; null if it has no heartbeat. */
      copy_at: v.nullable(v.string()),
      copy_age_s: v.nullable(v.number()),
    }),
  ),
  problem: v.nullable(v.object({ status: v.number(), code: v.string(), detail: v.string() })),
})
export type Answer = v.InferOutput<typeof Answer>
export type Promoted = NonNullable<Answer['promoted']>

const put = (dataDir: string, name: string, content: object): void =>
  replaceFile(join(dataDir, name), `${JSON.stringify(content)}\n`)

/** Undefined also for a file that is not ours: nothing in here may end a server. */
function read<T>(dataDir: string, name: string, schema: v.GenericSchema<unknown, T>): T | undefined {
  try {
    return v.parse(schema, JSON.parse(readFileSync(join(dataDir, name), 'utf8')))
  } catch {
    return undefined
  }
}

/** For the standby: the request that is there, once. */
export function takeRequest(dataDir: string): Request | undefined {
  const request = read(dataDir, REQUEST, Request)
  if (request) rmSync(join(dataDir, REQUEST), { force: true })
  return request
}

/** For the standby: waits for requests, from now on. */
export function awaitRequests(dataDir: string) {
  rmSync(join(dataDir, REQUEST), { force: true }) // nobody waits for an answer any more
  let found: (request: Request) => void = () => undefined

  const stop = everyMs(LOOK_EVERY_MS, () => {
    const request = takeRequest(dataDir)
    if (request) found(request)
  })

  return {
    listen: (listener: (request: Request) => void): void => {
      found = listener
    },
    stop,
  }
}

export function answer(dataDir: string, { id }: Request, outcome: Promoted | Problem): void {
  const isProblem = outcome instanceof Problem
  const problem = isProblem ? { status: outcome.status, code: outcome.code, detail: outcome.message } : null
  put(dataDir, ANSWER, { id, promoted: isProblem ? null : outcome, problem })
}

/** For the command. Rejects with the Problem of the standby, or with Problem 504 after an hour, or if it has ended. */
export async function askToPromote(
  dataDir: string,
  asked: Omit<Request, 'id'>,
  isServed: () => boolean,
  patienceMs = HOUR_MS, // it checks the whole database
): Promise<Promoted> {
  const id = randomUUID()
  put(dataDir, REQUEST, { id, ...asked })
  const until = performance.now() + patienceMs
  let servedAt = performance.now()
  while (performance.now() < until) {
    const found = read(dataDir, ANSWER, Answer)
    if (found?.id === id) {
      rmSync(join(dataDir, ANSWER), { force: true })
      if (found.promoted) return found.promoted
      const { status, code, detail } = found.problem as NonNullable<Answer['problem']>
      throw new Problem(status, code, detail)
    }
    // It lets the folder go for a moment while it becomes a primary.
    if (isServed()) servedAt = performance.now()
    else if (performance.now() - servedAt > (existsSync(join(dataDir, REQUEST)) ? 1000 : ENDED_MS)) break
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  const wasTaken = !existsSync(join(dataDir, REQUEST))
  rmSync(join(dataDir, REQUEST), { force: true })
  throw wasTaken
    ? new Problem(504, 'not_promoted', 'The standby did not say that it serves; look into its log.')
    : new Problem(
        409,
        'no_standby',
        `The server of ${dataDir} takes no promotion: it is not one of "dealbox serve --follow".`,
      )
}
