import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { Problem } from '../../lib/problem.ts'
import { HOUR_MS } from '../../lib/time.ts'
import type { Store } from '../../store/open.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import type { Prepare } from './protocol.ts'

// One-time keys to receive an organisation, and what came of them. Only hashes of the keys are stored.

/** A key that is not used expires, and so does a move that stands still. */
export const KEY_MS = HOUR_MS

const SECRET_BYTES = 32
/** What a key looks like; see `make`. */
export const KEY = /^dbxmove_([0-9a-f-]{36})_([A-Za-z0-9_-]{43})$/

export type Arrival = {
  id: string
  state: 'waiting' | 'receiving' | 'prepared' | 'committed'
  expires_at: number
  move: string | null
  public_id: string | null
  org: number | null
  prepared: string | null
}

/** Functions that write must be called in a transaction. */
export function arrivalStore({ db, clock }: Pick<Store, 'clock'> & { db: Database }) {
  const columns = 'id, state, expires_at, move, public_id, org, prepared'
  const insert = db.prepare(
    "INSERT INTO arrivals (id, hash, created_at, expires_at, state) VALUES (?, ?, ?, ?, 'waiting')",
  )
  const byId = db.prepare(`SELECT ${columns}, hash FROM arrivals WHERE id = ?`)
  const update = db.prepare(
    'UPDATE arrivals SET state = @state, expires_at = @expires_at, move = @move, public_id = @public_id, org = @org, prepared = @prepared WHERE id = @id',
  )
  const expired = db.prepare(`SELECT ${columns} FROM arrivals WHERE expires_at <= ? AND state <> 'committed'`)
  const remove = db.prepare('DELETE FROM arrivals WHERE id = ?')
  const receiving = db.prepare("SELECT id FROM arrivals WHERE state = 'receiving'").pluck()
  const removeAudit = db.prepare('DELETE FROM arriving_audit WHERE arrival = ?')
  const addAudit = db.prepare('INSERT OR REPLACE INTO arriving_audit (arrival, seq, entry) VALUES (?, ?, ?)')
  const audit = db.prepare('SELECT entry FROM arriving_audit WHERE arrival = ? ORDER BY seq').pluck()

  /** Makes a key, which is not stored: only this result has it. */
  function make(): { id: string; key: string; expires_at: number } {
    const [id, secret] = [clock.id(), randomBytes(SECRET_BYTES).toString('base64url')]
    const now = clock.now()
    insert.run(id, hashOf(secret), now, now + KEY_MS)
    return { id, key: `dbxmove_${id}_${secret}`, expires_at: now + KEY_MS }
  }

  /** Throws Problem 401. */
  function open(key: string): Arrival {
    const [, id = '', secret = ''] = KEY.exec(key) ?? []
    const { hash: stored = hashOf(''), ...arrival } = (byId.get(id) ?? {}) as Partial<Arrival> & { hash?: string }
    const isRight = timingSafeEqual(Buffer.from(stored), Buffer.from(hashOf(secret)))
    if (!isRight || arrival.id === undefined) throw wrongKey()
    const known = arrival as Arrival
    if (known.state !== 'committed' && known.expires_at <= clock.now()) throw wrongKey()
    return known
  }

  /** What is received begins anew. The staged organisation is left behind, and erased later. */
  function reset(id: string): void {
    removeAudit.run(id)
    const { expires_at } = byId.get(id) as Arrival
    update.run({ id, state: 'waiting', expires_at, move: null, public_id: null, org: null, prepared: null })
  }

  return {
    make,
    open,
    reset,
    get: (id: string): Arrival | undefined => byId.get(id) as Arrival | undefined,
    receiving: (): string[] => receiving.all() as string[],
    set: (arrival: Arrival): void => void update.run(arrival),
    /** Forgets keys that have expired, and what was received with them. */
    expire: (): void => {
      for (const { id } of expired.all(clock.now()) as Arrival[]) {
        removeAudit.run(id)
        remove.run(id)
      }
    },
    addAudit: (id: string, seq: number, entry: string): void => void addAudit.run(id, seq, entry),
    audit: (id: string): unknown[][] => (audit.all(id) as string[]).map((entry) => JSON.parse(entry)),
    removeAudit: (id: string): void => void removeAudit.run(id),
  }
}

export type Prepared = Pick<Prepare, 'org' | 'chain'>

const hashOf = (secret: string): string => hash('sha256', secret)

export const wrongKey = (): Problem =>
  new Problem(401, 'wrong_key', 'The key is wrong, was used, or has expired. Make one with "dealbox org receive".', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
