import { timeOfId } from '../../lib/id.ts'
import { amountJson } from '../../lib/money.ts'
import type { Condition } from '../../store/list/conditions.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import { statements } from '../../store/sqlite/statements.ts'
import { bounded } from '../../store/sqlite/work.ts'
import { boardTests, openStages, shares } from './board-shares.ts'

/** More would take seconds to send and to show. */
export const MAX_BOARD = 20_000

type Row = [
  ...[id: string, title: string, amount: string | null, currency: string | null, stage: string],
  ...[company: string | null, companyName: string | null, owner: string | null, closeDate: string | null],
  ...[stageChangedAt: number, lastNote: string | null, lastOther: number],
  ...[nextTask: string | null, tags: string, version: number],
]

type Task = [id: string, title: string, type: string, due: number | null]

/**
 * The open deals of a pipeline that meet the conditions, as the members of a JSON object, each a list with a value for each deal: a fifth of the bytes
 * of objects. What several deals have stands once, in `values`, and `at` are places in it. Ids are without their hyphens, one
 * after the other. Times are milliseconds. The last activity is the newest note, mail, past meeting or change of the stage; the
 * next task is the open one that is due first. Of more than MAX_BOARD deals, each stage has its share. Throws Problem 503.
 */
export function dealBoard(db: Database) {
  const prepare = statements(db)
  const testsOf = boardTests(db)
  const stagesOf = openStages(db)
  const columns = `SELECT deals.id, deals.title, CAST(deals.amount_micros AS TEXT), deals.currency, deals.stage_id,
         deals.company_id, companies.name, deals.owner_id, deals.expected_close_date, deals.stage_changed_at,
         (SELECT max(note_id) FROM note_deals WHERE org_id = deals.org_id AND deal_id = deals.id),
         max(deals.stage_changed_at,
           coalesce((SELECT max(last_message_at) FROM conversations WHERE org_id = deals.org_id AND deal_id = deals.id), 0),
           coalesce((SELECT max(starts_at) FROM meetings
                     WHERE org_id = deals.org_id AND deal_id = deals.id AND starts_at <= ?), 0)),
         (SELECT json_array(tasks.id, tasks.title, tasks.type, tasks.due_at)
          FROM task_deals JOIN tasks ON tasks.org_id = task_deals.org_id AND tasks.id = task_deals.task_id
          WHERE task_deals.org_id = deals.org_id AND task_deals.deal_id = deals.id AND tasks.status = 'open'
          ORDER BY tasks.due_at IS NULL, tasks.due_at, tasks.id LIMIT 1),
         deals.tag_ids, deals.version
       FROM deals INDEXED BY deals_stage
       LEFT JOIN companies ON companies.org_id = deals.org_id AND companies.id = deals.company_id`

  return (
    org: number,
    pipeline: string,
    now: number,
    conditions: readonly Condition[] = [],
  ): { members: string; isComplete: boolean } => {
    const tests = testsOf(org, conditions)
    const where = `WHERE deals.org_id = ? AND deals.stage_id = ?${tests.sql}`
    const stages = stagesOf(org, pipeline)
    const count = prepare(`SELECT count(*) FROM deals INDEXED BY deals_stage ${where}`)
    const read = prepare(`${columns} ${where} LIMIT ?`)
    return bounded(() => {
      const counts = stages.map((stage) => (count.get(org, stage, ...tests.values) as [number])[0])
      const rows = shares(counts, MAX_BOARD).flatMap(
        (share, at) => read.all(now, org, stages[at], ...tests.values, share) as Row[],
      )
      return { members: membersOf(rows), isComplete: counts.reduce((sum, each) => sum + each, 0) <= MAX_BOARD }
    })
  }
}

function membersOf(rows: Row[]): string {
  const currencies = valueSet()
  const stages = valueSet()
  const companies = valueSet()
  const owners = valueSet()
  const dates = valueSet()
  const tags = valueSet()
  const types = valueSet()
  const names: (string | null)[] = []
  const taskPlaces: (number | null)[] = []
  const tasks: Task[] = []
  for (const row of rows) {
    const [, , , currency, stage, company, companyName, owner, date, , , , task, tagIds] = row
    currencies.add(currency)
    stages.add(stage)
    const at = companies.add(company)
    if (at !== null) names[at] = companyName
    owners.add(owner)
    dates.add(date)
    tags.add(tagIds)
    taskPlaces.push(task === null ? null : tasks.length)
    if (task === null) continue
    const read: Task = JSON.parse(task)
    types.add(read[2])
    tasks.push(read)
  }
  const members = {
    ids: idsText(rows.map(([id]) => id)),
    titles: JSON.stringify(rows.map(([, title]) => title)),
    amounts: `[${rows.map(([, , amount]) => (amount === null ? 'null' : amountJson(amount))).join()}]`,
    currencies: picked(currencies, JSON.stringify(currencies.values)),
    stages: picked(stages, idsText(stages.values)),
    companies: picked(companies, idsText(companies.values), `,"names":${JSON.stringify(names)}`),
    owners: picked(owners, idsText(owners.values)),
    close_dates: picked(dates, JSON.stringify(dates.values)),
    stage_changed_at: JSON.stringify(rows.map((row) => row[9])),
    last_activity_after: JSON.stringify(rows.map(idleAfter)),
    tasks: `{"at":${JSON.stringify(taskPlaces)},"ids":${idsText(tasks.map(([id]) => id))},"titles":${JSON.stringify(
      tasks.map(([, title]) => title),
    )},"types":${picked(types, JSON.stringify(types.values))},"due_at":${JSON.stringify(tasks.map((task) => task[3]))}}`,
    tag_ids: picked(tags, `[${tags.values.join()}]`),
    versions: JSON.stringify(rows.map((row) => row[14])),
  }
  return Object.entries(members)
    .map(([name, json]) => `"${name}":${json}`)
    .join()
}

/** How long after the change of its stage the last activity was. */
function idleAfter(row: Row): number {
  const [changed, note, other] = [row[9], row[10], row[11]]
  return (note === null ? other : Math.max(other, timeOfId(note))) - changed
}

type ValueSet = ReturnType<typeof valueSet>

/** Values once each, and for each that was added its place among them; null stays null. */
function valueSet() {
  const places = new Map<string, number>()
  const values: string[] = []
  const at: (number | null)[] = []
  function add(value: string | null): number | null {
    let place = value === null ? null : places.get(value)
    if (place === undefined) {
      place = values.push(value as string) - 1
      places.set(value as string, place)
    }
    at.push(place)
    return place
  }
  return { add, values, at }
}

const picked = ({ at }: ValueSet, values: string, more = ''): string =>
  `{"values":${values}${more},"at":${JSON.stringify(at)}}`

const idsText = (ids: readonly string[]): string => `"${ids.join('').replaceAll('-', '')}"`
