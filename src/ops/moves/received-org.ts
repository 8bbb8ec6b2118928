import { randomUUID } from 'node:crypto'
import { hashOf, type Row } from '../../events/audit/entry.ts'
import { COLUMNS } from '../../events/audit/log.ts'
import { conflict } from '../../lib/problem.ts'
import { stageOrg } from '../../store/orgs/staged.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import type { Prepared } from './arrivals.ts'
import { decode, encode, type Value } from './moved-rows.ts'
import { type Begun, type Hello, ORG_COLUMNS } from './protocol.ts'

// The row of an organisation that arrives, and its audit log.

type Known = { id: number; state: string; host: string | null }
const NAMES = COLUMNS.split(', ')

type Ends = { last_seq: number; last_hash: string }

/** Functions that write must be called in a transaction. */
export function receivedOrg(db: Database) {
  const byPublicId = db.prepare('SELECT id, state, host FROM orgs WHERE public_id = ?')
  const withHost = db.prepare("SELECT name FROM orgs WHERE host = ? AND public_id <> ? AND state <> 'staged'").pluck()
  const setColumns = db.prepare(
    `UPDATE orgs SET ${ORG_COLUMNS.map((name) => `${name} = @${name}`).join(', ')} WHERE id = @id`,
  )
  const open = db.prepare("UPDATE orgs SET public_id = ?, state = 'open' WHERE id = ?")
  const leave = db.prepare("UPDATE orgs SET public_id = ?, state = 'staged', moved_to = NULL, host = NULL WHERE id = ?")
  const releaseJobs = db.prepare('UPDATE jobs SET leased_until = ? WHERE org_id = ? AND leased_until IS NOT NULL')
  const releaseDeliveries = db.prepare(
    'UPDATE deliveries SET leased_until = NULL, due_at = ? WHERE org_id = ? AND leased_until IS NOT NULL',
  )
  const ends = db.prepare('SELECT last_seq, last_hash FROM audit_chains WHERE org = ?')
  const beginChain = db.prepare(
    'INSERT INTO audit_chains (org, anchor_seq, anchor_hash, last_seq, last_hash) VALUES (@org, @seq, @hash, @seq, @hash)',
  )
  const skipTo = db.prepare(
    'UPDATE audit_chains SET anchor_seq = @seq, anchor_hash = @hash, last_seq = @seq, last_hash = @hash WHERE org = @org',
  )
  const addEntry = db.prepare(`INSERT INTO audit_log (${COLUMNS}) VALUES (${NAMES.map(() => '?').join(', ')})`)

  /** Throws Problem 409 if the organisation cannot come here. */
  function check({ public_id, name, host }: Pick<Hello, 'public_id' | 'name' | 'host'>): void {
    const known = byPublicId.get(public_id) as Known | undefined
    if (known && known.state !== 'moved')
      throw conflict('org_exists', `The organisation ${name} (${public_id}) is there already.`)
    const other = host === null ? undefined : (withHost.get(host, public_id) as string | undefined)
    if (other !== undefined)
      throw conflict(
        'host_taken',
        `The host name ${host} belongs to the organisation ${other} there; change one of them.`,
      )
  }

  const stage = ({ name }: Hello, now: number): number =>
    stageOrg(db, { name, timezone: 'UTC', currency: 'EUR', last_seq: 0 }, now)

  /** Makes the staged organisation an open one. One that left before and comes back takes the place of what it left. */
  function install(org: number, publicId: string, { org: columns }: Prepared, now: number): void {
    const before = byPublicId.get(publicId) as Known | undefined
    if (before) leave.run(`staged ${randomUUID()}`, before.id)
    setColumns.run({
      ...Object.fromEntries(ORG_COLUMNS.map((name) => [name, decode(columns[name] as Value)])),
      id: org,
    })
    open.run(publicId, org)
    releaseJobs.run(now, org)
    releaseDeliveries.run(now, org)
  }

  /** Continues the chain of the audit log that the organisation brings. Throws Problem 409 if it is another one than here. */
  function installAudit(publicId: string, { chain }: Prepared, entries: readonly unknown[][]): void {
    if (!chain) return
    const start = { org: publicId, seq: chain.anchor_seq, hash: chain.anchor_hash }
    let here = ends.get(publicId) as Ends | undefined
    if (!here) beginChain.run(start)
    else if (here.last_seq < chain.anchor_seq) skipTo.run(start)
    here = ends.get(publicId) as Ends
    let previous = here.last_hash
    for (const entry of entries) {
      const [seq, hash] = [entry[1] as number, entry.at(-1) as string]
      if (seq <= chain.anchor_seq || seq > chain.last_seq) continue
      if (seq === here.last_seq && here.last_hash !== hash) throw otherLog()
      if (seq <= here.last_seq) continue
      const row = Object.fromEntries(NAMES.map((name, at) => [name, entry[at]])) as Row
      if (hashOf(previous, { ...row, org: publicId }) !== hash) throw otherLog()
      addEntry.run(publicId, ...entry.slice(1)) // of this organisation, whatever it says
      previous = hash
    }
    const { last_seq, last_hash } = ends.get(publicId) as Ends
    if (last_seq !== chain.last_seq || last_hash !== chain.last_hash) throw otherLog()
  }

  function auditEnd(publicId: string): Begun['audit'] {
    const known = ends.get(publicId) as Ends | undefined
    return known ? { seq: known.last_seq, hash: known.last_hash } : null
  }

  return { check, stage, install, installAudit, auditEnd }
}

export const otherLog = () =>
  conflict(
    'other_audit_log',
    'The audit log of the organisation does not continue the part of it at the receiving server, where it was used after it had left. Choose another server.',
  )

/** The ends of the chain of an organisation, and its row, as the other server gets them. */
export function leavingOrg(db: Database, org: number) {
  const columns = db.prepare(`SELECT ${ORG_COLUMNS.join(', ')} FROM orgs WHERE id = ?`).safeIntegers()
  const chain = db.prepare(
    `SELECT anchor_seq, anchor_hash, last_seq, last_hash FROM audit_chains
     WHERE org = (SELECT public_id FROM orgs WHERE id = ?)`,
  )
  const entries = db
    .prepare(
      `SELECT ${COLUMNS} FROM audit_log WHERE org = (SELECT public_id FROM orgs WHERE id = ?) AND seq > ?
       ORDER BY seq LIMIT ?`,
    )
    .raw()
  const hashAt = db
    .prepare(
      `SELECT 1 FROM audit_log WHERE org = (SELECT public_id FROM orgs WHERE id = @org) AND seq = @seq AND hash = @hash
       UNION ALL SELECT 1 FROM audit_chains WHERE org = (SELECT public_id FROM orgs WHERE id = @org)
         AND (anchor_seq > @seq OR anchor_seq = @seq AND anchor_hash = @hash)`,
    )
    .pluck()
  return {
    /** Whether its audit log continues what the other server has of it. Older entries than its first are not compared. */
    continues: (audit: Begun['audit']): boolean =>
      audit === null || audit.seq === 0 || hashAt.get({ org, ...audit }) !== undefined,
    prepared: (): Prepared => {
      const row = columns.get(org) as Record<string, unknown>
      return {
        org: Object.fromEntries(Object.entries(row).map(([name, value]) => [name, encode(value)])),
        chain: (chain.get(org) as Prepared['chain'] | undefined) ?? null,
      }
    },
    auditAfter: (seq: number, limit: number): Value[][] => entries.all(org, seq, limit) as Value[][],
  }
}
