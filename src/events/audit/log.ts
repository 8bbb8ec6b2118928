import type { Store } from '../../store/open.ts'
import { orgGate } from '../../store/orgs/org-states.ts'
import { type Detail, hashOf, type NewEntry, NO_HASH, type Row } from './entry.ts'

/** A longer detail is left out, so that no request decides how large the log becomes. */
const MAX_DETAIL = 4000

export const COLUMNS = 'org, seq, at, actor_type, actor_id, actor_email, via, action, record_id, detail, hash'

export type AuditLog = ReturnType<typeof auditLog>

/**
 * The audit log: who did what that is not a change of a record, which the events have. To write an entry, call `record`
 * in the transaction of what it is about, so that there is one for every commit and none for a rollback:
 *
 *     store.transaction(() => {
 *       ...
 *       auditLog(store).record({ org, actor: { type: 'server' }, action: 'backup.made', detail: { bytes } })
 *     })
 *
 * Most entries need no call: a command with `audit` writes by its `write` (src/command/audit-writes.ts), and a route has
 * `audit` (src/http/route.ts). See docs/decisions/037-audit-log.md.
 */
export function auditLog({ db, clock }: Pick<Store, 'db' | 'clock'>) {
  const publicId = db.prepare('SELECT public_id FROM orgs WHERE id = ?').pluck()
  const refuseMoved = orgGate(db)
  const email = db.prepare('SELECT email FROM members WHERE org_id = ? AND id = ?').pluck()
  const begin = db.prepare(
    'INSERT INTO audit_chains (org, anchor_hash, last_hash) VALUES (?, ?, ?) ON CONFLICT (org) DO NOTHING',
  )
  const end = db.prepare('SELECT last_seq, last_hash FROM audit_chains WHERE org = ?')
  const insert = db.prepare(`INSERT INTO audit_log (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const all = db.prepare(`SELECT ${COLUMNS} FROM audit_log WHERE org = ? ORDER BY seq`)
  const since = db.prepare(`SELECT ${COLUMNS} FROM audit_log WHERE org = ? AND at >= ? ORDER BY seq`)
  const newest = db.prepare(`SELECT ${COLUMNS} FROM audit_log WHERE org = ? ORDER BY seq DESC LIMIT ?`)

  const chains = db.prepare('SELECT org FROM audit_chains ORDER BY org').pluck()
  const withHash = db.prepare('SELECT 1 FROM audit_log WHERE org = ? AND hash = ?')

  /** The name of the chain of an organisation: its public id. That of the installation is ''. */
  const nameOf = (org: number | null): string => (org === null ? '' : (publicId.get(org) as string))

  /**
   * Adds an entry to the chain of its organisation, or to that of the installation. Throws Problem 421 if the organisation has
   * moved, and its chain with it: one that went on in two places could never come together again.
   */
  function record({ org, actor, action, record = null, detail = {} }: NewEntry): void {
    if (!db.inTransaction) throw new Error('An entry belongs to the transaction of what it is about.')
    if (org !== null) refuseMoved(org)
    const name = nameOf(org)
    const member = actor.type === 'member' ? actor.member : null
    begin.run(name, NO_HASH, NO_HASH)
    const { last_seq, last_hash } = end.get(name) as { last_seq: number; last_hash: string }
    const row = {
      org: name,
      seq: last_seq + 1,
      at: clock.now(),
      actor_type: actor.type,
      actor_id: member,
      actor_email: member === null ? null : ((email.get(org, member) as string | undefined) ?? null),
      via: 'via' in actor ? actor.via : null,
      action,
      record_id: record,
      detail: bounded(detail),
    }
    insert.run(...Object.values(row), hashOf(last_hash, row))
  }

  return {
    record,
    nameOf,
    /** The names of all chains, by which the others read. */
    chains: (): string[] => chains.all() as string[],
    all: (chain: string): IterableIterator<Row> => all.iterate(chain) as IterableIterator<Row>,
    since: (chain: string, at: number): Row[] => since.all(chain, at) as Row[],
    /** The last entries, oldest first. */
    newest: (chain: string, count: number): Row[] => (newest.all(chain, count) as Row[]).reverse(),
    has: (chain: string, hash: string): boolean => withHash.get(chain, hash) !== undefined,
  }
}

function bounded(detail: Detail): string {
  const text = JSON.stringify(detail)
  return text.length <= MAX_DETAIL ? text : '{"is_too_long":true}'
}
