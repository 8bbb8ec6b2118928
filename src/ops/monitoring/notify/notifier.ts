import type { Clock } from '../../../lib/id.ts'
import type { Log } from '../../../lib/log.ts'
import { MINUTE_MS } from '../../../lib/time.ts'
import { type Memory, memoryFile, readMemory } from './memory.ts'
import {
  dueFor,
  type Found,
  failedToTell,
  NOTHING_TOLD,
  noted,
  onlyOf,
  type Told,
  toldNobody,
  toldOf,
} from './watched.ts'

/** One check of a message. Times are epoch milliseconds. */
export type Said = { check: string; status: 'warn' | 'fail' | 'pass'; detail: string; since: number }
/** `bad` are those that need somebody, `well` those that did when it was told of them. */
export type Message = { bad: Said[]; well: Said[]; at: number }

/** A way to tell. */
export type Channel = {
  name: 'screen' | 'mail' | 'url'
  /** What it is called among the recurring work, where its failures are noted. */
  work: string
  /** Returns false if there is nobody to tell. Rejects with one sentence, and is then tried again. */
  tell: (message: Message, signal: AbortSignal) => Promise<boolean>
}

/** The names of all checks, and what a look at them finds: see health.ts. */
export type Judge = { names: readonly string[]; findings: () => Record<string, Found> }

export type NotifierOptions = {
  dataDir: string
  clock: Pick<Clock, 'now'>
  log: Log
  judge: Judge
  channels: readonly Channel[]
  /** Notes how each attempt went, without an error if it went well. */
  outcome?: (work: string, error: string | undefined) => Promise<void>
}

export type Notifier = ReturnType<typeof startNotifier>

/** Looks each minute, so that nothing has to wait for a scheduler whose database cannot be written. */
const LOOK_EVERY_MS = MINUTE_MS
const LOOK = 'look at the health of the server'

/** Tells of checks that need somebody, and of those that are well again: docs/decisions/071-told-without-prometheus.md. */
export function startNotifier({ dataDir, clock, log, judge, channels, ...options }: NotifierOptions) {
  const { outcome = () => Promise.resolve() } = options
  const save = memoryFile(dataDir)
  const stopping = new AbortController()
  let memory: Memory = readMemory(dataDir)
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    const now = clock.now()
    try {
      memory = { ...memory, checks: noted(memory.checks, judge.names, judge.findings(), now) }
      await outcome(LOOK, undefined)
    } catch (error) {
      log.error({ job: LOOK, err: error }, 'failed')
      return outcome(LOOK, (error as Error).message)
    }
    save(memory)
    await Promise.all(channels.map((channel) => tell(channel, now))) // one that hangs holds up no other
    if (!stopping.signal.aborted) save(memory)
  }

  async function tell({ name, work, tell }: Channel, now: number): Promise<void> {
    const told = onlyOf(memory.told[name] ?? NOTHING_TOLD, judge.names)
    const due = dueFor(told, memory.checks, now)
    if (!due) return note(name, told)
    try {
      const isTold = await tell(messageOf(due, now), stopping.signal)
      note(name, isTold ? toldOf(told, due, now) : toldNobody(told))
      await outcome(work, undefined)
    } catch (error) {
      if (stopping.signal.aborted) return
      const { message } = error as Error
      if (told.error !== message) log.error({ job: work, reason: message }, 'failed')
      note(name, failedToTell(told, message, now))
      await outcome(work, message)
    }
  }

  function messageOf({ bad, well }: { bad: string[]; well: string[] }, at: number): Message {
    const said = (check: string): Said => {
      const { status = 'warn', detail = '', bad_since: since = at } = memory.checks[check] ?? {}
      return { check, status, detail, since }
    }
    return { bad: bad.map(said), well: well.map((check) => ({ ...said(check), status: 'pass' })), at }
  }

  function note(name: string, told: Told): void {
    if (!stopping.signal.aborted) memory = { ...memory, told: { ...memory.told, [name]: told } }
  }

  /** Looks and tells; resolves when all ways have ended. */
  function tick(): Promise<void> {
    if (stopping.signal.aborted) return Promise.resolve()
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }

  const timer = setInterval(tick, LOOK_EVERY_MS).unref()

  return {
    tick,
    memory: (): Memory => memory,
    /** Ends what is on its way: the next server tells it. */
    stop: async (): Promise<void> => {
      clearInterval(timer)
      stopping.abort(new Error('The server stops.'))
      await running
    },
  }
}
