import type { Row } from '../../../events/audit/entry.ts'
import { rfc3339 } from '../../../lib/time.ts'
import { recurringRuns } from '../../../store/jobs/recurring.ts'
import type { Database } from '../../../store/sqlite/driver.ts'
import { MAX_RUNS, type Run } from '../../backup/runs.ts'
import type { PlaceLabel } from '../../backup/standing.ts'
import { lastBackup, notedState } from '../../backup/state.ts'
import type { Operation } from '../notify/operation.ts'
import { isBad, NOTHING_TOLD } from '../notify/watched.ts'

// The parts of GET /app/operation. Times are RFC 3339; null where nothing is known.

const timeOf = (ms: number | null | undefined): string | null => (ms === null || ms === undefined ? null : rfc3339(ms))

/** The words are those of /readyz, which name no record and no place. What was not looked at has no status. */
export function shownChecks({ judge, notifier }: Operation) {
  const found = judge.findings()
  const known = notifier?.memory().checks ?? {}
  return judge.names.map((name) => {
    const { status, detail } = found[name] ?? {}
    const watched = known[name]
    const since = status !== undefined && status !== 'pass' && watched && isBad(watched) ? watched.bad_since : null
    return { name, status: status ?? null, detail: detail ?? null, since: timeOf(since) }
  })
}

export function shownWays({ notifier, ways }: Operation, isOperator: boolean) {
  const told = notifier?.memory().told ?? {}
  const lastOf = (name: string) => {
    const { at, tried_at, error, is_nobody } = told[name] ?? NOTHING_TOLD
    return {
      told_at: timeOf(at),
      failed_at: error === null ? null : timeOf(tried_at),
      error: isOperator ? error : null,
      is_nobody,
    }
  }
  const { mail = 'off', url = 'off', url_host = null } = ways ?? {}
  return {
    screen: lastOf('screen'),
    mail: { to: mail, ...lastOf('mail') },
    url: { is: url, host: isOperator ? url_host : null, ...lastOf('url') },
  }
}

export function shownBackups({ night, at, isReader = false }: Operation, dataDir: string, isOperator: boolean) {
  const { last } = lastBackup(dataDir)
  const { drill } = notedState(dataDir)
  const work = night?.atWork()
  return {
    state: isReader ? 'reader' : night ? 'on' : 'off',
    /** Whether this owner may start them. */
    may_start: isOperator && night !== undefined,
    at: at?.time ?? null,
    timezone: at?.timezone ?? null,
    last: last && { made_at: last.made_at, bytes: last.bytes },
    drill: drill && { at: drill.at, is_good: drill.error === null },
    at_work: work ? { what: work.what, since: rfc3339(work.since), by: work.by ?? null } : null,
  }
}

/** `entries` of the audit log, newest last; those of "dealbox backup" are shown. Errors and places are for the operator. */
export function shownRuns(dataDir: string, { entries, isOperator, places = [] }: RunsOptions) {
  const label = (name: string) => places.find((place) => place.name === name)?.label ?? null
  const all = [...noted(dataDir), ...madeByCommands(entries)].sort((one, other) => other.at.localeCompare(one.at))
  return all.slice(0, MAX_RUNS).map(({ kind, at, since, times, duration_ms, bytes, place, by, error }) => ({
    ...{ kind, at, since: since ?? null, times: times ?? 1 },
    ...{ duration_ms: duration_ms ?? null, bytes: bytes ?? null, by: by ?? null },
    place: place === undefined ? null : isOperator ? place : label(place),
    is_good: error === null,
    error: isOperator ? error : null,
  }))
}

type RunsOptions = { entries: readonly Row[]; isOperator: boolean; places?: readonly PlaceLabel[] | undefined }

/** Of a server that noted no runs yet, the last ones are known all the same. */
function noted(dataDir: string): Run[] {
  const { runs, last, drill } = notedState(dataDir)
  if (runs) return runs
  return [
    ...(last
      ? [{ kind: 'backup' as const, at: last.made_at, error: null, duration_ms: last.duration_ms, bytes: last.bytes }]
      : []),
    ...(drill ? [{ kind: 'drill' as const, at: drill.at, error: drill.error, duration_ms: drill.duration_ms }] : []),
  ]
}

const madeByCommands = (entries: readonly Row[]): Run[] =>
  entries.flatMap(({ action, at, detail }) => {
    if (action !== 'backup.made') return []
    const { bytes } = JSON.parse(detail) as { bytes?: number }
    return [{ kind: 'backup' as const, at: rfc3339(at), error: null, bytes, by: COMMAND }]
  })

const COMMAND = 'command'

/** What the server repeats, and how it went last. */
export const shownWork = (db: Database, isOperator: boolean) =>
  recurringRuns(db).map(({ name, started, finished, due, failures, error }) => ({
    ...{ name, failures, is_good: error === null, error: isOperator ? error : null },
    ...{ at: timeOf(Math.max(started ?? 0, finished ?? 0) || null), due_at: timeOf(due) },
  }))
