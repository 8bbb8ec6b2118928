import { columns as memberColumns, memberSettings } from '../crm/members/settings.ts'
import { MAX_AHEAD_MS, timeOfId } from '../lib/id.ts'
import { conflict, Problem } from '../lib/problem.ts'
import type { OrgSettings } from '../settings/org.ts'
import { eraser } from '../store/erase.ts'
import { lockInstance } from '../store/lock.ts'
import { newestId } from '../store/newest.ts'
import type { Store } from '../store/open.ts'
import { rows } from '../store/rows.ts'
import { stagedId } from '../store/staged.ts'
import type { Part } from './parts.ts'

// The organisation that an export comes into: what it may have, and what becomes of that.

/** What every organisation has from the start, and what an export brings along. */
const SETTINGS_TABLES = [
  'members',
  'pipelines',
  'stages',
  'close_reasons',
  'sla_policies',
  'sequence_versions',
  'sequences',
  'mailboxes',
  'hours',
]

/** Also where all records were deleted: the events tell of them, and would have to be counted on. */
export function refuseUnlessEmpty({ db }: Store, org: number, parts: readonly Part[]): void {
  for (const { table } of parts) {
    if (SETTINGS_TABLES.includes(table)) continue
    if (!db.prepare(`SELECT 1 FROM ${table} WHERE org_id = ? LIMIT 1`).get(org)) continue
    const what = table.replaceAll('_', ' ')
    throw conflict(
      'not_empty',
      `The organisation has ${what} already; an export goes into a new one, as "dealbox init" makes it.`,
    )
  }
}

/** A new organisation that is to take the place of another; nobody can name it before. Answers its number. */
export function stage({ db, clock }: Store, settings: OrgSettings, lastSeq: number): number {
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO orgs (public_id, name, timezone, currency, public_base_url, last_seq, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      stagedId(),
      settings.name,
      settings.timezone,
      settings.currency,
      settings.public_base_url ?? null,
      lastSeq, // before the records: webhooks go on behind the events that came along
      clock.now(),
    )
  return Number(lastInsertRowid)
}

/** `members_left`: the emails of members who were here, are not in the export, and left. */
export type Replaced = { members_left: string[]; tokens_ended: number }

/**
 * Puts the organisation that was staged into the place of the other one, which is empty but for its settings: it gets its
 * public id, and its tokens. Who is in the export under the same email has the id of there, which no token from before
 * is for; other members stay where they have a token, else leave. Belongs into a transaction, without foreign keys.
 */
export function takePlace(store: Store, org: number, staged: number): Replaced {
  const { db } = store
  const replaced = replaceMembers(store, org, staged)
  db.prepare('UPDATE tokens SET org_id = ? WHERE org_id = ?').run(staged, org)
  const { public_id, created_at } = db.prepare('SELECT public_id, created_at FROM orgs WHERE id = ?').get(org) as {
    public_id: string
    created_at: number
  }
  eraser(db, org)(() => false)
  db.prepare('UPDATE orgs SET public_id = ?, created_at = ? WHERE id = ?').run(public_id, created_at, staged)
  return replaced
}

function replaceMembers(store: Store, org: number, staged: number): Replaced {
  const { db, clock } = store
  const { insert } = rows(db, 'members', memberColumns)
  const withId = db.prepare('SELECT 1 FROM members WHERE org_id = ? AND id = ?').pluck()
  const withEmail = db.prepare('SELECT 1 FROM members WHERE org_id = ? AND email = ?').pluck()
  const liveTokens = db
    .prepare(
      `SELECT count(*) FROM tokens WHERE org_id = ? AND member_id = ?
         AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`,
    )
    .pluck()
  const endTokens = db.prepare('DELETE FROM tokens WHERE org_id = ? AND member_id = ?')
  const replaced: Replaced = { members_left: [], tokens_ended: 0 }
  for (const member of memberSettings(store).all(org)) {
    const { id, email } = member
    if (withId.get(staged, id)) continue
    const isReplaced = withEmail.get(staged, email) !== undefined
    const tokens = liveTokens.get(org, id, clock.now()) as number
    if (!isReplaced && tokens > 0) {
      insert(staged, member)
      continue
    }
    if (!isReplaced) replaced.members_left.push(email)
    replaced.tokens_ended += tokens
    endTokens.run(org, id)
  }
  return replaced
}

/**
 * Where the clock of the other machine was ahead, the next ids have to go on from there, as far as they may be ahead. A
 * store that is opened knows; a server that runs does not. Throws Problem 409.
 */
export function refuseIdsAhead({ db, clock }: Store, dataDir: string): void {
  const newest = newestId(db, clock.now() + MAX_AHEAD_MS)
  if (newest === undefined || timeOfId(newest) <= clock.now()) return
  try {
    lockInstance(dataDir)()
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'already_running') throw error
    throw conflict('ids_ahead', 'The export is ahead of the clock of this machine; stop the server for the import.')
  }
}
