import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { catalog } from '../../../src/app/api.ts'
import { resourceDeps } from '../../../src/app/deps.ts'
import { cursors } from '../../../src/http/cursor.ts'
import { readAsk } from '../../../src/http/query.ts'
import type { ListRoute } from '../../../src/http/route.ts'
import { wordsOf } from '../../../src/lib/words.ts'
import { columnOf } from '../../../src/store/list/conditions.ts'
import { NARROW } from '../../../src/store/list/page.ts'
import type { Position } from '../../../src/store/list/query.ts'
import { ownerWord, searchIndex } from '../../../src/store/search/search.ts'
import type { Database } from '../../../src/store/sqlite/driver.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { setLevels } from '../../support/settings.ts'
import { type Asked, everyFilter, parameter, type Row } from './model.ts'

// The query plans of every list: no statement reads more of an organisation than its page needs.

let server: TestServer
/** Records whose paths lead to lists. */
let webhook: string
let conversation: string
before(async () => {
  server = await startServer()
  webhook = (await server.call('POST', '/webhooks', { url: 'https://a.example/', event_types: ['*'] })).body.id
  const message = { from: { email: 'a@a.example' }, channel: 'chat', direction: 'inbound', body_text: 'x' }
  conversation = (await server.call('POST', '/messages', message)).body.conversation_id
})
after(() => server.stop())

type Asking = { query: string; after?: Position }
type Plans = Map<string, string[]>

type Fixed = Extract<ListRoute, { open?: undefined }>

/**
 * All lists. The members of static and smart lists are read with conditions of every shape: see
 * crm/lists/plans.test.ts.
 */
const listsOf = ({ a, deps }: TestServer): Fixed[] =>
  catalog(deps).flatMap((route) => {
    if (route.kind !== 'list') return []
    if (!route.open) return [route]
    const { open, ...rest } = route
    const id = { delivery: webhook, message: conversation }[route.name]
    if (id === undefined) return []
    const opened = open({ org: a.org, member: null }, id)
    return [{ ...rest, ...opened, path: route.path.replace(':id', id), open: undefined } as Fixed]
  })

/** Runs the job; returns the SQL of every statement prepared while it runs, without duplicates. */
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

/** A caller without member and scopes, like the background jobs. */
const nobody = ({ org }: { org: number }) => ({ org, member: null })

function planOf(db: Database, sql: string): string[] {
  const marks = sql.split('?').length - 1
  const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array(marks).fill(null)) as { detail: string }[]
  return rows.map(({ detail }) => detail).filter((step) => !/^(CO-ROUTINE|SCAN) \(subquery-\d\)$/.test(step))
}

/**
 * Every filter under every sort in both directions, and pairs of filters: the first page, a later one, and one after a
 * row without a sort key.
 */
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
    const id = '01890000-0000-7000-8000-000000000000'
    const keys = ['1000', 1000, null, `1\u001f${id}`] // keys of another type than the sort are rejected
    return [{ query }, ...keys.map((key) => ({ query, after: { key, id } }))]
  })
}

/** Runs all of these queries; returns each statement they used with its plan. */
function plansOf(given: TestServer, records: (path: string) => Row[] = () => []): Plans {
  const { store, a } = given
  const sealed = cursors(Buffer.alloc(32))
  const lists = listsOf(given)
  const [all, behind] = [new Set<string>(), new Set<string>()]
  const statements = preparedBy(store.db, () => {
    for (const route of lists) {
      for (const { query, after } of everyAsking(route, records(route.path))) {
        const { ask } = readAsk(route, nobody(a), route.path, query, sealed)
        const asked = { ...ask, after, count: !query.includes('sort=') }
        const isTaken = attempt(() => (route.render ?? route.list)(a.org, asked, nobody(a)))
        if (isTaken && after) behind.add(`${route.path}?${query}`)
        if (!after) all.add(`${route.path}?${query}`)
      }
    }
  })
  assert.deepEqual(
    [...all].filter((query) => !behind.has(query)),
    [],
  )
  return new Map(statements.map((sql) => [sql, planOf(store.db, sql)]))
}

/** Whether the job accepts its position, which may be of another type than the sort. */
function attempt(job: () => void): boolean {
  try {
    job()
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'invalid_cursor') return false
    throw error
  }
}

/** Checks the plan of a statement that reads a page or counts its rows. */
function check(given: string, plan: string[]): void {
  const sql = given.replace(/ LIMIT \?\)$/, ' LIMIT ?') // of a page that SQLite renders
  const what = `${sql}\n${plan.join('\n')}`
  if (/\bAS r\b/.test(sql)) {
    checkReferred(sql, plan, what)
    return
  }
  const [, table] = / FROM (\w+)/.exec(sql) ?? []
  const first = plan.find((step) => step.startsWith(`SEARCH ${table} `)) ?? ''
  const isNarrow = sql.includes(' IN (SELECT ')
  const searched = plan.filter((step) => step.startsWith('SCAN search '))
  assert.equal(searched.length, sql.split('search MATCH').length - 1, what)
  for (const step of searched) assert.match(step, / VIRTUAL TABLE INDEX \d+:M/, what)
  assert.ok(!plan.some((step) => /^SCAN (?!\(subquery|search |pending$|found$)/.test(step)), what)
  for (const step of plan) {
    if (step.startsWith('SEARCH') && step !== first)
      assert.match(
        step,
        /\(org_id=\? AND .+\)|^SEARCH (doc|search_docs|other|pending) .+\(rowid/,
        `reads a whole org: ${what}`,
      )
    if (step.startsWith('USE TEMP B-TREE'))
      assert.ok(isNarrow && sql.endsWith(' LIMIT ?'), `sorts all there is: ${what}`)
  }
  if (table === 'search') checkSearch(sql, plan, what)
  else if (isNarrow) assert.match(first, / USING PRIMARY KEY \(org_id=\? AND id=\?\)$/, what)
  else if (sql.endsWith(`LIMIT ${NARROW})`)) assert.match(first, /\(org_id=\? AND \w+/, `has no index: ${what}`)
  else if (sql.endsWith(' LIMIT ?')) checkWalk(sql, first, what)
}

/**
 * Records that rows refer to come in the order of their index, from where the previous page ended, and each is looked up
 * among the rows. Members are few, and are sorted.
 */
function checkReferred(sql: string, plan: string[], what: string): void {
  const [, of, index] = /FROM (\w+) AS r(?: INDEXED BY (\w+))?/.exec(sql) ?? []
  const first = plan.find((step) => step.startsWith('SEARCH r ')) ?? ''
  if (!/ FROM \w+ AS r INDEXED BY /.test(sql)) {
    // The record that a row refers to: of one row, or of the few that fit.
    assert.match(first, /PRIMARY KEY \(org_id=\? AND id=\?\)/, what)
    return
  }
  const isSorted = of === 'members'
  assert.match(first, isSorted ? / PRIMARY KEY \(org_id=\?/ : new RegExp(`INDEX ${index} \\(org_id=\\?`), what)
  if (!isSorted && / r\.id\) [<>] \(/.test(sql)) assert.match(first, /,id\)[<>]\(\?,\?\)/, `starts too early: ${what}`)
  for (const step of plan) {
    if (step.startsWith('USE TEMP B-TREE')) assert.ok(isSorted, `sorts all there is: ${what}`)
    if (/^SEARCH (?!r )/.test(step))
      assert.match(
        step,
        /\(org_id=\? AND .+\)|^SEARCH (doc|search_docs|other|pending) .+\(rowid/,
        `reads a whole org: ${what}`,
      )
  }
}

/** A list scan uses the named index and starts where the previous page ended. */
function checkWalk(sql: string, search: string, what: string): void {
  const [, index = ''] = /INDEXED BY (\w+)/.exec(sql) ?? []
  const isWalked = sql.includes(' AS walked ') // reads the index alone
  const by = index.startsWith('sqlite_')
    ? ' USING PRIMARY KEY '
    : ` USING ${isWalked ? 'COVERING ' : ''}INDEX ${index} `
  assert.ok(search.includes(by), what)
  if (/\.id [<>] \?/.test(sql)) assert.match(search, / AND id[<>]\?/, `starts too early: ${what}`)
  if (/[._]id\) [<>] \(/.test(sql)) assert.match(search, /,id\)[<>]\(\?,\?\)/, `starts too early: ${what}`)
}

/**
 * A scan of the search index starts where the previous page ended, next to what is pending, and reads one record at a
 * time.
 */
function checkSearch(sql: string, plan: string[], what: string): void {
  if (!sql.startsWith('SELECT count')) {
    assert.ok(plan.includes('MERGE (UNION ALL)'), `reads all that was found: ${what}`)
    const [doc, record] = plan.slice(plan.indexOf('SCAN found') + 1)
    assert.match(doc as string, /^SEARCH doc USING INTEGER PRIMARY KEY \(rowid=\?\)$/, what)
    assert.match(record as string, /^SEARCH \w+ USING PRIMARY KEY \(org_id=\? AND id=\?\)$/, what)
  }
  const index = plan.find((step) => step.startsWith('SCAN search ')) ?? ''
  const pending = plan.find((step) => /^(SCAN|SEARCH) pending/.test(step)) ?? ''
  for (const [bound, sign] of [
    [/search\.rowid >= /, '>'],
    [/search\.rowid < /, '<'],
  ] as const) {
    const isBound = bound.test(sql)
    assert.equal(index.slice(index.indexOf(':')).includes(sign), isBound, `starts too early: ${what}`)
    assert.equal(pending.includes(`rowid${sign}?`), isBound, `starts too early: ${what}`)
  }
}

const NO_SLA = `'{"policy_id":null,"status":"none","first_response_due_at":null,"next_response_due_at":null,"resolution_due_at":null,"breaches":[]}'`
const AUTHOR = `'{"type":"system","id":null,"name":null,"email":null,"phone":null}'`

/** Inserts some thousand records of each kind; in a tenth of them every optional value is missing. */
function seed({ store, a }: TestServer): void {
  const { db } = store
  const rows = 2 * NARROW + 500
  const id = (kind: number, n = 'n') => `printf('01890000-%04x-7%03x-8000-%012x', ${n}, ${kind}, ${n})`
  const some = (kind: number) => `iif(n % 10 = 0, NULL, ${id(kind, 'n % 9')})`
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
  const tag = id(1, '(n % 9 = 0)')
  fill('tags', { id: id(1), name: "'tag ' || n", name_key: "'tag ' || n", ...stamps })
  fill('companies', {
    ...{
      id: id(2),
      name: "'c ' || (n % 40)",
      name_key: "'c ' || (n % 40)",
      domains: "'[]'",
      tag_ids: `json_array(${tag})`,
    },
    ...{ owner_id: owner, external_id: "iif(n % 2, 'e' || n, NULL)", ...stamps },
  })
  db.prepare('UPDATE companies SET parent_company_id = id WHERE length(name) > 3').run()
  fill('company_tags', { tag_id: tag, company_id: id(2) })
  fill('company_domains', { domain: "'c' || n || '.example'", company_id: id(2) })
  fill('contacts', {
    ...{ id: id(3), name: "'p ' || (n % 40)", name_key: "'p ' || (n % 40)", emails: "'[]'", phones: "'[]'" },
    ...{ tag_ids: `json_array(${tag})`, company_id: some(2), owner_id: owner, do_not_contact: 'n % 2' },
    ...{ external_id: "iif(n % 2, 'e' || n, NULL)", ...stamps },
  })
  fill('contact_tags', { tag_id: tag, contact_id: id(3) })
  fill('contact_emails', { email_key: "'p' || n % 2 || '@example.com'", contact_id: id(3) })
  fill('deals', {
    ...{
      id: id(4),
      title: "'d ' || (n % 40)",
      title_key: "'d ' || (n % 40)",
      amount_micros: 'iif(n % 10 = 0, NULL, n % 30)',
    },
    ...{ currency: "iif(n % 10 = 0, NULL, 'EUR')", stage_id: `iif(n % 9, '${a.stages.demo}', '${a.stages.proposal}')` },
    ...{ status: "'open'", company_id: some(2), primary_contact_id: some(3), owner_id: owner },
    ...{ tag_ids: `json_array(${tag})`, expected_close_date: "iif(n % 10 = 0, NULL, '2027-01-0' || (1 + n % 9))" },
    ...{ stage_changed_at: '0', external_id: "iif(n % 2, 'e' || n, NULL)", ...stamps },
  })
  fill('deal_tags', { tag_id: tag, deal_id: id(4) })
  const contact_id = id(3, '(n % 9 = 0)')
  const linked = { contact_ids: `json_array(${contact_id})`, company_ids: "'[]'", deal_ids: "'[]'" }
  fill('notes', { id: id(5), body: "'n ' || (n % 40)", ...linked, author_id: owner, is_pinned: 'n % 2', ...stamps })
  fill('tasks', {
    ...{
      id: id(6),
      title: "'t ' || (n % 40)",
      type: "iif(n % 9, 'call', 'todo')",
      status: "iif(n % 9, 'open', 'done')",
    },
    ...{ completed_at: 'iif(n % 9, NULL, 0)', priority: "iif(n % 2, 'normal', 'low')" },
    ...{ due_at: 'iif(n % 10 = 0, NULL, n % 30)', owner_id: owner, ...linked, ...stamps },
  })
  fill('webhooks', {
    ...{ id: id(7), url: "'https://a.example/'", event_types: "'[]'", status: "iif(n % 9, 'active', 'paused')" },
    ...stamps,
  })
  fill('webhook_states', { webhook_id: id(7), secrets: "''", planned_seq: '0', failures: '0' })
  fill('deliveries', {
    ...{ id: id(8), webhook_id: `iif(n % 9, '${webhook}', ${id(7, '0')})`, event_id: id(9), object_id: "'o'" },
    ...{ type: "iif(n % 9, 'deal.created', 'tag.created')", status: "iif(n % 9, 'delivered', 'failed')" },
    ...{ tries: "'[]'", failures: '0', is_ordered: '1', ...stamps },
  })
  fill('meetings', {
    ...{ id: id(10), title: "'m ' || (n % 40)", starts_at: 'n % 30', ends_at: '99', participants: "'[]'" },
    ...{ status: "iif(n % 9, 'scheduled', 'completed')", company_id: some(2), deal_id: some(4), owner_id: owner },
    ...{ has_transcript: '0', ...stamps },
  })
  fill('meeting_contacts', { contact_id, meeting_id: id(10) })
  fill('meeting_members', { member_id: `iif(n % 9, '${a.owner}', '${a.deactivated}')`, meeting_id: id(10) })
  fill('conversations', {
    ...{ id: id(11), number: 'n + 2', channel: "iif(n % 9, 'chat', 'email')", status: "iif(n % 9, 'open', 'pending')" },
    ...{ priority: "iif(n % 9, 'normal', 'low')", owner_id: owner, contact_id: some(3), company_id: some(2) },
    ...{ deal_id: some(4), tag_ids: `json_array(${tag})`, unread_count: '0', last_message_at: 'n % 30' },
    ...{ waiting_since: 'iif(n % 10 = 0, NULL, n % 30)', preview: "''" },
    sla: `iif(n % 9, ${NO_SLA}, json_set(${NO_SLA}, '$.status', 'ok'))`,
    ...stamps,
  })
  fill('conversation_tags', { tag_id: tag, conversation_id: id(11) })
  fill('messages', {
    ...{ id: id(12), conversation_id: `iif(n % 9, '${conversation}', ${id(11, '0')})`, channel: "'chat'" },
    ...{ direction: "iif(n % 9, 'inbound', 'note')", author: AUTHOR, body_text: "'x'", sent_at: 'n % 30' },
    ...{ status: "'sent'", attachments: "'[]'", sent_to: "'[]'", sent_cc: "'[]'", is_automatic: '0', ...stamps },
  })
  const step = { type: 'call', delay_s: 0, task_title: 'Call' }
  const both = ['one', 'other'].map((key) => ({ key, name: key, status: 'active', steps: [step] }))
  const sequences = setLevels(store, a.org, { sequences: both })
  fill('enrollments', {
    ...{ id: id(13), sequence_id: `iif(n % 9, '${sequences.one}', '${sequences.other}')`, sequence_version: '1' },
    ...{ contact_id: some(3), sender_id: owner, deal_id: some(4), current_step: '1', ...stamps },
    ...{ status: "iif(n % 9, 'completed', 'stopped')", stop_reason: "iif(n % 9, NULL, 'manual')", finished_at: '0' },
  })
  fill('note_contacts', { contact_id, note_id: id(5) })
  fill('task_contacts', { contact_id, task_id: id(6) })
  for (const [kind, table, text] of [
    ['deal', 'deals', 'title'],
    ['contact', 'contacts', 'name'],
    ['company', 'companies', 'name'],
    ['note', 'notes', 'body'],
    ['task', 'tasks', 'title'],
    ['meeting', 'meetings', 'title'],
    ['conversation', 'conversations', 'channel'],
  ] as const) {
    const { put } = searchIndex(db, kind)
    const owned = kind === 'deal' ? 'owner_id' : 'NULL'
    const all = db.prepare(`SELECT id, ${text}, ${owned} FROM ${table} WHERE org_id = ?`).raw().all(a.org)
    store.transaction(() => {
      for (const [recordId, words, owner] of all as [string, string, string | null][])
        put(a.org, recordId, [...wordsOf([words]), ...(owner ? [ownerWord(owner)] : [])])
    })
  }
}

describe('the plan of every list', () => {
  test('without rows searches an index, and sorts nothing but the few rows of a narrow filter', () => {
    const plans = plansOf(server)
    for (const [sql, plan] of plans) check(sql, plan)
    for (const { filters } of listsOf(server)) {
      for (const [name, filter] of Object.entries(filters)) {
        if (filter.indexed === false || filter.disablesDefault || Array.isArray(filter.search) || filter.resolve)
          continue
        const column = filter.link?.column ?? columnOf(name, filter)
        const condition = filter.search ? 'WHERE search MATCH ? ' : `WHERE org_id = ? AND ${column} `
        const isCounted = [...plans.keys()].some((sql) => sql.endsWith(`LIMIT ${NARROW})`) && sql.includes(condition))
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
      ['deals_amount', 'deals.currency = '],
      ['deals_stage', 'deals.stage_id = '],
      ['deals_title', 'CASE WHEN affordable(4) THEN EXISTS (SELECT 1 FROM deal_tags'],
      ['contacts_name', 'contacts.do_not_contact = '],
      ['notes_updated', 'CASE WHEN affordable(4) THEN EXISTS (SELECT 1 FROM note_contacts'],
      ['tasks_status', 'tasks.due_at < '],
      ['sqlite_autoindex_companies_1', 'companies.updated_at >= '],
    ]) {
      const isWay = (sql: string) => sql.includes(`INDEXED BY ${way} `) && sql.includes(` AND ${tested}`)
      assert.ok([...plans.keys()].some(isWay), `no list went along ${way} and tested ${tested}`)
    }
    const searches = [...plans.keys()].filter((sql) => sql.includes('LIMIT -1) AS found CROSS JOIN'))
    for (const part of [' AND +', 'search.rowid < ?', 'search.rowid >= ?', ' DESC LIMIT ?']) {
      assert.ok(
        searches.some((sql) => sql.includes(part)),
        `no list went along the search index and had ${part}`,
      )
    }
    db.exec('ANALYZE')
    // A Bloom filter before a join does not change which rows are read.
    const steps = (plan: string[]) => plan.filter((step) => !step.startsWith('BLOOM FILTER')).sort()
    for (const [sql, plan] of plans) {
      if (sql.includes('INDEXED BY')) assert.deepEqual(steps(planOf(db, sql)), steps(plan), sql)
    }
  })

  test('counts the conditions on one field together: a band can be narrow where neither of its bounds is', () => {
    const { a, store } = server
    const deals = listsOf(server).find(({ path }) => path === '/deals')
    assert.ok(deals)
    const { ask } = readAsk(
      deals,
      nobody(a),
      deals.path,
      'amount[gte]=0&owner_id=null&amount[lt]=9',
      cursors(Buffer.alloc(32)),
    )
    const [first = ''] = preparedBy(store.db, () => deals.list(a.org, ask, nobody(a)))
    assert.match(first, /^SELECT count.+ amount_micros >= \? AND amount_micros < \? LIMIT/)
  })

  test('goes along the search index between bounds of time, and only tests what else is asked', () => {
    const { a, store } = server
    const deals = listsOf(server).find(({ path }) => path === '/deals')
    assert.ok(deals)
    const query = `q=d&created_at[gte]=2020-01-01T00:00:00Z&created_at[lt]=2030-01-01T00:00:00Z&owner_id=${a.owner}`
    const { ask } = readAsk(deals, nobody(a), deals.path, query, cursors(Buffer.alloc(32)))
    const sql = preparedBy(store.db, () => deals.list(a.org, ask, nobody(a))).at(-1) as string
    assert.match(sql, / search MATCH \? AND search\.rowid >= \? AND search\.rowid < \? .+ AND \+deals\.owner_id = \?/)
    check(sql, planOf(store.db, sql))
  })

  test('tests an owner, and what a search finds, in the index of the order before it reads a row', () => {
    const { a, store } = server
    const deals = listsOf(server).find(({ path }) => path === '/deals')
    assert.ok(deals)
    for (const [query, tested] of [
      ['q=d', 'substr(walked_id, 1, 20) IN ('],
      [`q=d&owner_id=${a.owner}`, 'walked_owner = ? AND substr(walked_id, 1, 20) IN ('],
      [`owner_id=${a.owner}`, 'walked_owner = ? AND '],
    ] as const) {
      const { ask } = readAsk(deals, nobody(a), deals.path, `sort=-amount&${query}`, cursors(Buffer.alloc(32)))
      const isWalk = (sql: string) => sql.includes(' INDEXED BY deals_amount) AS walked CROSS JOIN deals ')
      const [sql = ''] = preparedBy(store.db, () => deals.list(a.org, { ...ask, limit: 51 }, nobody(a))).filter(isWalk)
      assert.ok(sql.includes(` walked_org = ? AND ${tested}`), `${query}: ${sql}`)
      const [first] = planOf(store.db, sql)
      assert.match(
        first as string,
        /^SEARCH deals USING COVERING INDEX deals_amount \(org_id=\? AND amount_micros>\?\)$/,
      )
    }
  })

  test('looks up how a word goes on in its index', () => {
    const statements = preparedBy(server.store.db, () => void catalog(resourceDeps(server.store))).filter((sql) =>
      sql.includes('search_words'),
    )
    const lookup = statements.find((sql) => sql.includes('word <')) ?? ''
    assert.deepEqual(planOf(server.store.db, lookup), [
      'SEARCH search_words USING PRIMARY KEY (org_id=? AND word>? AND word<?)',
    ])
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
        assert.throws(() => catalog(resourceDeps(other.store)), {
          message: new RegExp(`no index on \\w+ \\(org_id, ${column}\\)`),
        })
        db.exec(sql)
      }
      catalog(resourceDeps(other.store))
    } finally {
      await other.stop()
    }
  })
})
