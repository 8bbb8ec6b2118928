import { version } from '../../assets.ts'
import { credentialStore } from '../../auth/credentials.ts'
import * as closeReasons from '../../crm/close-reasons/close-reasons.ts'
import { columns as listColumns } from '../../crm/list.ts'
import { type Member, columns as memberColumns } from '../../crm/members/members.ts'
import { columns as pipelineColumns } from '../../crm/stages/pipelines.ts'
import { FROM as STAGES, type Stage, columns as stageColumns } from '../../crm/stages/stages.ts'
import { usualDays } from '../../crm/stages/usual-days.ts'
import { columns as tagColumns } from '../../crm/tags.ts'
import { apiUrlFor } from '../../http/listener/hosts.ts'
import type { Need, Route } from '../../http/route.ts'
import { beginningOf, dateIn, nextDay } from '../../lib/calendar/days.ts'
import type { Caller } from '../../lib/caller.ts'
import { HOUR_MS, rfc3339 } from '../../lib/time.ts'
import { notificationStore } from '../../personal/notifications.ts'
import { preferenceStore } from '../../personal/preferences.ts'
import { columns as viewColumns, viewStore } from '../../personal/views.ts'
import * as customFields from '../../records/custom-fields/custom-fields.ts'
import { calendarOf } from '../../store/orgs/calendars.ts'
import { orgOf } from '../../store/orgs/orgs.ts'
import type { RawRow, Readable } from '../../store/rows/columns.ts'
import { only } from '../../store/rows/columns.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import { inSnapshot } from '../../store/sqlite/snapshot.ts'
import type { ScreenParts } from '../parts.ts'
import { markOf } from '../sessions/cookie.ts'
import { awayStore } from './hand-over/away.ts'

export type BootParts = Pick<ScreenParts, 'store' | 'deps' | 'web' | 'apiUrl'>

/** What the browser app starts with, as of one moment: JSON text, which the page contains. */
export type Boot = { json: string; language: string; theme: 'system' | 'light' | 'dark' }

/** Lists without their filters and counts, which only their own screen needs. */
const LIST_FIELDS = ['id', 'name', 'object', 'kind', 'owner_id', 'version'] as const
const PIPELINE_FIELDS = ['id', 'key', 'name', 'is_default', 'position', 'version'] as const

const ALL_VIEWS = { limit: 500, sort: { column: 'id' }, descending: false, conditions: [], count: false }

/** The same as the page contains, for when the stream says that too much was missed. */
export const bootRoute = (parts: BootParts): Route<Need> => {
  const boot = bootData(parts)
  return {
    kind: 'data',
    method: 'get',
    path: '/boot',
    role: 'viewer',
    name: 'boot',
    summary: 'Get what the browser app starts with',
    read: (who) => ({ json: boot(who).json }),
  }
}

export function bootData({ store, deps, web, apiUrl }: BootParts): (who: Caller) => Boot {
  const { db, clock } = deps
  const mark = markOf(store.installation)
  const credentials = credentialStore(store)
  const preferences = preferenceStore(deps)
  const views = viewStore(deps)
  const { unreadOf } = notificationStore(deps)
  const count = countsOf(db)
  const calendar = calendarOf(db)
  const away = awayStore(deps)
  const usualOf = cachedUsualDays(deps)
  const every = {
    members: everyRow(db, 'members', memberColumns, { by: 'id' }),
    pipelines: everyRow(db, 'pipelines', only(pipelineColumns, PIPELINE_FIELDS), { by: 'position' }),
    close_reasons: everyRow(db, 'close_reasons', closeReasons.columns, { by: 'position' }),
    tags: everyRow(db, 'tags', tagColumns, { by: 'name_key' }),
    custom_fields: everyRow(db, 'custom_fields', customFields.columns, {
      where: 'is_archived = 0',
      by: 'object, position, id',
    }),
    lists: everyRow(db, 'lists', only(listColumns, LIST_FIELDS), { by: 'name_key, id' }),
  }
  const stagesOf = everyRow(db, 'stages', stageColumns, { by: 'stages.rank', from: STAGES })

  function read(who: Caller): Boot {
    const { org, member } = who as { org: number; member: string }
    const now = clock.now()
    const { public_id, name, currency, timezone, country, last_seq } = orgOf(db, org)
    const { updated_at: _, version: __, ...chosen } = preferences.find(who)
    const stored = credentials.get(org, member)
    const members = every.members(org)
    const me = {
      ...(JSON.parse(members) as Member[]).find(({ id }) => id === member),
      ...chosen,
      has_password: stored?.password != null,
      totp: stored?.totp_confirmed_at != null,
    }
    const usual = usualOf(org)
    const stages = (JSON.parse(stagesOf(org)) as Stage[]).map((stage) => ({
      ...stage,
      usual_days: usual.get(stage.id) ?? null,
    }))
    const endOfDay = beginningOf(nextDay(dateIn(chosen.timezone, now)), chosen.timezone)
    const parts: Record<string, string> = {
      signed_in: 'true',
      build: JSON.stringify(web.build),
      version: JSON.stringify(version),
      installation: JSON.stringify(mark),
      seq: String(last_seq),
      now: `"${rfc3339(now)}"`,
      api_url: JSON.stringify(apiUrlFor(apiUrl, who.session?.address)),
      me: JSON.stringify(me),
      org: JSON.stringify({ id: public_id, name, currency, timezone, country }),
      first_weekday: String(calendar(org, member).firstWeekday),
      ...Object.fromEntries(Object.entries(every).map(([part, of]) => [part, part === 'members' ? members : of(org)])),
      away: JSON.stringify(away.list(org)),
      stages: JSON.stringify(stages),
      views: `[${views.list(org, ALL_VIEWS, who).rows.map(viewColumns.json).join()}]`,
      checklist: JSON.stringify(chosen.checklist.dismissed === true ? null : chosen.checklist),
      counts: JSON.stringify({ ...count(org, member, now, endOfDay), notifications: unreadOf(who) }),
      capabilities: JSON.stringify([...(who.scopes ?? [])]),
    }
    const json = Object.entries(parts).map(([part, text]) => `"${part}":${text}`)
    return { json: `{${json.join()}}`, language: chosen.language, theme: chosen.theme }
  }

  return (who) => inSnapshot(db, () => read(who))
}

/** The figures of a year change little in an hour. */
function cachedUsualDays({ db, clock }: ScreenParts['deps']): (org: number) => ReadonlyMap<string, number> {
  const read = usualDays(db)
  const cached = new Map<number, { at: number; days: ReadonlyMap<string, number> }>()
  return (org) => {
    const now = clock.now()
    const known = cached.get(org)
    if (known && now >= known.at && now < known.at + HOUR_MS) return known.days
    const days = read(org, now)
    cached.set(org, { at: now, days })
    return days
  }
}

/** Tables read as a whole have a few dozen rows; nothing but this keeps tags and lists few. */
const MAX_ROWS = 5000

/** Returns a function that reads all rows of an organisation as one JSON array, in the order of `by`. */
function everyRow(
  db: Database,
  table: string,
  { select, json }: Readable,
  { by, where = '', from = table }: { by: string; where?: string; from?: string },
): (org: number) => string {
  const all = db
    .prepare(
      `SELECT ${select} FROM ${from} WHERE ${table}.org_id = ?${where && ` AND ${where}`} ORDER BY ${by} LIMIT ${MAX_ROWS}`,
    )
    .raw()
  return (org) => `[${(all.all(org) as RawRow[]).map(json).join()}]`
}

/** Counted up to here, so that a count takes at most a millisecond. */
export const MAX_COUNT = 10_000

type Counts = Record<
  'deals' | 'contacts' | 'companies' | 'tasks_late' | 'tasks_now' | 'inbox_late' | 'inbox_now',
  number
>

/**
 * How many records there are, at most MAX_COUNT of each, which then means "as many or more"; deals are the open ones. And
 * how many of the newest tasks of a member are open and late, or due until `endOfDay`; how many conversations are late, or
 * wait for an answer.
 */
function countsOf(db: Database): (org: number, member: string, now: number, endOfDay: number) => Counts {
  const count = (what: string) => `(SELECT count(*) FROM (SELECT 1 FROM ${what} LIMIT ${MAX_COUNT}))`
  const all = db.prepare(
    `SELECT ${count("deals WHERE org_id = @org AND status = 'open'")} AS deals,
       ${count('contacts WHERE org_id = @org')} AS contacts, ${count('companies WHERE org_id = @org')} AS companies,
       count(*) FILTER (WHERE due_at < @now) AS tasks_late, count(*) FILTER (WHERE due_at >= @now) AS tasks_now,
       ${count('conversations WHERE org_id = @org AND due_rank < @now / 1000')} AS inbox_late,
       ${count("conversations WHERE org_id = @org AND +status IN ('open', 'pending') AND waiting_since IS NOT NULL")} AS inbox_now
     FROM (SELECT status, due_at FROM tasks WHERE org_id = @org AND owner_id = @member ORDER BY id DESC LIMIT ${MAX_COUNT})
     WHERE status = 'open' AND due_at < @endOfDay`,
  )
  return (org, member, now, endOfDay) => all.get({ org, member, now, endOfDay }) as Counts
}
