import { MAX_AHEAD_MS, timeOfId } from '../lib/id.ts'
import { conflict, Problem } from '../lib/problem.ts'
import { columns as memberColumns, memberSettings } from '../settings/members.ts'
import { lockInstance } from '../store/lock.ts'
import { newestId } from '../store/newest.ts'
import type { Store } from '../store/open.ts'
import { rows } from '../store/rows.ts'
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

/** `members_left`: the emails of members who were here, are not in the export, and left. */
export type Replaced = { members_left: string[]; tokens_ended: number }

/**
 * Makes room for the settings and members of the export. `finish`, called when they are there, sees to the members who
 * were here: who is in the export under the same email now has the id of there, which no token from before is for;
 * others stay where they have a token, else leave. References are loose in between: their check has to wait for COMMIT.
 */
export function makeRoom(store: Store, org: number): { finish: () => Replaced } {
  const { db, clock } = store
  const here = memberSettings(store).all(org)
  for (const table of SETTINGS_TABLES) db.prepare(`DELETE FROM ${table} WHERE org_id = ?`).run(org)

  function finish(): Replaced {
    const { insert } = rows(db, 'members', memberColumns)
    const withId = db.prepare('SELECT 1 FROM members WHERE org_id = ? AND id = ?').pluck()
    const withEmail = db.prepare('SELECT 1 FROM members WHERE org_id = ? AND email = ?').pluck()
    const liveTokens = db.prepare(
      `SELECT count(*) FROM tokens WHERE org_id = ? AND member_id = ?
         AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`,
    )
    const endTokens = db.prepare('DELETE FROM tokens WHERE org_id = ? AND member_id = ?')
    const replaced: Replaced = { members_left: [], tokens_ended: 0 }
    for (const member of here) {
      const { id, email } = member
      if (withId.get(org, id)) continue
      const isReplaced = withEmail.get(org, email) !== undefined
      const tokens = liveTokens.pluck().get(org, id, clock.now()) as number
      if (!isReplaced && tokens > 0) {
        insert(org, member)
        continue
      }
      if (!isReplaced) replaced.members_left.push(email)
      replaced.tokens_ended += tokens
      endTokens.run(org, id)
    }
    return replaced
  }

  return { finish }
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
