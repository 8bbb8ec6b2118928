import { type Answer, command, json, org } from '../command/command.ts'
import { chosenOrg } from '../command/store.ts'
import { aligned, oneLine } from '../command/text.ts'
import { lineOf, type Row } from '../events/audit/entry.ts'
import { type AuditLog, auditLog } from '../events/audit/log.ts'
import { type Chain, verifier } from '../events/audit/verify.ts'
import { Problem, usage } from '../lib/problem.ts'
import { isDate, rfc3339 } from '../lib/time.ts'
import { allOrgs } from '../store/orgs/orgs.ts'
import { inSnapshot } from '../store/sqlite/snapshot.ts'

/** How many entries are printed without --since. */
const NEWEST = 100

export const audit = command({
  name: 'audit',
  summary: 'Print the audit log: who did what, and when; or check that nobody has changed it',
  options: {
    since: {
      type: 'string',
      placeholder: 'DATE',
      help: `all entries from this day on (UTC), such as 2026-11-01; by default the newest ${NEWEST}`,
    },
    verify: { type: 'boolean', help: 'check that no entry was changed, removed or inserted; exit code 1 if one was' },
    expect: {
      type: 'string',
      placeholder: 'HASH',
      help: 'with --verify: the hash of an entry that must be there, as an earlier --verify printed it',
    },
    org: { ...org, help: 'only entries of this organisation; by default all, and those of the whole installation' },
    json: { ...json, help: 'print the entries as JSON, with their hashes' },
  },
  run: ({ options, open }) => {
    const { since, verify, expect } = options
    if (since !== undefined && !isDate(since)) throw usage('--since must be a valid date, in the form YYYY-MM-DD.')
    if (expect !== undefined && !verify) throw usage('--expect needs --verify.')
    return open((store) =>
      inSnapshot(store.db, () => {
        const log = auditLog(store)
        const all = () => new Set([...log.chains(), ...allOrgs(store.db).map(({ public_id }) => public_id)])
        const chains = options.org === undefined ? [...all()] : [log.nameOf(chosenOrg(store, options.org))]
        return verify ? verified(log, verifier(store), chains, expect) : entries(log, chains, since)
      }),
    )
  },
})

function entries(log: AuditLog, chains: readonly string[], since: string | undefined): Answer {
  const read = (chain: string): Row[] =>
    since === undefined ? log.newest(chain, NEWEST + 1) : log.since(chain, Date.parse(`${since}T00:00:00Z`))
  const all = chains.flatMap(read).sort((one, other) => one.at - other.at)
  const shown = since === undefined ? all.slice(-NEWEST) : all
  const ofSeveral = chains.filter((chain) => chain !== '').length > 1
  const table = shown.map(({ at, action, record_id, org, detail, ...who }) => [
    ...[rfc3339(at), whoOf(who), action, record_id ?? '-', ...(ofSeveral ? [org || 'all'] : [])],
    detail === '{}' ? '' : oneLine(detail, 200),
  ])
  const head = ['AT', 'WHO', 'ACTION', 'RECORD', ...(ofSeveral ? ['ORGANISATION'] : []), 'DETAIL']
  return {
    json: shown.map((row) => JSON.parse(lineOf(row))),
    text: shown.length === 0 ? 'There are no entries.' : aligned([head, ...table]),
    ...(all.length > shown.length && {
      note: `These are the newest ${NEWEST} entries. For earlier ones, use --since.`,
    }),
  }
}

function whoOf({
  actor_type,
  actor_email,
  actor_id,
  via,
}: Pick<Row, 'actor_type' | 'actor_email' | 'actor_id' | 'via'>): string {
  if (actor_type === 'member') return actor_email ?? (actor_id as string)
  return actor_type === 'command' && via !== null ? `command, ${via}` : actor_type
}

/** Throws Problem 409 if anything does not fit. */
function verified(
  log: AuditLog,
  check: (chain: string) => Chain,
  names: readonly string[],
  expect: string | undefined,
): Answer {
  const chains = names.map(check)
  const faults = chains.filter(({ fault }) => fault !== null).map((chain) => `${nameOf(chain)}: ${chain.fault}`)
  if (faults.length > 0) throw changed(`The audit log was changed (${faults.join('; ')}).`, chains)
  if (expect !== undefined && !names.some((name) => log.has(name, expect)))
    throw changed(
      `No entry has the hash ${expect}. The log was written anew, or the entry was deleted after its time.`,
      chains,
    )
  return { json: { chains }, text: chains.map(chainText).join('\n') || 'There are no entries.', note: KEEP }
}

const changed = (detail: string, chains: readonly Chain[]): Problem =>
  new Problem(409, 'audit_log_changed', detail, { more: { chains } })

const nameOf = ({ org }: Chain): string => (org === '' ? 'installation' : `organisation ${org}`)

function chainText(chain: Chain): string {
  const { entries, first_seq, first_at, last_seq, last_hash } = chain
  if (entries === 0) return `${nameOf(chain)}: no entries`
  const range = `entries ${first_seq} to ${last_seq}, since ${first_at}, are as they were written`
  return `${nameOf(chain)}: ${range}\n  last hash ${last_hash}`
}

const KEEP =
  'Whoever can write the database can write the whole log anew. Keep the last hash elsewhere, and check it later with --expect.'
