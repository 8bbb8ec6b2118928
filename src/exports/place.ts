import { tokenOwners } from '../auth/token-owners.ts'
import { columns as memberColumns, memberSettings } from '../crm/members/settings.ts'
import { MAX_AHEAD_MS, timeOfId } from '../lib/id.ts'
import { conflict, Problem } from '../lib/problem.ts'
import type { OrgSettings } from '../settings/org.ts'
import { lockInstance } from '../store/lock.ts'
import { newestId } from '../store/newest.ts'
import type { Store } from '../store/open.ts'
import { rows } from '../store/rows.ts'
import { replaceOrg, stageOrg } from '../store/staged.ts'
import { hasRows } from '../store/tables.ts'
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
    if (!hasRows(db, table, org)) continue
    const what = table.replaceAll('_', ' ')
    throw conflict(
      'not_empty',
      `The organisation has ${what} already; an export goes into a new one, as "dealbox init" makes it.`,
    )
  }
}

/** A new organisation that is to take the place of another; nobody can name it before. Answers its number. */
export const stage = ({ db, clock }: Store, settings: OrgSettings, lastSeq: number): number =>
  // With the last number before the records: webhooks go on behind the events that came along.
  stageOrg(db, { ...settings, last_seq: lastSeq }, clock.now())

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
  tokenOwners(store).moveAll(org, staged)
  replaceOrg(db, org, staged)
  return replaced
}

function replaceMembers(store: Store, org: number, staged: number): Replaced {
  const { db } = store
  const { insert } = rows(db, 'members', memberColumns)
  const { all } = memberSettings(store)
  const tokens = tokenOwners(store)
  const [ids, emails] = [new Set<string>(), new Set<string>()]
  for (const { id, email } of all(staged)) {
    ids.add(id)
    emails.add(email)
  }
  const replaced: Replaced = { members_left: [], tokens_ended: 0 }
  for (const member of all(org)) {
    const { id, email } = member
    if (ids.has(id)) continue
    const isReplaced = emails.has(email)
    const live = tokens.countLive(org, id)
    if (!isReplaced && live > 0) {
      insert(staged, member)
      continue
    }
    if (!isReplaced) replaced.members_left.push(email)
    replaced.tokens_ended += live
    tokens.remove(org, id)
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
