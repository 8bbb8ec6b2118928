import type { OrgSettings } from '../app/settings/org.ts'
import { credentialOwners } from '../auth/credential-owners.ts'
import { tokenOwners } from '../auth/token-owners.ts'
import { columns as memberColumns } from '../crm/members/members.ts'
import { memberSettings } from '../crm/members/settings.ts'
import { MAX_AHEAD_MS, timeOfId } from '../lib/id.ts'
import { conflict, Problem } from '../lib/problem.ts'
import { lockInstance } from '../store/folder/lock.ts'
import { newestId } from '../store/newest.ts'
import type { Store } from '../store/open.ts'
import { isMoving } from '../store/orgs/org-states.ts'
import { replaceOrg, stageOrg } from '../store/orgs/staged.ts'
import { rows } from '../store/rows/rows.ts'
import { hasRows } from '../store/schema/tables.ts'
import type { Part } from './part.ts'

// The organisation that an export is restored into: when it is allowed, and how it is replaced.

/** Tables that every organisation has rows in from the start, and that an export brings as well. */
const SETTINGS_TABLES = [
  'members',
  'pipelines',
  'stages',
  'close_reasons',
  'sla_policies',
  'sequence_versions',
  'sequences',
  'rules',
  'satisfaction',
  'mailboxes',
  'hours',
]

/**
 * Throws Problem 409 if the organisation has records, or had some: events remain, whose numbering would have to continue.
 * The same while it is moving: another number would take its place.
 */
export function refuseUnlessEmpty({ db }: Store, org: number, parts: readonly Part[]): void {
  if (isMoving(db, org))
    throw conflict('moving', 'The organisation is moving to another server. Wait until that has ended.')
  for (const { table } of parts) {
    if (SETTINGS_TABLES.includes(table)) continue
    if (!hasRows(db, table, org)) continue
    const what = table.replaceAll('_', ' ')
    throw conflict(
      'not_empty',
      `The organisation already has ${what}. Restore the export into a new organisation, as created by "dealbox init".`,
    )
  }
}

/** Creates the staged organisation, which no request can reach yet. Returns its number. */
export const stage = ({ db, clock }: Store, settings: OrgSettings, lastSeq: number): number =>
  // The last number is set before the records: webhooks continue after the exported events.
  stageOrg(db, { ...settings, last_seq: lastSeq }, clock.now())

/** `members_left`: emails of former members who are not in the export and were removed. */
export type Replaced = { members_left: string[]; tokens_ended: number }

/**
 * Replaces an organisation that is empty except for its settings by the staged one, which takes over its public id and
 * its tokens. A member with the same email in the export gets the exported id, so that old tokens of that member end,
 * and keeps the password; other members stay if they have a token or a password, and are removed otherwise. All sessions
 * end. Runs in the caller's transaction, without foreign
 * keys.
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
  const credentials = credentialOwners(store)
  const ids = new Set<string>()
  const idOf = new Map<string, string>()
  for (const { id, email } of all(staged)) {
    ids.add(id)
    idOf.set(email, id)
  }
  const replaced: Replaced = { members_left: [], tokens_ended: 0 }
  for (const member of all(org)) {
    const { id, email } = member
    const isReplaced = idOf.has(email)
    const live = tokens.countLive(org, id)
    const isKept = !ids.has(id) && !isReplaced && (live > 0 || credentials.has(org, id))
    if (isKept) insert(staged, member)
    credentials.move({ org, member: id }, { org: staged, member: ids.has(id) || isKept ? id : idOf.get(email) })
    if (isKept || ids.has(id)) continue
    if (!isReplaced) replaced.members_left.push(email)
    replaced.tokens_ended += live
    tokens.remove(org, id)
  }
  return replaced
}

/**
 * Throws Problem 409 if the export contains ids ahead of the clock while a server runs: new ids have to continue after
 * them. A store does so when it is opened, but not while a server has it open.
 */
export function refuseIdsAhead({ db, clock }: Store, dataDir: string): void {
  const newest = newestId(db, clock.now() + MAX_AHEAD_MS)
  if (newest === undefined || timeOfId(newest) <= clock.now()) return
  try {
    lockInstance(dataDir)()
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'already_running') throw error
    throw conflict('ids_ahead', 'The export is ahead of the clock of this machine. Stop the server during the import.')
  }
}
