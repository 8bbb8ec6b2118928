import type { Deps } from '../../deps.ts'
import { signedHeaders } from '../../events/signature.ts'
import type { Log } from '../../lib/log.ts'
import { Problem } from '../../lib/problem.ts'
import { MINUTE_MS, rfc3339 } from '../../lib/time.ts'
import type { Store } from '../../store/open.ts'
import { TEST } from '../deliveries.ts'
import type { Attempt, Reply } from '../egress/http-post.ts'
import { signingSecrets } from '../signing-secrets.ts'
import { webhookStore } from '../webhooks.ts'
import { type InFlight, inFlight, keyOf, type TryResult } from './in-flight.ts'
import { deliveryQueue, type Receiver, type Target } from './queue.ts'
import { LOST_PAUSE_MS, resultRecorder } from './results.ts'
import { isDown } from './retry-policy.ts'

/** `lost`: on our side, so that it is repeated. */
export type Outcome = 'delivered' | 'failed' | 'lost' | 'given_up'

export type DeliveryOptions = {
  store: Pick<Store, 'write' | 'committed' | 'health'>
  deps: Deps
  /** Makes one attempt; see egress/http-post.ts. Rejects if the attempt was lost on our side; it is then repeated. */
  post: (attempt: Attempt) => Promise<Reply>
  log: Log
  userAgent: string
  /** Called once the outcome is written: of each attempt, and of each delivery whose last attempt failed. */
  count?: ((outcome: Outcome) => void) | undefined
  /** Returns a number from 0 to 1. */
  random?: () => number
}

export type WebhookDelivery = ReturnType<typeof startDelivery>

/** Events without a subscription are skipped in memory; after this many the position is stored. */
const MAX_SKIPPED = 1000
/** Bounds the sleep, so that a changed wall clock is noticed. */
const MAX_SLEEP_MS = MINUTE_MS
/** Attempts recorded, and deliveries taken, per transaction: requests wait for it. */
const MAX_IN_ROUND = 20
const AFTER_FAILURE_MS = 1000
/** Longer, since storage errors such as a full disk may last. */
const AFTER_STORAGE_FAILURE_MS = 5000
const GRACE_MS = 5000

/**
 * Sends events to webhooks: turns events of the outbox into deliveries and attempts each until it succeeds. All pending
 * work is in the database; memory holds only the attempts in flight. The work is done in rounds, one at a time: a round
 * records finished attempts and takes the next deliveries in one transaction of the group commit.
 */
export function startDelivery({ store, deps, post, log, userAgent, count, random = Math.random }: DeliveryOptions) {
  const { clock } = deps
  const queue = deliveryQueue(deps)
  const recordResults = resultRecorder(deps, queue, log, random)
  const secrets = signingSecrets(deps)
  const { disable } = webhookStore(deps)
  const attemptsInFlight = inFlight()
  const skipped = new Map<string, { planned: number; seq: number }>()
  let finished: TryResult[] = []
  let turn: NodeJS.Immediate | undefined
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let restUntil = 0
  let turns = 0
  let isWanted = false
  let isStopped = false
  let isRecovered = false
  let onResult = wake

  /** Requests a round in a later turn of the event loop; during a round, requests another one after it. */
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
        const found = finished.length > 0 ? undefined : scan(clock.now())
        if (found) delayMs = found.sleepMs
        const began = performance.now()
        if (!found || found.isReady) await runRound() // the next round sees after the commit whether there is more
        await new Promise((resolve) => setTimeout(resolve, (performance.now() - began) / 2)) // a third for requests
      } catch (error) {
        if (!store.health.note(error)) log.error({ err: error }, 'webhooks: a round failed')
        delayMs = store.health.refusal() ? AFTER_STORAGE_FAILURE_MS : AFTER_FAILURE_MS
        isWanted = false
      }
    }
    if (!isStopped) timer = setTimeout(wake, delayMs).unref()
  }

  /** Skips the round while nothing can be written. */
  function checkWritable(): void {
    const refusal = store.health.refusal()
    if (refusal) throw refusal
  }

  /** Runs one transaction that records finished attempts and takes due deliveries; then sends those. */
  async function runRound(): Promise<void> {
    const results = finished.splice(0, MAX_IN_ROUND)
    if (finished.length > 0) isWanted = true
    let next: { inFlightTry: InFlight; attempt: Attempt }[] = []
    let givenUp = 0
    try {
      await store.write(() => {
        next = [] // the group commit may run this callback again
        const now = clock.now()
        if (!isRecovered) queue.recover(now) // resends what was in flight when the last process ended
        givenUp = recordResults(results)
        const secretsOf = signing(now)
        for (const inFlightTry of isStopped || restMs(now) > 0 ? [] : takeAll(now)) {
          const attempt = attemptOf(inFlightTry, secretsOf)
          if (attempt) next.push({ inFlightTry, attempt })
        }
        return null
      })
    } catch (error) {
      finished.unshift(...results)
      throw error
    }
    isRecovered = true
    countAll(results, givenUp)
    for (const { taken } of results) attemptsInFlight.remove(taken)
    for (const { inFlightTry, attempt } of next) send(inFlightTry, attempt)
  }

  function countAll(results: readonly TryResult[], givenUp: number): void {
    for (const { reply } of results) count?.(!reply ? 'lost' : reply.error === null ? 'delivered' : 'failed')
    for (let n = 0; n < givenUp; n++) count?.('given_up')
  }

  /**
   * Returns whether there is anything to take, and how long to sleep otherwise. Skips events without a subscription.
   */
  function scan(now: number): { isReady: boolean; sleepMs: number } {
    if (restMs(now) > 0) return { isReady: false, sleepMs: restMs(now) }
    let isReady = !isRecovered || (attemptsInFlight.slotsForTests() > 0 && queue.hasTests(now))
    let sleepMs = MAX_SLEEP_MS
    for (const target of queue.targets()) {
      const dueAt = hasEvents(target) ? now : (target.due_at ?? Number.POSITIVE_INFINITY)
      const wakeAt = Math.max(target.held_until ?? 0, dueAt)
      if (wakeAt > now) sleepMs = Math.min(sleepMs, wakeAt - now)
      else if (attemptsInFlight.slotsOf(target) > 0) isReady = true
    }
    return { isReady, sleepMs }
  }

  /** Whether the webhook subscribes to events after its position, as far as one scan reaches. */
  function hasEvents(target: Target): boolean {
    const from = positionOf(target)
    if (from >= target.last_seq) return false
    const { wanted, seq } = queue.firstWanted(target, from)
    skipped.set(keyOf(target.org, target.id), { planned: target.planned_seq, seq })
    if (wanted !== undefined || seq - target.planned_seq > MAX_SKIPPED) return true
    if (seq < target.last_seq) isWanted = true
    return false
  }

  /** Returns where planning continues: after the skipped events, unless events are being replayed. */
  function positionOf({ org, id, planned_seq }: Target): number {
    const position = skipped.get(keyOf(org, id))
    return position?.planned === planned_seq ? position.seq : planned_seq
  }

  function takeAll(now: number): InFlight[] {
    const all: InFlight[] = queue.takeTests(now, attemptsInFlight.slotsForTests()).flatMap((taken) => {
      const to = queue.receiver(taken.org, taken.webhook_id)
      return to ? [{ taken, to, at: now, isProbe: false }] : [] // else the purge job deletes it
    })
    const targets = queue.targets()
    const first = ++turns % Math.max(targets.length, 1) // rotates, as there may not be room for all
    for (const target of [...targets.slice(first), ...targets.slice(0, first)]) {
      const slots = Math.min(attemptsInFlight.slotsOf(target, all.length), MAX_IN_ROUND - all.length)
      if ((target.held_until ?? 0) > now || slots <= 0) continue
      const due = target.due_at !== null && target.due_at <= now ? queue.take(target, now, slots) : []
      const from = positionOf(target)
      const fresh = from < target.last_seq ? queue.plan(target, from, now, slots - due.length) : []
      for (const taken of [...due, ...fresh]) all.push({ taken, to: target, at: now, isProbe: isDown(target) })
    }
    return all
  }

  /** Returns a function for the secrets valid at a time; unseals the secrets of each webhook once. */
  function signing(at: number): (to: Receiver) => string[] {
    const cache = new Map<string, string[]>()
    return ({ id, secrets: sealed }) => {
      const signing = cache.get(sealed) ?? secrets.signing(id, sealed, at)
      cache.set(sealed, signing)
      return signing
    }
  }

  /** Returns the request to send; undefined if it cannot be built, which is recorded. */
  function attemptOf(inFlightTry: InFlight, secretsOf: (to: Receiver) => string[]): Attempt | undefined {
    const { taken, to, at } = inFlightTry
    const body = queue.bodyOf(taken)
    if (body === undefined) return giveUp(inFlightTry, 'The event is no longer stored and cannot be sent again.')
    try {
      const signed = signedHeaders({ id: taken.event_id, at, body }, secretsOf(to))
      const headers = { 'content-type': 'application/json', 'user-agent': userAgent, ...signed }
      return { url: to.url, headers, body }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (taken.type === TEST) return giveUp(inFlightTry, error.message)
      disable(to.org, to.id, `${error.message} Or rotate the secret of the webhook and set its status to active.`)
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
    attemptsInFlight.add(inFlightTry)
    const finish = (reply: Reply | undefined): void => {
      finished.push({ ...inFlightTry, reply })
      onResult()
    }
    post(attempt).then(finish, (error) => {
      rest(error)
      finish(undefined)
    })
  }

  /** Pauses all sending: the cause of one lost attempt would affect the next ones too. */
  function rest(error: unknown): void {
    const now = clock.now()
    if (restMs(now) === 0 && !isStopped)
      log.error({ err: error }, 'webhooks: results of attempts were lost; the attempts are repeated')
    restUntil = now + LOST_PAUSE_MS
  }

  /** Returns 0 if the wall clock was set back in the meantime. */
  function restMs(now: number): number {
    const left = restUntil - now
    return left > 0 && left <= LOST_PAUSE_MS ? left : 0
  }

  const unsubscribe = store.committed.subscribe(wake)
  wake()

  /** Takes no more deliveries and waits up to `graceMs` for attempts in flight; the next process repeats the rest. */
  async function stop(graceMs = GRACE_MS): Promise<void> {
    isStopped = true
    unsubscribe()
    clearImmediate(turn)
    await running
    clearTimeout(timer)
    await new Promise<void>((resolve) => {
      const cut = setTimeout(resolve, graceMs)
      onResult = () => {
        if (finished.length < attemptsInFlight.total()) return
        clearTimeout(cut)
        resolve()
      }
      onResult()
    })
    const results = finished
    finished = []
    if (results.length === 0) return
    try {
      countAll(results, await store.write(() => recordResults(results)))
    } catch (error) {
      if (!store.health.note(error))
        log.error({ err: error }, 'webhooks: results of attempts could not be stored; the attempts are repeated')
    }
  }

  return {
    stop,
    wake,
    /** Whether a round is running or requested; attempts in flight do not count. */
    isBusy: () => !isStopped && (isWanted || running !== undefined),
  }
}
