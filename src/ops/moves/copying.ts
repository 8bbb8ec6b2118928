import { conflict, Problem } from '../../lib/problem.ts'
import type { Store } from '../../store/open.ts'
import { changedRows } from './changed-rows.ts'
import type { Client, Patience } from './client.ts'
import { addSum, encode, type MovedRows, movedRows, rowSum, type Value } from './moved-rows.ts'
import type { Count, Counted, Piece, Rows, RowsStored } from './protocol.ts'
import { leavingOrg } from './received-org.ts'
import type { Reader } from './second.ts'

/** A request has so much; a single row may be larger. */
const PIECE_ROWS = 500
const PIECE_CHARS = 512 * 1024
/** The round in the pause has about as much as the one before, which therefore has to be short. */
const SHORT_MS = 700
const MAX_ROUNDS = 50
const AUDIT_PAGE = 500
const CONTENTS = 'file_contents'

type Changed = Piece & { rows: Value[][]; gone: Value[][] }

type Options = {
  vault: Store['vault']
  org: number
  move: string
  client: Client
  reader: Reader
  onProgress: (stage: 'copying' | 'comparing', rows: number) => void
}

export type Copier = ReturnType<typeof copier>

/** Copies the rows of an organisation to another server while they are used. */
export function copier({ vault, org, move, client, reader, onProgress }: Options) {
  const moved = movedRows(reader.db, vault, org)
  const changed = changedRows(reader.db)
  const leaving = leavingOrg(reader.db, org)
  let [rows, changes] = [0, 0]
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

  /** Sends what has changed since the last round, as it is at one moment, and compares it there. */
  async function round(): Promise<void> {
    reader.begin()
    try {
      await sendChanges()
    } finally {
      reader.end()
    }
  }

  async function sendChanges(): Promise<void> {
    const upTo = changed.last()
    let pieces: Changed[] = []
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
    async function add(table: string, what: 'rows' | 'gone', values: Value[], size: number): Promise<void> {
      const last = pieces.at(-1)
      const piece: Changed = last?.table === table ? last : { table, rows: [], gone: [] }
      if (piece !== last) pieces.push(piece)
      piece[what].push(values)
      chars += size
      if (++waiting >= PIECE_ROWS || chars >= PIECE_CHARS) await flush()
    }
    async function addRows(table: string, keys: readonly unknown[][]): Promise<Value[][]> {
      const gone: Value[][] = []
      for (const key of keys) {
        const values = moved.get(table, key)
        if (values) await add(table, 'rows', values, JSON.stringify(values).length)
        else gone.push(key.map(encode))
      }
      return gone
    }
    // Rows before those that are gone, and contents of files last: a trigger deletes a content with the last row that has
    // it, and others may have it by then.
    const gone = new Map<string, Value[][]>()
    const all = [...changed.between(sentUpTo, upTo)].map(([table, keys]) => {
      const length = moved.keyLengthOf(table)
      return [table, keys.map((key) => key.slice(0, length))] as const
    })
    for (const [table, keys] of all) if (table !== CONTENTS) gone.set(table, await addRows(table, keys))
    for (const [table, keys] of gone) for (const key of keys) await add(table, 'gone', key, 50)
    for (const [table, keys] of all)
      if (table === CONTENTS) for (const key of await addRows(table, keys)) await add(table, 'gone', key, 50)
    do await flush()
    while (leaving.auditAfter(auditSent, 1).length > 0)
    sentUpTo = upTo
    changes += all.reduce((sum, [, keys]) => sum + keys.length, 0)
  }

  async function untilShort(): Promise<void> {
    for (let count = 0; count < MAX_ROUNDS; count++) {
      const began = performance.now()
      await round()
      if (performance.now() - began < SHORT_MS) return
    }
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

  return {
    copyAll,
    round,
    untilShort,
    compare,
    prepared: leaving.prepared,
    /** For all further requests. */
    setPatience: (next: Patience): void => void (patience = next),
    counts: () => ({ rows, changes }),
  }
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
