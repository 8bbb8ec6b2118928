import { effect } from '@preact/signals'
import { ApiProblem, NoAnswer } from './api.ts'
import type { Client } from './client.ts'
import { isOfStep, stepOf } from './step-keys.ts'

// My steps, taken back: what has not been sent is dropped, the rest is undone by the server, by the events of the step.

/** The parts of a page's data that this needs. */
type Page = Pick<Client, 'api' | 'queue' | 'events' | 'timers' | 'seq' | 'newKey' | 'isMine'>

type Named = { kind: string; id: string; title: string | null }

/** What I did, as the server knows it: GET /app/steps. */
export type Step = {
  id: string
  seq: number
  at: string
  records: Named[]
  count: number
  types: string[]
  fields: string[]
  merged_into: Named | null
  bulk: { kind: string; change: Record<string, unknown>; is_running: boolean } | null
  is_undone: boolean
}

export type LeftOut = { record: Named; code: string; detail: string; fields: string[]; by: string | null }

export type TakenBack = {
  /** Undefined if the server has never heard of it. */
  step: Step | undefined
  undone: number
  left: LeftOut[]
}

type Answer = { step: Step; undone: number; left: LeftOut[]; rest: number; bulk_id: string | null; seq: number }
type BulkUndo = {
  undone_at: string | null
  done: number
  failed_count: number
  kept: { id: string; detail: string }[]
}

const POLL_MS = 300
const EVENT_MS = 5000

/**
 * Takes a step back, or does it anew after that. Resolves when this page knows of it. Throws ApiProblem, also 409
 * `changed_since` with what is `left` if nothing of it could be taken back, and NoAnswer.
 */
export async function takeBack(client: Page, id: string, again = false): Promise<TakenBack> {
  const dropped = again ? 0 : client.queue.withdraw(id)
  await sent(client, id)
  const all: TakenBack = { step: undefined, undone: dropped, left: [] }
  for (let rest = 1; rest > 0; ) {
    try {
      const answer = await ask(client, id, again)
      rest = answer.rest
      all.step = answer.step
      all.undone += answer.undone
      all.left.push(...answer.left)
      if (answer.bulk_id !== null) await followBulk(client, answer.bulk_id, all)
      if (rest === 0) await known(client, answer.seq)
    } catch (error) {
      // What was dropped here is unknown there, and what was refused is no reason to call the rest of it refused.
      const isRest = error instanceof ApiProblem && (error.status === 404 || all.undone > dropped) && all.undone > 0
      if (!isRest) throw error
      rest = 0
    }
  }
  return all
}

/** The newest first. */
export const stepsOf = async (client: Page, limit: number): Promise<Step[]> =>
  (await client.api.get<{ data: Step[] }>(`/app/steps?limit=${limit}`)).data

/** The newest step of this page that the server has not confirmed. */
export function waitingStep(client: Page): string | undefined {
  const own = client.queue.writes.peek().filter(({ key }) => client.isMine(key))
  const [newest] = own.sort((one, other) => other.at - one.at || numberOf(other.key) - numberOf(one.key))
  return newest && stepOf(newest.key)
}

const numberOf = (key: string): number => Number(key.slice(key.lastIndexOf('.') + 1))

/** Keys of requests without an answer: asked again with the same, it happens once. */
const unanswered = new WeakMap<Page, Map<string, string>>()

const keysOf = (client: Page): Map<string, string> => {
  const keys = unanswered.get(client) ?? new Map<string, string>()
  unanswered.set(client, keys)
  return keys
}

/** The step whose taking back got no answer: it may have happened, and comes before all others. */
export const unansweredStep = (client: Page): string | undefined => [...keysOf(client).keys()].at(-1)

async function ask(client: Page, id: string, again: boolean): Promise<Answer> {
  const keys = keysOf(client)
  // A key of its own kind: this is no step.
  const key = keys.get(id) ?? `undo-${again ? 'again-' : ''}${client.newKey()}`
  keys.set(id, key)
  try {
    const { body } = await client.api.request<Answer>('POST', `/app/steps/${id}/undo`, {
      body: again ? { again } : {},
      key,
    })
    keys.delete(id)
    return body
  } catch (error) {
    if (!(error instanceof NoAnswer)) keys.delete(id)
    throw error
  }
}

/** What is on its way has to arrive before it can be taken back. Conflicts and refusals never do. */
function sent({ queue }: Page, id: string): Promise<void> {
  return until(() =>
    queue.writes.value.every(
      ({ key, parked }) => !isOfStep(key, id) || (parked && parked.why !== 'front' && parked.why !== 'old'),
    ),
  )
}

function until(holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (!holds()) return
      resolve()
      queueMicrotask(() => stop())
    })
  })
}

async function followBulk({ api, timers }: Page, id: string, all: TakenBack): Promise<void> {
  for (;;) {
    const state = await api.get<BulkUndo>(`/app/bulk/${id}`)
    if (state.undone_at !== null) {
      all.undone = state.done - state.failed_count - state.kept.length
      all.left = state.kept.map(({ id: record, detail }) => ({
        record: { kind: '', id: record, title: null },
        code: 'kept',
        detail,
        fields: [],
        by: null,
      }))
      return
    }
    await new Promise<void>((resolve) => timers.after(POLL_MS, resolve))
  }
}

/** Resolves when the events up to a place are here, or do not come. */
function known({ events, seq, timers }: Page, wanted: number): Promise<void> {
  if (seq() >= wanted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      stop()
      stopTimer()
      resolve()
    }
    const stop = events.onEvent((event) => event.seq >= wanted && end())
    const stopTimer = timers.after(EVENT_MS, end)
  })
}
