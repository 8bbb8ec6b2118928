import type { Deps } from '../../deps.ts'
import { signedHeaders } from '../../events/signature.ts'
import type { Log } from '../../http/log.ts'
import { Problem } from '../../lib/problem.ts'
import { rfc3339 } from '../../lib/time.ts'
import type { Store } from '../../store/open.ts'
import { TEST } from '../deliveries.ts'
import type { Attempt, Reply } from '../egress/http-post.ts'
import { signingSecrets } from '../signing-secrets.ts'
import { webhookStore } from '../webhooks.ts'
import { type InFlight, inFlight, keyOf, type TryResult } from './in-flight.ts'
import { deliveryQueue, type Receiver, type Target } from './queue.ts'
import { LOST_PAUSE_MS, resultRecorder } from './results.ts'
import { isDown } from './retry-policy.ts'

export type DeliveryOptions = {
  store: Pick<Store, 'write' | 'committed' | 'health'>
  deps: Deps
  /** One try; see egress/post.ts. Rejects where it was lost on this side, and is then repeated. */
  post: (attempt: Attempt) => Promise<Reply>
  log: Log
  userAgent: string
  /** From 0 to 1. */
  random?: () => number
}

export type WebhookDelivery = ReturnType<typeof startDelivery>

/** Events that a webhook does not ask for are passed over in memory; so many at most until the store is told. */
const MAX_PASSED = 1000
/** So that a wall clock that was changed is noticed. */
const MAX_SLEEP_MS = 60_000
/** So many tries are written down, and so many taken, in one transaction: requests wait for it. */
const MAX_IN_ROUND = 20
const AFTER_FAILURE_MS = 1000
/** It may last: a full disk, say. */
const AFTER_STORAGE_FAILURE_MS = 5000
const GRACE_MS = 5000

/**
 * Sends events to webhooks: from the outbox to deliveries, tried until they succeed. What is to be done stands in the
 * database; memory knows only what is on its way. All is done in rounds, one at a time: a round writes down the tries
 * that came back and takes the next ones, in one transaction of the group commit.
 */
export function startDelivery({ store, deps, post, log, userAgent, random = Math.random }: DeliveryOptions) {
  const { clock } = deps
  const queue = deliveryQueue(deps)
  const recordResults = resultRecorder(deps, queue, log, random)
  const secrets = signingSecrets(deps)
  const { disable } = webhookStore(deps)
  const air = inFlight()
  const passed = new Map<string, { planned: number; seq: number }>()
  let landed: TryResult[] = []
  let turn: NodeJS.Immediate | undefined
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let restUntil = 0
  let turns = 0
  let isWanted = false
  let isStopped = false
  let isRecovered = false
  let onResult = wake

  /** Asks for a round in a later turn of the event loop; while one runs, for another behind it. */
  function wake(): void {
    if (isStopped) return
    isWanted = true
    if (!running) turn ??= setImmediate(begin)
  }

  function begin(): void {
    turn = undefined
    running = rounds().finally(() => {
      running = undefined
      if (isWanted) wake()
    })
  }

  async function rounds(): Promise<void> {
    clearTimeout(timer)
    let delayMs = MAX_SLEEP_MS
    while (isWanted && !isStopped) {
      isWanted = false
      try {
        checkWritable()
        const found = landed.length > 0 ? undefined : look(clock.now())
        if (found) delayMs = found.sleepMs
        const began = performance.now()
        if (!found || found.isReady) await turnOver() // whether there is more is seen behind its commit
        await new Promise((resolve) => setTimeout(resolve, (performance.now() - began) / 2)) // this third is for requests
      } catch (error) {
        if (!store.health.note(error)) log.error({ err: error }, 'webhooks: a round failed')
        delayMs = store.health.refusal() ? AFTER_STORAGE_FAILURE_MS : AFTER_FAILURE_MS
        isWanted = false
      }
    }
    if (!isStopped) timer = setTimeout(wake, delayMs).unref()
  }

  /** Nothing is looked for that could not be written down. */
  function checkWritable(): void {
    const refusal = store.health.refusal()
    if (refusal) throw refusal
  }

  /** One transaction: what came back is written down, and what is due is taken; then that is sent. */
  async function turnOver(): Promise<void> {
    const back = landed.splice(0, MAX_IN_ROUND)
    if (landed.length > 0) isWanted = true
    let next: { inFlightTry: InFlight; attempt: Attempt }[] = []
    try {
      await store.write(() => {
        next = [] // the group commit may run this again
        const now = clock.now()
        if (!isRecovered) queue.recover(now) // what was on its way when the last server ended is sent again
        recordResults(back)
        const secretsOf = signing(now)
        for (const inFlightTry of isStopped || restMs(now) > 0 ? [] : takeAll(now)) {
          const attempt = attemptOf(inFlightTry, secretsOf)
          if (attempt) next.push({ inFlightTry, attempt })
        }
        return null
      })
    } catch (error) {
      landed.unshift(...back)
      throw error
    }
    isRecovered = true
    for (const { taken } of back) air.remove(taken)
    for (const { inFlightTry, attempt } of next) send(inFlightTry, attempt)
  }

  /** Whether there is anything to take, and when there will be. Passes over events that nobody asks for. */
  function look(now: number): { isReady: boolean; sleepMs: number } {
    if (restMs(now) > 0) return { isReady: false, sleepMs: restMs(now) }
    let isReady = !isRecovered || (air.slotsForTests() > 0 && queue.hasTests(now))
    let sleepMs = MAX_SLEEP_MS
    for (const target of queue.targets()) {
      const dueAt = hasEvents(target) ? now : (target.due_at ?? Number.POSITIVE_INFINITY)
      const wakeAt = Math.max(target.held_until ?? 0, dueAt)
      if (wakeAt > now) sleepMs = Math.min(sleepMs, wakeAt - now)
      else if (air.slotsOf(target) > 0) isReady = true
    }
    return { isReady, sleepMs }
  }

  /** Whether there are events that the webhook asks for and has no deliveries of, as far as a look goes. */
  function hasEvents(target: Target): boolean {
    const from = positionOf(target)
    if (from >= target.last_seq) return false
    const { wanted, seq } = queue.firstWanted(target, from)
    passed.set(keyOf(target.org, target.id), { planned: target.planned_seq, seq })
    if (wanted !== undefined || seq - target.planned_seq > MAX_PASSED) return true
    if (seq < target.last_seq) isWanted = true
    return false
  }

  /** Where planning goes on: behind what was passed over, unless events are replayed. */
  function positionOf({ org, id, planned_seq }: Target): number {
    const known = passed.get(keyOf(org, id))
    return known?.planned === planned_seq ? known.seq : planned_seq
  }

  function takeAll(now: number): InFlight[] {
    const all: InFlight[] = queue.takeTests(now, air.slotsForTests()).flatMap((taken) => {
      const to = queue.receiver(taken.org, taken.webhook_id)
      return to ? [{ taken, to, at: now, isProbe: false }] : [] // else the job that clears up takes it away
    })
    const targets = queue.targets()
    const first = ++turns % Math.max(targets.length, 1) // another one each time, as there may not be room for all
    for (const target of [...targets.slice(first), ...targets.slice(0, first)]) {
      const slots = Math.min(air.slotsOf(target, all.length), MAX_IN_ROUND - all.length)
      if ((target.held_until ?? 0) > now || slots <= 0) continue
      const due = target.due_at !== null && target.due_at <= now ? queue.take(target, now, slots) : []
      const from = positionOf(target)
      const fresh = from < target.last_seq ? queue.plan(target, from, now, slots - due.length) : []
      for (const taken of [...due, ...fresh]) all.push({ taken, to: target, at: now, isProbe: isDown(target) })
    }
    return all
  }

  /** The secrets that sign at a time, unsealed once for each webhook. */
  function signing(at: number): (to: Receiver) => string[] {
    const known = new Map<string, string[]>()
    return ({ id, secrets: sealed }) => {
      const signing = known.get(sealed) ?? secrets.signing(id, sealed, at)
      known.set(sealed, signing)
      return signing
    }
  }

  /** What is sent; undefined where it cannot be, which is written down. */
  function attemptOf(inFlightTry: InFlight, secretsOf: (to: Receiver) => string[]): Attempt | undefined {
    const { taken, to, at } = inFlightTry
    const body = queue.bodyOf(taken)
    if (body === undefined) return giveUp(inFlightTry, 'The event is not kept any longer.')
    try {
      const signed = signedHeaders({ id: taken.event_id, at, body }, secretsOf(to))
      const headers = { 'content-type': 'application/json', 'user-agent': userAgent, ...signed }
      return { url: to.url, headers, body }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (taken.type === TEST) return giveUp(inFlightTry, error.message)
      disable(to.org, to.id, `${error.message} Or rotate the secret of the webhook; then set it to active.`)
      queue.release(taken, at)
      log.error({ webhook: to.id, reason: error.message }, 'webhook disabled')
      return undefined
    }
  }

  function giveUp({ taken, at }: InFlight, error: string): undefined {
    const attempt = { at: rfc3339(at), duration_ms: 0, response_status: null, response_body: null, error }
    queue.recordResult(taken, attempt, { status: 'failed', failures: taken.failures, dueAt: null }, at)
  }

  function send(inFlightTry: InFlight, attempt: Attempt): void {
    air.add(inFlightTry)
    const land = (reply: Reply | undefined): void => {
      landed.push({ ...inFlightTry, reply })
      onResult()
    }
    post(attempt).then(land, (error) => {
      rest(error)
      land(undefined)
    })
  }

  /** What lost one try would take the next ones, too. */
  function rest(error: unknown): void {
    const now = clock.now()
    if (restMs(now) === 0 && !isStopped) log.error({ err: error }, 'webhooks: tries were lost; they are repeated')
    restUntil = now + LOST_PAUSE_MS
  }

  /** None where the wall clock was set back meanwhile. */
  function restMs(now: number): number {
    const left = restUntil - now
    return left > 0 && left <= LOST_PAUSE_MS ? left : 0
  }

  const unsubscribe = store.committed.subscribe(wake)
  wake()

  /** Takes nothing more, and waits a while for what is on its way; the rest is sent again by the next server. */
  async function stop(graceMs = GRACE_MS): Promise<void> {
    isStopped = true
    unsubscribe()
    clearImmediate(turn)
    await running
    clearTimeout(timer)
    await new Promise<void>((resolve) => {
      const cut = setTimeout(resolve, graceMs)
      onResult = () => {
        if (landed.length < air.total()) return
        clearTimeout(cut)
        resolve()
      }
      onResult()
    })
    const back = landed
    landed = []
    if (back.length === 0) return
    try {
      await store.write(() => {
        recordResults(back)
        return null
      })
    } catch (error) {
      if (!store.health.note(error))
        log.error({ err: error }, 'webhooks: tries could not be written down; they are repeated')
    }
  }

  return {
    stop,
    wake,
    /** Whether it is at work, or about to be; what is on its way does not count. */
    isBusy: () => !isStopped && (isWanted || running !== undefined),
  }
}
