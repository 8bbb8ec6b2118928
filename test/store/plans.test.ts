import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { catalog } from '../../src/app.ts'
import { cursors } from '../../src/http/cursor.ts'
import { readAsk } from '../../src/http/query.ts'
import type { ListRoute } from '../../src/http/route.ts'
import { columnOf } from '../../src/store/conditions.ts'
import type { Database } from '../../src/store/driver.ts'
import { NARROW, type Position } from '../../src/store/page.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { type Asked, everyFilter, parameter, type Row } from './model.ts'

// The query plans of every list: no statement walks more of an organisation than its page needs.

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

type Asking = { query: string; after?: Position }
type Plans = Map<string, string[]>

const listsOf = (given: TestServer) => catalog(given.deps).filter((route) => route.kind === 'list')

/** Runs the job; gives the SQL of every statement that was prepared on the way, once each. */
function preparedBy(db: Database, job: () => void): string[] {
  const prepared = new Set<string>()
  const { prepare } = db
  db.prepare = function (this: Database, sql: string) {
    prepared.add(sql)
    return prepare.call(this, sql)
  } as Database['prepare']
  job()
  db.prepare = prepare
  return [...prepared]
}

function planOf(db: Database, sql: string): string[] {
  const marks = sql.split('?').length - 1
  const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array(marks).fill(null)) as { detail: string }[]
  return rows.map(({ detail }) => detail)
}

/** Every single filter under every sort both ways, and pairs: the first page, a later one, one of those without a key. */
function everyAsking(route: ListRoute, records: Row[]): Asking[] {
  const all = everyFilter(route, records)
  const isSame = (one: Asked, other: Asked) =>
    one.name === other.name && one.operator === other.operator && (one.text === 'null') === (other.text === 'null')
  const filters = all.filter((one, at) => all.findIndex((other) => isSame(one, other)) === at)
  const sorts = [undefined, ...Object.keys(route.sorts).flatMap((name) => [name, `-${name}`])]
  const singles = [[], ...filters.map((one) => [one])].flatMap((set) => sorts.map((sort) => ({ set, sort })))
  const pairs = filters.flatMap((one, at) => {
    const other = filters[(at + 7) % filters.length] as Asked
    return isSame(one, other) ? [] : [undefined, sorts.at(-1)].map((sort) => ({ set: [one, other], sort }))
  })
  return [...singles, ...pairs].flatMap(({ set, sort }) => {
    const query = [...set.map(parameter), ...(sort ? [`sort=${sort}`, ''] : [])].join('&')
    const { nullable, big } = (sort ? route.sorts[sort.replace('-', '')] : route.order?.sort) ?? { column: 'id' }
    const id = '01890000-0000-7000-8000-000000000000'
    const later = [{ key: big ? '1000' : 'm', id }, ...(nullable ? [{ key: null, id }] : [])]
    return [{ query }, ...later.map((after) => ({ query, after }))]
  })
}

/** Asks all of that; gives each statement that was used, with its plan. */
function plansOf(given: TestServer, records: (path: string) => Row[] = () => []): Plans {
  const { store, a } = given
  const sealed = cursors(Buffer.alloc(32))
  const lists = listsOf(given)
  const statements = preparedBy(store.db, () => {
    for (const route of lists) {
      for (const { query, after } of everyAsking(route, records(route.path))) {
        const { ask } = readAsk(route, a.org, query, sealed)
        route.list(a.org, { ...ask, after, count: !query.includes('sort=') })
      }
    }
  })
  return new Map(statements.map((sql) => [sql, planOf(store.db, sql)]))
}

/** What a plan has to look like for its statement: a page, or the counting of one. */
function check(sql: string, plan: string[]): void {
  const what = `${sql}\n${plan.join('\n')}`
  const [, table] = / FROM (\w+)/.exec(sql) ?? []
  const first = plan.find((step) => step.startsWith(`SEARCH ${table} `)) ?? ''
  const isNarrow = sql.includes(' IN (SELECT ')
  assert.ok(!plan.some((step) => /^SCAN (?!\(subquery)/.test(step)), what)
  for (const step of plan) {
    if (step.startsWith('SEARCH') && step !== first)
      assert.match(step, /\(org_id=\? AND .+\)/, `reads a whole org: ${what}`)
    if (step.startsWith('USE TEMP B-TREE'))
      assert.ok(isNarrow && sql.endsWith(' LIMIT +?'), `sorts all there is: ${what}`)
  }
  if (isNarrow) assert.match(first, / USING PRIMARY KEY \(org_id=\? AND id=\?\)$/, what)
  else if (sql.endsWith(`LIMIT ${NARROW})`)) assert.match(first, /\(org_id=\? AND \w+/, `has no index: ${what}`)
  else if (sql.endsWith(' LIMIT +?')) checkWalk(sql, first, what)
}

/** A walk goes along the index that is named, and starts where the page before it ended. */
function checkWalk(sql: string, search: string, what: string): void {
  const [, index = ''] = /INDEXED BY (\w+)/.exec(sql) ?? []
  assert.ok(search.includes(index.startsWith('sqlite_') ? ' USING PRIMARY KEY ' : ` USING INDEX ${index} `), what)
  if (/\.id [<>] \+\?/.test(sql)) assert.match(search, / AND id[<>]\?/, `starts too early: ${what}`)
  if (/\.id\) [<>] \(/.test(sql)) assert.match(search, /,id\)[<>]\(\?,\?\)/, `starts too early: ${what}`)
}

/** Some thousand records of each kind, of which a tenth has no value where one may be missing. */
function seed({ store, a }: TestServer): void {
  const { db } = store
  const rows = 2 * NARROW + 500
  const id = (kind: number) => `printf('01890000-0000-7%03x-8000-%012x', ${kind}, n)`
  const some = (kind: number) => `iif(n % 10 = 0, NULL, printf('01890000-0000-7%03x-8000-%012x', ${kind}, n % 9))`
  const fill = (table: string, columns: Record<string, string>) =>
    db
      .prepare(
        `WITH RECURSIVE series (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM series WHERE n + 1 < ${rows})
         INSERT INTO ${table} (org_id, ${Object.keys(columns).join(', ')})
         SELECT ${a.org}, ${Object.values(columns).join(', ')} FROM series`,
      )
      .run()
  const stamps = { created_at: '0', updated_at: '1800000000000 + n % 50', version: '1' }
  const owner = `iif(n % 10 = 0, NULL, '${a.owner}')`
  const tag = `printf('01890000-0000-7001-8000-%012x', n % 9 = 0)`
  fill('tags', { id: id(1), name: "'tag ' || n", name_key: "'tag ' || n", ...stamps })
  fill('companies', {
    ...{
      id: id(2),
      name: "'c ' || n % 40",
      name_key: "'c ' || n % 40",
      domains: "'[]'",
      tag_ids: `json_array(${tag})`,
    },
    ...{ owner_id: owner, external_id: "iif(n % 2, 'e' || n, NULL)", ...stamps },
  })
  db.prepare('UPDATE companies SET parent_company_id = id WHERE length(name) > 3').run()
  fill('company_tags', { tag_id: tag, company_id: id(2) })
  fill('company_domains', { domain: "'c' || n || '.example'", company_id: id(2) })
  fill('contacts', {
    ...{ id: id(3), name: "'p ' || n % 40", name_key: "'p ' || n % 40", emails: "'[]'", phones: "'[]'" },
    ...{ tag_ids: `json_array(${tag})`, company_id: some(2), owner_id: owner, do_not_contact: 'n % 2' },
    ...{ external_id: "iif(n % 2, 'e' || n, NULL)", ...stamps },
  })
  fill('contact_tags', { tag_id: tag, contact_id: id(3) })
  fill('contact_emails', { email_key: "'p' || n % 2 || '@example.com'", contact_id: id(3) })
  fill('deals', {
    ...{
      id: id(4),
      title: "'d ' || n % 40",
      title_key: "'d ' || n % 40",
      amount_micros: 'iif(n % 10 = 0, NULL, n % 30)',
    },
    ...{ currency: "iif(n % 10 = 0, NULL, 'EUR')", stage_id: `iif(n % 9, '${a.stages.demo}', '${a.stages.proposal}')` },
    ...{ status: "'open'", company_id: some(2), primary_contact_id: some(3), owner_id: owner },
    ...{ tag_ids: `json_array(${tag})`, expected_close_date: "iif(n % 10 = 0, NULL, '2027-01-0' || (1 + n % 9))" },
    ...{ stage_changed_at: '0', ...stamps },
  })
  fill('deal_tags', { tag_id: tag, deal_id: id(4) })
}

describe('the plan of every list', () => {
  test('without rows searches an index, and sorts nothing but the few rows of a narrow filter', () => {
    const plans = plansOf(server)
    for (const [sql, plan] of plans) check(sql, plan)
    for (const { filters } of listsOf(server)) {
      for (const [name, filter] of Object.entries(filters)) {
        if (filter.indexed === false || filter.lifts) continue
        const column = filter.link?.column ?? columnOf(name, filter)
        const isCounted = [...plans.keys()].some(
          (sql) => sql.endsWith(`LIMIT ${NARROW})`) && sql.includes(`WHERE org_id = +? AND ${column} `),
        )
        assert.ok(isCounted, `the filter ${name} is never counted in its index`)
      }
    }
  })

  test('with rows as well, whatever ANALYZE finds out about them', async () => {
    const { db } = server.store
    seed(server)
    const records = new Map<string, Row[]>()
    for (const { path } of listsOf(server)) {
      const [first, last] = await Promise.all(
        ['', 'sort=created_at'].map((query) =>
          server.call('GET', `${path}?limit=100&${path === '/deals' ? query : ''}`),
        ),
      )
      records.set(path, [...(first?.body.data ?? []), ...(last?.body.data ?? [])])
    }
    const plans = plansOf(server, (path) => records.get(path) ?? [])
    for (const [sql, plan] of plans) check(sql, plan)
    for (const [way, tested] of [
      ['deals_amount', 'deals.owner_id = '],
      ['deals_stage', 'deals.stage_id = '],
      ['deals_title', 'EXISTS (SELECT 1 FROM deal_tags'],
      ['contacts_name', 'contacts.do_not_contact = '],
      ['sqlite_autoindex_companies_1', 'companies.updated_at >= '],
    ]) {
      const isWay = (sql: string) => sql.includes(`INDEXED BY ${way} `) && sql.includes(` AND ${tested}`)
      assert.ok([...plans.keys()].some(isWay), `no list went along ${way} and tested ${tested}`)
    }
    db.exec('ANALYZE')
    // A filter before a join changes nothing of what is read.
    const steps = (plan: string[]) => plan.filter((step) => !step.startsWith('BLOOM FILTER')).sort()
    for (const [sql, plan] of plans) {
      if (sql.includes('INDEXED BY')) assert.deepEqual(steps(planOf(db, sql)), steps(plan), sql)
    }
  })

  test('counts the conditions on one field together: a band can be narrow where neither of its bounds is', () => {
    const { a, store } = server
    const deals = listsOf(server).find(({ path }) => path === '/deals') as ListRoute
    const { ask } = readAsk(deals, a.org, 'amount[gte]=0&owner_id=null&amount[lt]=9', cursors(Buffer.alloc(32)))
    const [first = ''] = preparedBy(store.db, () => deals.list(a.org, ask))
    assert.match(first, /^SELECT count.+ amount_micros >= \+\? AND amount_micros < \+\? LIMIT/)
  })

  test('a list whose filter or sort has no index stops the server before it listens', async () => {
    const other = await startServer()
    const { db } = other.store
    try {
      for (const [index, column] of [
        ['deals_company', 'company_id'],
        ['deals_amount', 'amount_micros'],
        ['stages_rank', 'rank'],
      ]) {
        const sql = db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(index) as string
        db.exec(`DROP INDEX ${index}`)
        assert.throws(() => catalog(other.deps), { message: new RegExp(`no index on \\w+ \\(org_id, ${column}\\)`) })
        db.exec(sql)
      }
      catalog(other.deps)
    } finally {
      await other.stop()
    }
  })
})
