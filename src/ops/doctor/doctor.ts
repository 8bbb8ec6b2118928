import { failureOf } from '../../store/sqlite/failures.ts'
import { audit } from './checks/audit.ts'
import { backups } from './checks/backups.ts'
import { clock } from './checks/clock.ts'
import { copies } from './checks/copies.ts'
import { database, foreignKeys, format, log, schema, statistics } from './checks/database.ts'
import { disk } from './checks/disk.ts'
import { fileSystem } from './checks/file-system.ts'
import { keys } from './checks/keys.ts'
import { orphans } from './checks/orphans.ts'
import { permissions } from './checks/permissions.ts'
import { replication } from './checks/replication.ts'
import { search } from './checks/search.ts'
import { tokens } from './checks/tokens.ts'
import { server, versions } from './checks/versions.ts'
import { jobs, mailboxes, recurring, sending, webhooks } from './checks/work.ts'
import { type Finding, fail, type Status, warn, worst } from './finding.ts'
import { applyFixes, type Writable } from './fixes.ts'
import { howToRestore, type Options, openPatient, type Patient } from './patient.ts'

/** What a check needs: `pages` that can be read, or `tables` of this version. */
type Check = { needs: 'nothing' | 'pages' | 'tables'; run: (patient: Patient) => Finding }

/** In the order of the report. */
const CHECKS: Record<string, Check> = {
  versions: { needs: 'nothing', run: versions },
  server: { needs: 'nothing', run: server },
  permissions: { needs: 'nothing', run: permissions },
  file_system: { needs: 'nothing', run: fileSystem },
  disk: { needs: 'nothing', run: disk },
  database: { needs: 'nothing', run: database },
  foreign_keys: { needs: 'pages', run: foreignKeys },
  format: { needs: 'pages', run: format },
  schema: { needs: 'tables', run: schema },
  search: { needs: 'tables', run: search },
  statistics: { needs: 'tables', run: statistics },
  orphans: { needs: 'tables', run: orphans },
  audit: { needs: 'tables', run: audit },
  log: { needs: 'nothing', run: log },
  clock: { needs: 'tables', run: clock },
  keys: { needs: 'tables', run: keys },
  tokens: { needs: 'tables', run: tokens },
  backups: { needs: 'nothing', run: backups },
  copies: { needs: 'nothing', run: copies },
  replication: { needs: 'tables', run: replication },
  sending: { needs: 'nothing', run: sending },
  jobs: { needs: 'tables', run: jobs },
  recurring: { needs: 'tables', run: recurring },
  mailboxes: { needs: 'tables', run: mailboxes },
  webhooks: { needs: 'tables', run: webhooks },
}

export type Report = {
  status: Status
  checks: Record<string, Finding>
  /** Checks of what could not be read. */
  skipped: string[]
  /** What --fix has done, in sentences. */
  fixed: string[]
  /** All if its pages are whole, and its tables those of this version. */
  writable: Writable
}

/** Examines a data folder. Writes nothing; with `isFixing` it repairs what can be repaired without losing anything. */
export function examine(options: Options, isFixing = false): Report {
  const first = look(options)
  if (!isFixing) return { ...first, fixed: [] }
  // A database that is damaged, or whose tables are not known, is not written to. An older one is not migrated.
  const fixed = applyFixes(options.dataDir, Object.values(first.checks), first.writable)
  const second = look(options)
  if (first.writable === 'all' || second.writable !== 'all') return { fixed, ...second }
  // The search was built anew, so the rest may be written now.
  return { fixed: [...fixed, ...applyFixes(options.dataDir, Object.values(second.checks), 'all')], ...look(options) }
}

function look(options: Options): Omit<Report, 'fixed'> {
  const patient = openPatient(options)
  try {
    const { db, isCurrent } = patient.database
    const can = { nothing: true, pages: db !== undefined, tables: db !== undefined && isCurrent }
    const names = Object.keys(CHECKS)
    const run = names.filter((name) => can[(CHECKS[name] as Check).needs])
    const checks = Object.fromEntries(run.map((name) => [name, checked(patient, CHECKS[name] as Check)]))
    const status = worst(Object.values(checks).map((finding) => finding.status))
    // Whoever writes drops what a damaged log still has.
    const isSound =
      ['database', 'schema'].every((name) => checks[name]?.status === 'pass') && checks.log?.status !== 'fail'
    const writable = !isSound ? 'nothing' : patient.isSearchDamaged() ? 'search' : 'all'
    return { status, checks, skipped: names.filter((name) => !run.includes(name)), writable }
  } finally {
    patient.close()
  }
}

/** A check that comes to a damaged page has found something, too. */
function checked(patient: Patient, { run }: Check): Finding {
  try {
    return run(patient)
  } catch (error) {
    const failure = failureOf(error)
    const reason = (error as Error).message
    if (failure === 'damaged') return fail(`This part of the database is damaged (${reason}).`, howToRestore(patient))
    if (failure === 'locked') return warn('Another process holds the database.', 'Try again in a moment.')
    return fail(`It could not be checked (${reason}).`, 'Run this command as the user of the server, or as root.')
  }
}
