import { PAUSED } from '../../store/orgs/org-states.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import { movedTables } from './moved-tables.ts'

// While an organisation moves, triggers write down which of its rows are changed, whatever changes them, in this process
// or another. So the rows can be copied while they are used, and what changed meanwhile once more. In the pause before
// the end they refuse every write. Nothing in the code has to remember either.

/** The names of the triggers begin with it: they come and go with a move, and are no drift of the schema. */
export const DEPARTING = 'departing_'

/** Moved behind the commits by upkeep.ts, which no pause has to stop: what they tell stays the same. */
const MOVED_BEHIND = ['deal_stage_changes', 'deal_stage_changes_pending']

type Trigger = { table: string; what: 'INSERT' | 'UPDATE' | 'DELETE'; body: string; when: string; order?: 'BEFORE' }

/** Starts to write down changes. Runs in the caller's transaction. */
export function watchOrg(db: Database, org: number, publicId: string): void {
  unwatchOrg(db)
  db.prepare('DELETE FROM departing_changes').run()
  for (const { table, what, body, when, order = 'AFTER' } of triggersOf(db, org, publicId)) {
    const name = `${DEPARTING}${table}_${what.toLowerCase()}`
    db.prepare(`CREATE TRIGGER ${name} ${order} ${what} ON ${table} WHEN ${when} BEGIN ${body} END`).run()
  }
}

/** Ends that. Runs in the caller's transaction. */
export function unwatchOrg(db: Database): void {
  const names = db.prepare(
    `SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'departing\\_%' ESCAPE '\\'`,
  )
  for (const name of names.pluck().all() as string[]) db.prepare(`DROP TRIGGER ${name}`).run()
  db.prepare('DELETE FROM departing_changes').run()
}

function triggersOf(db: Database, org: number, publicId: string): Trigger[] {
  const refuse = `SELECT RAISE(ABORT, '${PAUSED}') FROM orgs WHERE id = ${org} AND state = 'paused';`
  const note = (name: string, key: readonly string[]): string => {
    const [k1 = 'NULL', k2 = 'NULL', k3 = 'NULL'] = key
    return `INSERT INTO departing_changes (name, k1, k2, k3) VALUES ('${name}', ${k1}, ${k2}, ${k3});`
  }
  const of = (row: 'NEW' | 'OLD', key: readonly string[]) => key.map((column) => `${row}."${column}"`)

  function ofTable(table: string, name: string, key: readonly string[]): Trigger[] {
    if (key.length > 3) throw new Error(`${table} has a key of more than three columns`)
    const gate = MOVED_BEHIND.includes(table) ? '' : refuse
    const chunks =
      table === 'file_contents' // which are left out until it is whole
        ? `INSERT INTO departing_changes (name, k1, k2) SELECT 'file_chunks', sha256, position FROM file_chunks
             WHERE org_id = ${org} AND sha256 = NEW.sha256;`
        : ''
    const [fresh, old] = [note(name, of('NEW', key)), note(name, of('OLD', key))]
    const isNew = `NEW.org_id = ${org}`
    const wasOld = `OLD.org_id = ${org}`
    return [
      { table, what: 'INSERT', when: isNew, body: gate + fresh },
      { table, what: 'UPDATE', when: `${isNew} OR ${wasOld}`, body: gate + old + fresh + chunks },
      { table, what: 'DELETE', when: wasOld, body: gate + old },
    ]
  }

  const docOf = (row: 'NEW' | 'OLD') => note('search', of(row, ['kind', 'record_id']))
  const pending = `INSERT INTO departing_changes (name, k1, k2)
    SELECT 'search', kind, record_id FROM search_docs WHERE docid = NEW.docid;`
  const isPaused = `OLD.id = ${org} AND OLD.state = 'paused' AND NEW.state = 'paused'`
  const tables = movedTables(db)
  const { key } = tables.find(({ name }) => name === 'deal_stage_changes') as { key: readonly string[] }
  return [
    ...tables.flatMap(({ name, key }) => ofTable(name, name, key)),
    ...ofTable('deal_stage_changes_pending', 'deal_stage_changes', key),
    { table: 'search_docs', what: 'INSERT', when: `NEW.org_id = ${org}`, body: docOf('NEW') },
    { table: 'search_docs', what: 'DELETE', when: `OLD.org_id = ${org}`, body: docOf('OLD') },
    { table: 'search_pending', what: 'INSERT', when: `NEW.org_id = ${org}`, body: pending },
    { table: 'search_pending', what: 'UPDATE', when: `NEW.org_id = ${org}`, body: pending },
    { table: 'orgs', what: 'UPDATE', when: isPaused, body: `SELECT RAISE(ABORT, '${PAUSED}');` },
    { table: 'audit_log', what: 'INSERT', when: `NEW.org = '${publicId}'`, body: refuse },
  ]
}

/** Reads what was changed and forgets what was sent. */
export function changedRows(db: Database) {
  const last = db.prepare('SELECT coalesce(max(n), 0) FROM departing_changes').pluck()
  const some = db
    .prepare('SELECT DISTINCT name, k1, k2, k3 FROM departing_changes WHERE n > ? AND n <= ?')
    .raw()
    .safeIntegers()

  return {
    last: (): number => last.get() as number,
    /** Each row once, by table. */
    between: (after: number, upTo: number): Map<string, unknown[][]> => {
      const rows = some.all(after, upTo) as [string, ...unknown[]][]
      const byTable = Map.groupBy(rows, ([name]) => name)
      return new Map([...byTable].map(([name, all]) => [name, all.map(([, ...key]) => key)]))
    },
  }
}
