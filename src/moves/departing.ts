import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { version } from '../assets.ts'
import type { Actor } from '../audit/entry.ts'
import { auditLog } from '../audit/log.ts'
import type { Keyring } from '../auth/keys.ts'
import { conflict, Problem } from '../lib/problem.ts'
import { changedRows } from '../store/departing.ts'
import { isServed, lockMove } from '../store/lock.ts'
import { SCHEMAS } from '../store/migrations.ts'
import { addSum, encode, type MovedRows, movedRows, rowSum, type Value } from '../store/moved-rows.ts'
import type { Store } from '../store/open.ts'
import type { Org } from '../store/orgs.ts'
import { openReader, type Reader } from '../store/second.ts'
import { type Client, movesClient, type Patience } from './client.ts'
import { type Departure, departureStore } from './departures.ts'
import type { Count, Counted, Hello, Piece, Prepare, Rows, RowsStored } from './protocol.ts'
import { leavingOrg } from './received-org.ts'
import { settle } from './settle.ts'

/** A request has so much; a single row may be larger. */
const PIECE_ROWS = 500
const PIECE_CHARS = 512 * 1024
/** So few changes are left for the pause. */
const FEW = 500
const MAX_ROUNDS = 50
/** Attempts in flight end within this time; a mail may take longer, and then the move fails. */
const MAX_DRAIN_MS = 60_000
const LOOK_EVERY_MS = 50
const AUDIT_PAGE = 500
/** Somebody waits: rather begin anew. */
const IN_PAUSE: Patience = { tries: 1, timeoutMs: 4000 }

export type Stage = 'copying' | 'comparing' | 'leaving' | 'finishing'

export type Departing = {
  store: Store
  dataDir: string
  keyring: Keyring
  org: Org
  url: string
  /** What clients are told afterwards. */
  address: string
  key: string
  ca?: string | undefined
  actor: Actor
  signal?: AbortSignal
  onProgress?: (stage: Stage, rows: number) => void
}

export type Departed = { move: string; rows: number; changes: number; paused_ms: number; address: string }

/**
 * Moves an organisation to another server. Its rows are copied while it is used, then what has changed meanwhile, in rounds,
 * and compared; then nothing is sent any more, writes wait, and the last changes follow. Only then it is there and not here
 * any more. Whatever fails before leaves it here. Throws Problem.
 */
export async function moveOrg(given: Departing): Promise<Departed> {
  const { store, dataDir, org } = given
  const release = lockMove(dataDir)
  const reader = openReader(store.db)
  const client = movesClient(given)
  const departures = departureStore(store)
  const move = randomUUID()
  const record = (action: string, detail: object = {}): void =>
    auditLog(store).record({
      org: null,
      actor: given.actor,
      action,
      record: org.public_id,
      detail: { move, ...detail },
    })
  let departure: Departure | undefined
  try {
    await settleEarlier(given, record)
    const { id, public_id } = org
    await client.call('begin', helloOf(given, move), { tries: 1 })
    departures.begin(
      {
        ...{
          org: id,
          public_id,
          id: move,
          url: given.url,
          address: given.address,
          key: given.key,
          ca: given.ca ?? null,
        },
        tokenKeys: given.keyring.publicKeys(),
      },
      () => record('org.move_begun', { url: given.url }),
    )
    departure = departures.all().find((each) => each.id === move) as Departure
    const copied = await copier(given, { move, client, reader }).run(departures)
    departures.gone(org.id, given.address, () => record('org.moved', { address: given.address }))
    return { move, ...copied(), address: given.address }
  } catch (error) {
    if (!departure) throw error
    const asked = departures.all().find((each) => each.id === move)
    if (!asked) throw error
    const outcome = await settle({ store, departure: asked, actor: given.actor, tries: 20 })
    if (outcome === 'moved') return { move, rows: 0, changes: 0, paused_ms: 0, address: given.address }
    throw outcome === 'unknown' ? inDoubt(given, error) : error
  } finally {
    client.close()
    reader.close()
    release()
  }
}

/** What an interrupted move of this folder left open. */
async function settleEarlier({ store, org, actor }: Departing, _record: unknown): Promise<void> {
  for (const departure of departureStore(store).all()) {
    const outcome = await settle({ store, departure, actor, tries: 3 })
    if (outcome === 'unknown') throw stillInDoubt(departure)
    if (outcome === 'moved' && departure.org === org.id)
      throw conflict('moved', `An interrupted move had been completed: the organisation is at ${departure.address}.`)
  }
}

function helloOf({ store, org }: Departing, move: string): Hello {
  const { public_id, name, host } = org
  const schema = SCHEMAS.at(-1)?.hash as string
  return { move, public_id, name, host, schema, dealbox_version: version, now: store.clock.now() }
}

type Means = { move: string; client: Client; reader: Reader }

function copier(
  { store, dataDir, org, signal, onProgress = () => undefined }: Departing,
  { move, client, reader }: Means,
) {
  const { db, clock, vault } = store
  const moved = movedRows(reader.db, vault, org.id)
  const changed = changedRows(reader.db)
  const leaving = leavingOrg(reader.db, org.id)
  let [rows, changes, pausedMs] = [0, 0, 0]
  let sentUpTo = 0
  let auditSent = 0
  let patience: Patience = {}

  const send = (pieces: readonly Piece[], check: boolean, audit: readonly Value[][] = []): Promise<RowsStored> =>
    client.call<RowsStored>('rows', { move, pieces, audit, check } satisfies Rows, patience)

  /** Copies all rows, page by page, each as of its own moment: what changes before or after is sent again. */
  async function copyAll(): Promise<void> {
    for (const table of moved.names) {
      let after: readonly Value[] | null = null
      do {
        const { piece, next } = pageOf(table, after)
        after = next
        if (piece.rows.length > 0) await send([piece], false)
        rows += piece.rows.length
        onProgress('copying', rows)
      } while (after !== null)
    }
  }

  function pageOf(table: string, after: readonly Value[] | null): { piece: Piece; next: readonly Value[] | null } {
    const all: Value[][] = []
    let chars = 0
    for (const { values, at } of moved.page(table, after, PIECE_ROWS)) {
      all.push(values)
      chars += JSON.stringify(values).length
      if (all.length >= PIECE_ROWS || chars >= PIECE_CHARS) return { piece: { table, rows: all, gone: [] }, next: at }
    }
    return { piece: { table, rows: all, gone: [] }, next: null }
  }

  /** Sends what has changed since the last round, as it is at one moment, and compares it there. Returns how much. */
  async function round(): Promise<number> {
    reader.begin()
    try {
      return await sendChanges()
    } finally {
      reader.end()
    }
  }

  async function sendChanges(): Promise<number> {
    const upTo = changed.last()
    let count = 0
    let pieces: Piece[] = []
    let [chars, waiting] = [0, 0]
    async function flush(): Promise<void> {
      const audit = leaving.auditAfter(auditSent, AUDIT_PAGE)
      if (pieces.length === 0 && audit.length === 0) return
      const expected = pieces.flatMap((piece) => piece.rows).reduce((sum, values) => addSum(sum, rowSum(values)), 0n)
      const { sum } = await send(pieces, true, audit)
      if (sum !== String(expected)) throw differs(pieces.map(({ table }) => table).join(', '))
      auditSent = (audit.at(-1)?.[1] as number | undefined) ?? auditSent
      pieces = []
      chars = 0
      waiting = 0
    }
    for (const [table, keys] of changed.between(sentUpTo, upTo)) {
      let piece = newPiece(table)
      const length = moved.keyLengthOf(table)
      for (const all of keys) {
        const key = all.slice(0, length)
        const values = moved.get(table, key)
        if (values) piece.rows.push(values)
        else piece.gone.push(key.map(encode))
        chars += values ? JSON.stringify(values).length : 50
        count++
        if (++waiting < PIECE_ROWS && chars < PIECE_CHARS) continue
        pieces.push(piece)
        await flush()
        piece = newPiece(table)
      }
      if (piece.rows.length + piece.gone.length > 0) pieces.push(piece)
    }
    do await flush()
    while (leaving.auditAfter(auditSent, 1).length > 0)
    sentUpTo = upTo
    changes += count
    return count
  }

  const newPiece = (table: string) => ({ table, rows: [] as Value[][], gone: [] as Value[][] })

  async function untilFew(): Promise<void> {
    for (let count = 0; count < MAX_ROUNDS; count++) if ((await round()) <= FEW) return
    throw conflict(
      'too_many_changes',
      'The organisation changes faster than it can be copied. Try again when it is used less.',
    )
  }

  /** Compares all rows of all tables, as of one moment, with those that have arrived. */
  async function compare(): Promise<void> {
    reader.begin()
    try {
      await sendChanges()
      for (const table of moved.names) {
        onProgress('comparing', rows)
        const here = sumOf(moved, table)
        const there = await sumThere(table)
        if (here.rows !== there.rows || here.sum !== there.sum) throw differs(table)
      }
    } finally {
      reader.end()
    }
  }

  async function sumThere(table: string): Promise<{ rows: number; sum: bigint }> {
    let [rows, sum] = [0, 0n]
    let after: readonly Value[] | null = null
    do {
      const part: Counted = await client.call<Counted>('count', { move, table, after } satisfies Count)
      rows += part.rows
      sum = addSum(sum, BigInt(part.sum))
      after = part.next
    } while (after !== null)
    return { rows, sum }
  }

  /** Waits until what is being sent is done, and copies its results. */
  async function drain(departures: ReturnType<typeof departureStore>): Promise<void> {
    const until = performance.now() + MAX_DRAIN_MS
    while (isServed(dataDir) && departures.sending(org.id) > 0) {
      if (performance.now() > until)
        throw conflict('still_sending', 'A mail or a webhook of the organisation is still being sent. Try again later.')
      signal?.throwIfAborted()
      await sleep(LOOK_EVERY_MS)
    }
  }

  async function run(departures: ReturnType<typeof departureStore>): Promise<() => Omit<Departed, 'move' | 'address'>> {
    await copyAll()
    await untilFew()
    await compare()
    await untilFew()
    onProgress('leaving', rows)
    departures.leave(org.id)
    await drain(departures)
    await untilFew()
    onProgress('finishing', rows)
    const began = performance.now()
    patience = IN_PAUSE
    departures.pause(org.id)
    await round()
    await client.call('prepare', { move, now: clock.now(), ...leaving.prepared() } satisfies Prepare, patience)
    signal?.throwIfAborted()
    departures.ask(org.id)
    await client.call('commit', { move }, patience)
    return () => {
      pausedMs = performance.now() - began
      return { rows, changes, paused_ms: Math.round(pausedMs) }
    }
  }

  void db
  return { run }
}

function sumOf(moved: MovedRows, table: string): { rows: number; sum: bigint } {
  let [rows, sum] = [0, 0n]
  for (const { values } of moved.page(table, null, -1)) {
    sum = addSum(sum, rowSum(values))
    rows++
  }
  return { rows, sum }
}

const differs = (tables: string): Problem =>
  new Problem(500, 'copies_differ', `What arrived is not what was sent (${tables}). The organisation stays here.`)

const inDoubt = ({ org, url }: Departing, cause: unknown): Problem =>
  new Problem(
    502,
    'in_doubt',
    `${org.name} may be at ${url} already, which does not answer (${(cause as Error).message}). Its writes wait until it does: the server here keeps asking.`,
  )

const stillInDoubt = ({ url }: Departure): Problem =>
  new Problem(
    502,
    'in_doubt',
    `An interrupted move may have been completed at ${url}, which does not answer. Try again later.`,
  )
