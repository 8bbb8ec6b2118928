import { auditLog } from '../../events/audit/log.ts'
import type { Log } from '../../lib/log.ts'
import { conflict, Problem } from '../../lib/problem.ts'
import { lockRestore } from '../../store/folder/lock.ts'
import type { Store } from '../../store/open.ts'
import { eraser } from '../../store/orgs/erase.ts'
import { stagedOrgs } from '../../store/orgs/staged.ts'
import { SCHEMAS } from '../../store/schema/migrations.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import { checkFence } from '../../store/writes.ts'
import { type Arrival, arrivalStore, KEY_MS, type Prepared, wrongKey } from './arrivals.ts'
import { addSum, decode, type MovedRows, movedRows, rowSum } from './moved-rows.ts'
import type { Begun, Count, Counted, Hello, Outcome, Prepare, Rows, RowsStored } from './protocol.ts'
import { receivedOrg } from './received-org.ts'
import { openStaging, type Staging } from './second.ts'

/** Rows that are read at once, while other requests wait. */
const PAGE = 1000
/**
 * The clock of the source may be so far ahead: the last step waits for it, while writes wait there. More would put new ids
 * before those that have come.
 */
const MAX_AHEAD_MS = 1000
const ERASE_MS = 15
const REST_MS = 15
const CLEAN_EVERY_MS = 60_000

export type Arriving = ReturnType<typeof startArriving>

type Options = { store: Store; dataDir: string; log: Log }

/**
 * The side of a move that receives: rows go into a staged organisation, which nobody sees, by a connection of its own. The
 * last step makes it an open one, in one transaction.
 */
export function startArriving({ store, dataDir, log }: Options) {
  const { clock, health } = store
  const arrivals = arrivalStore(store)
  let staging: Staging | undefined
  let rows: { org: number; moved: MovedRows } | undefined
  let queue: Promise<unknown> = Promise.resolve()
  let isStopped = false
  let cleaning: Promise<void> | undefined
  const timer = setInterval(clean, CLEAN_EVERY_MS).unref()

  /** One request at a time, with the arrival of its key as it is then. Each extends the key: a move may take hours. */
  function perform(name: keyof typeof requests, id: string, body: object): Promise<object> {
    const next = queue.then(async () => {
      if (isStopped) throw new Problem(503, 'stopping', 'The server is shutting down.')
      await ready()
      return requests[name](await extended(id), body as never)
    })
    queue = next.catch(() => undefined)
    return next
  }

  let reset: Promise<void> | undefined
  /**
   * What this server did not receive itself begins anew: the last rows that were answered may be lost, by a power cut or in
   * a copy that took over. What was prepared is safe, see second.ts.
   */
  const ready = (): Promise<void> =>
    (reset ??= resetReceiving().catch((error) => {
      reset = undefined
      throw error
    }))

  async function resetReceiving(): Promise<void> {
    const all = arrivals.receiving()
    if (all.length > 0) await inTransaction(({ arrivals }) => all.forEach(arrivals.reset))
  }

  async function extended(id: string): Promise<Arrival> {
    const arrival = arrivals.get(id)
    if (!arrival) throw wrongKey()
    const isMoving = arrival.state === 'receiving' || arrival.state === 'prepared'
    if (!isMoving || arrival.expires_at - clock.now() > KEY_MS / 2) return arrival
    const next = { ...arrival, expires_at: clock.now() + KEY_MS }
    await inTransaction(({ arrivals }) => arrivals.set(next), false)
    return next
  }

  const connection = (): Staging => (staging ??= openStaging(store.db, () => checkFence(health)))

  function report(error: unknown): void {
    if (!isStopped && !health.note(error)) log.error({ err: error }, 'what a move left behind was not erased')
  }

  /** In a transaction of the staging connection, whose commits others see as those of another process. */
  function inTransaction<T>(job: (own: ReturnType<typeof stores>) => T, isLast = true): Promise<T> {
    const refusal = health.refusal()
    if (refusal) throw refusal
    const { db, write } = connection()
    return write(() => job(stores(db)), isLast).catch((error) => {
      health.note(error)
      throw error
    })
  }

  const known = new WeakMap<
    Database,
    { arrivals: ReturnType<typeof arrivalStore>; received: ReturnType<typeof receivedOrg> }
  >()
  function stores(db: Database) {
    const made = known.get(db) ?? { arrivals: arrivalStore({ db, clock }), received: receivedOrg(db) }
    known.set(db, made)
    return { ...made, audit: auditLog({ db, clock }).record }
  }

  function movedInto(org: number): MovedRows {
    if (rows?.org !== org) rows = { org, moved: movedRows(connection().db, store.vault, org) }
    return rows.moved
  }

  async function begin(arrival: Arrival, hello: Hello): Promise<Begun> {
    if (arrival.state === 'committed') throw used()
    checkSame(hello)
    const audit = await inTransaction((own) => {
      own.received.check(hello)
      own.arrivals.reset(arrival.id)
      const org = own.received.stage(hello, clock.now())
      const { move, public_id } = hello
      const expires_at = clock.now() + KEY_MS
      own.arrivals.set({ ...arrival, move, public_id, org, state: 'receiving', prepared: null, expires_at })
      const detail = { move: hello.move, org_id: hello.public_id }
      own.audit({ org: null, actor: { type: 'server' }, action: 'org.receiving', record: hello.public_id, detail })
      return own.received.auditEnd(public_id)
    })
    rows = undefined
    return { audit }
  }

  function checkSame({ schema, dealbox_version, now }: Hello): void {
    if (schema !== SCHEMAS.at(-1)?.hash)
      throw conflict(
        'other_version',
        `The other server runs Dealbox ${dealbox_version}, whose tables are not the same. Upgrade the older one first.`,
      )
    if (now - clock.now() > MAX_AHEAD_MS)
      throw conflict(
        'clock_behind',
        'The clock of the receiving server is behind that of the other one. Set both by NTP.',
      )
  }

  async function put(arrival: Arrival, { move, pieces, audit, check }: Rows): Promise<RowsStored> {
    const org = receiving(arrival, move)
    const moved = movedInto(org)
    let [count, sum] = [0, 0n]
    await inTransaction(({ arrivals }) => {
      for (const { table, rows, gone } of pieces) {
        for (const values of rows) moved.put(table, values)
        for (const key of gone) moved.remove(table, key)
        count += rows.length
      }
      for (const entry of audit) arrivals.addAudit(arrival.id, entry[1] as number, JSON.stringify(entry))
    }, false)
    if (check)
      for (const { table, rows, gone } of pieces) {
        const keys = [...rows.map((values) => moved.keyOf(table, values)), ...gone.map((key) => key.map(decode))]
        for (const key of keys) {
          const stored = moved.get(table, key)
          if (stored) sum = addSum(sum, rowSum(stored))
        }
      }
    if (store.upkeep.isDue() || pieces.some(({ table }) => table === 'search')) store.upkeep.stepOfCommand()
    return { rows: count, sum: String(sum) }
  }

  async function count(arrival: Arrival, { move, table, after }: Count): Promise<Counted> {
    const moved = movedInto(receiving(arrival, move))
    let [rows, sum, next] = [0, 0n, null as Counted['next']]
    for (const { values, at } of moved.page(table, after, PAGE)) {
      sum = addSum(sum, rowSum(values))
      next = at
      rows++
    }
    return { rows, sum: String(sum), next: rows < PAGE ? null : next }
  }

  async function prepare(arrival: Arrival, { move, now, org, chain }: Prepare): Promise<object> {
    receiving(arrival, move, 'prepared')
    if (now - clock.now() > MAX_AHEAD_MS) throw conflict('clock_behind', 'The clock of the receiving server is behind.')
    while (clock.now() < now) await new Promise((resolve) => setTimeout(resolve, 5))
    await inTransaction(({ arrivals }) =>
      arrivals.set({ ...arrival, state: 'prepared', prepared: JSON.stringify({ org, chain }) }),
    )
    return {}
  }

  async function commit(arrival: Arrival, { move }: { move: string }): Promise<Outcome> {
    if (arrival.state === 'committed' && arrival.move === move) return { outcome: 'committed' }
    if (arrival.state !== 'prepared' || arrival.move !== move) throw ended()
    const { org, public_id: publicId, prepared } = arrival as { org: number; public_id: string; prepared: string }
    const given = JSON.parse(prepared) as Prepared
    await inTransaction((own) => {
      own.received.check({ public_id: publicId, name: String(given.org.name), host: given.org.host as string | null })
      own.received.install(org, publicId, given, clock.now())
      own.received.installAudit(publicId, given, own.arrivals.audit(arrival.id))
      own.arrivals.removeAudit(arrival.id)
      own.arrivals.set({ ...arrival, state: 'committed', prepared: null })
      own.audit({ org, actor: { type: 'server' }, action: 'org.received', record: publicId, detail: { move } })
    })
    store.accessChanged()
    return { outcome: 'committed' }
  }

  /** Ends a move, unless it is at its end already. Returns its outcome. */
  async function abort(arrival: Arrival, { move }: { move: string }): Promise<Outcome> {
    if (arrival.move !== move) return { outcome: 'none' }
    if (arrival.state === 'committed') return { outcome: 'committed' }
    await inTransaction((own) => {
      own.arrivals.reset(arrival.id)
      const record = arrival.public_id
      own.audit({ org: null, actor: { type: 'server' }, action: 'org.receiving_ended', record, detail: { move } })
    })
    clean()
    return { outcome: 'none' }
  }

  function clean(): void {
    cleaning ??= cleanUp()
      .catch(report)
      .finally(() => {
        cleaning = undefined
      })
  }

  /** Erases what moves left behind that came to nothing, a little at a time. */
  async function cleanUp(): Promise<void> {
    if (isStopped) return
    await ready()
    await inTransaction(({ arrivals }) => arrivals.expire())
    if (stagedOrgs(store.db).length === 0) return
    const release = lock()
    if (!release) return
    try {
      for (const org of stagedOrgs(store.db)) await erase(org)
    } finally {
      release()
    }
  }

  async function erase(org: number): Promise<void> {
    const { db, write } = connection()
    const step = eraser(db, org)
    for (let isDone = false; !isDone && !isStopped; ) {
      const began = performance.now()
      isDone = await write(() => step(() => performance.now() - began > ERASE_MS))
      await new Promise((resolve) => setTimeout(resolve, REST_MS))
    }
  }

  /** A command may be filling a staged organisation. */
  function lock(): (() => void) | undefined {
    try {
      return lockRestore(dataDir)
    } catch (error) {
      if (error instanceof Problem) return undefined
      throw error
    }
  }

  const requests = { begin, rows: put, count, prepare, commit, abort }

  return {
    open: arrivals.open,
    isRequest: (name: string): name is keyof typeof requests => Object.hasOwn(requests, name),
    perform,
    stop: async (): Promise<void> => {
      isStopped = true
      clearInterval(timer)
      await Promise.all([queue, cleaning])
      staging?.close()
    },
  }
}

/** The number of the organisation that a request belongs to. Throws Problem 409 if the move has ended. */
function receiving({ state, move, org }: Arrival, asked: string, ...more: Arrival['state'][]): number {
  if (move !== asked || org === null || !['receiving', ...more].includes(state)) throw ended()
  return org
}

const ended = () =>
  conflict('move_ended', 'This move has ended, was never begun, or the server was restarted. Begin it again.')
const used = () =>
  conflict('key_used', 'An organisation was received with this key. Make another one with "dealbox org receive".')
