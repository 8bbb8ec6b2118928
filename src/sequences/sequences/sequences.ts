import { type Deps, once } from '../../deps.ts'
import type { Route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { notFound } from '../../lib/problem.ts'
import type { Filter } from '../../store/list/conditions.ts'
import { listing, type Page } from '../../store/list/page.ts'
import type { ListQuery } from '../../store/list/query.ts'
import * as c from '../../store/rows/columns.ts'
import { finder } from '../../store/rows/find.ts'
import { performanceRoute } from './performance.ts'
import { type Counts, rowColumns, Sequence, type SequenceRow, STATUSES, type Step, type Stop } from './sequence.ts'

const filters: Record<string, Filter> = {
  status: { type: 'choice', choices: STATUSES, indexed: false },
  created_at: { type: 'time' },
  updated_at: { type: 'time', indexed: false },
}

// 2. The row.

const sendWindow: c.Column<Sequence['send_window']> = {
  name: 'hours_id',
  sql: 'hours_id',
  json: (id: string | null) => JSON.stringify({ hours_id: id }),
  store: ({ hours_id }) => hours_id,
}

const counts: c.Column<Counts> = {
  name: '',
  sql: 'NULL',
  json: (counted: Counts) => JSON.stringify(counted),
  store: () => null,
  isComputed: true,
}

const columns = c.only<Sequence>(rowColumns, Object.keys(Sequence.entries), { send_window: sendWindow, counts })

const place = (name: keyof Sequence): number => Object.keys(Sequence.entries).indexOf(name)
const [ID, COUNTS] = [place('id'), place('counts')]

// 3. The statements.

/** A sequence without its steps. */
const head = c.only<SequenceHead>(rowColumns, ['id', 'name', 'status', 'hours_id', 'mailbox_id', 'current_version'])
export type SequenceHead = Pick<SequenceRow, 'id' | 'name' | 'status' | 'hours_id' | 'mailbox_id' | 'current_version'>

/** What the enrollments that began with this version follow. */
export type SequenceVersion = { steps: Step[]; stop_on: Stop[] }

const order = { sort: { column: 'position' }, descending: false }
const spec = { columns, filters, sorts: {}, order }

/** The count that includes an enrollment, by its status. */
const COUNTED_AS: Record<string, keyof Counts> = {
  scheduled: 'active',
  active: 'active',
  paused: 'paused',
  completed: 'completed',
  stopped: 'stopped',
  failed: 'stopped',
}

export const sequenceStore = once((deps: Deps) => {
  const { db } = deps
  const { list: listRows } = listing(db, { table: 'sequences', ...spec })
  const findRow = finder(db, 'sequences', columns)
  const rowById = db.prepare(`SELECT ${head.select} FROM sequences WHERE org_id = ? AND id = ?`)
  const ofKey = db.prepare('SELECT id FROM sequences WHERE org_id = ? AND key = ?').pluck()
  const version = db.prepare(
    'SELECT steps, stop_on FROM sequence_versions WHERE org_id = ? AND sequence_id = ? AND number = ?',
  )
  const byStatus = db
    .prepare('SELECT status, count(*) FROM enrollments WHERE org_id = ? AND sequence_id = ? GROUP BY status')
    .raw()

  function list(org: number, ask: ListQuery): Page {
    const page = listRows(org, ask)
    for (const row of page.rows) counted(org, row)
    return page
  }

  const find = (who: Caller, id: string): c.RawRow => counted(who.org, findRow(who, id))

  /** Adds the current counts of enrollments to the row. */
  function counted(org: number, row: c.RawRow): c.RawRow {
    const counts: Counts = { active: 0, paused: 0, completed: 0, stopped: 0 }
    for (const [status, number] of byStatus.all(org, row[ID]) as [string, number][]) {
      counts[COUNTED_AS[status]!] += number
    }
    row[COUNTS] = counts
    return row
  }

  /** The key is that of the settings. Returns undefined if there is no such sequence. */
  const idOfKey = (org: number, key: string): string | undefined => ofKey.get(org, key) as string | undefined

  /** Returns undefined if there is no such sequence. */
  const byId = (org: number, id: string): SequenceHead | undefined => rowById.get(org, id) as SequenceHead | undefined

  /** Throws 404. */
  function versionOf(org: number, sequenceId: string, number: number): SequenceVersion {
    const found = version.get(org, sequenceId, number) as { steps: string; stop_on: string } | undefined
    if (!found) throw notFound()
    return { steps: JSON.parse(found.steps), stop_on: JSON.parse(found.stop_on) }
  }

  return { list, find, byId, idOfKey, versionOf }
})

// 4. The routes.

export const sequences = (deps: Deps): Route[] => {
  const { list, find } = sequenceStore(deps)
  const common = {
    method: 'get',
    scope: 'rest.sequences.sequences.read',
    name: 'sequence',
    timeDependent: true,
  } as const
  return [
    {
      ...common,
      kind: 'list',
      path: '/sequences',
      summary: 'List sequences',
      description: 'In the order of the settings, including archived sequences.',
      item: Sequence,
      list,
      ...spec,
    },
    {
      ...common,
      kind: 'read',
      path: '/sequences/:id',
      summary: 'Get one sequence',
      description: 'Never returns 304, because the counts are current.',
      columns,
      returns: Sequence,
      find,
    },
    performanceRoute(deps),
  ]
}
