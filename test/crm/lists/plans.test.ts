import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { companyStore } from '../../../src/crm/companies.ts'
import { contactStore } from '../../../src/crm/contacts.ts'
import { dealStore } from '../../../src/crm/deals/deals.ts'
import { smartLists } from '../../../src/filters/smart.ts'
import type { Database } from '../../../src/store/sqlite/driver.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { addSampleRecords } from './list-fixture.ts'
import type { Listed } from './naive.ts'

// The query plans of compiled filters: which index finds the records, and that no record is read without one.

let server: TestServer
let tags: string[]
before(async () => {
  server = await startServer()
  tags = addSampleRecords(server, 30).ids.tags as string[]
})
after(() => server.stop())

const TABLES = { contact: 'contacts', company: 'companies', deal: 'deals' }
const leaf = (field: string, op: string, value?: unknown) => ({ field, op, ...(value === undefined ? {} : { value }) })

type Plan = { sql: string; steps: string[] }

/** The statements that a first and a later page and the count are, with their plans. */
function plansOf(object: Listed, filter: unknown, column = 'id'): Plan[] {
  const { store, deps, a } = server
  const { db } = store
  const smart = smartLists(deps)
  smart.check(a.org, object, filter)
  const conditions = smart.conditions(a.org, object, filter as never)
  const { prepare } = db
  const prepared = new Set<string>()
  db.prepare = function (this: Database, sql: string) {
    prepared.add(sql)
    return prepare.call(this, sql)
  } as Database['prepare']
  try {
    // Separate stores, which have not prepared any statements yet.
    const own = { contact: contactStore, company: companyStore, deal: dealStore }[object](deps)
    prepared.clear()
    const ask = { limit: 5, sort: { column }, descending: true, conditions, count: true }
    const id = '01890000-0000-7000-8000-000000000000'
    for (const after of [undefined, { key: column === 'id' ? null : 5, id }]) own.list(a.org, { ...ask, after })
    own.count(a.org, conditions)
  } finally {
    db.prepare = prepare
  }
  return [...prepared].map((sql) => {
    const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array(sql.split('?').length - 1).fill(null))
    return { sql, steps: (rows as { detail: string }[]).map(({ detail }) => detail) }
  })
}

/** No table of records or of links is scanned, and none is searched by its organisation alone but the one that is walked. */
function check({ sql, steps }: Plan, object: Listed): void {
  const what = `${sql}\n${steps.join('\n')}`
  for (const step of steps) {
    if (step.startsWith('SCAN'))
      assert.match(step, /^SCAN (item (EXISTS )?VIRTUAL TABLE|\(subquery|CONSTANT ROW|\d+ CONSTANT)/, what)
    const [, table, found] = /^SEARCH (\w+) .*\((.+)\)$/.exec(step) ?? []
    if (table && table !== TABLES[object] && table !== 'item') assert.match(found as string, /org_id=\? AND /, what)
  }
}

/** The pages are read from the ids that the index leads to. */
function assertLed(object: Listed, filter: unknown, ...indexes: string[]): void {
  const plans = plansOf(object, filter)
  for (const plan of plans) check(plan, object)
  const pages = plans.filter(({ sql }) => sql.endsWith('LIMIT ?'))
  assert.ok(pages.length > 0)
  for (const { sql, steps } of pages) {
    const what = `${JSON.stringify(filter)}\n${sql}\n${steps.join('\n')}`
    assert.match(
      steps[0] as string,
      new RegExp(`^SEARCH ${TABLES[object]} USING PRIMARY KEY \\(org_id=\\? AND id=\\?\\)`),
      what,
    )
    const read = steps.slice(1).join('\n')
    for (const index of indexes) assert.match(read, new RegExp(`${index}( |$)`, 'm'), what)
  }
}

describe('the index of a field leads to the few records that meet a condition', () => {
  const custom = (of: Listed) => `SEARCH ${of}_values USING (COVERING INDEX|PRIMARY KEY)`
  const cases: [string, Listed, () => unknown, string[]][] = [
    [
      'a custom select',
      'contact',
      () => leaf('custom_fields.pick', 'eq', 'a'),
      [`SEARCH contact_values USING PRIMARY KEY \\(org_id=\\? AND field_id=\\? AND value=\\?\\)`],
    ],
    [
      'a custom number',
      'contact',
      () => leaf('custom_fields.num', 'gt', 1),
      [`SEARCH contact_values USING PRIMARY KEY \\(org_id=\\? AND field_id=\\? AND value>\\?\\)`],
    ],
    [
      'several options',
      'company',
      () => leaf('custom_fields.picks', 'has_any', ['a', 'b']),
      [`SEARCH company_values USING PRIMARY KEY \\(org_id=\\? AND field_id=\\? AND value=\\?\\)`],
    ],
    ['all of several options', 'deal', () => leaf('custom_fields.picks', 'has_all', ['a', 'b']), [custom('deal')]],
    [
      'a custom date',
      'deal',
      () => leaf('custom_fields.day', 'in_next_days', 9),
      [`SEARCH deal_values USING PRIMARY KEY \\(org_id=\\? AND field_id=\\? AND value>\\? AND value<\\?\\)`],
    ],
    ['that there is a custom value', 'deal', () => leaf('custom_fields.txt', 'not_null'), [custom('deal')]],
    ['an amount', 'deal', () => leaf('amount', 'gte', 1000), ['deals_amount']],
    ['a status', 'deal', () => leaf('status', 'in', ['won', 'lost']), ['deals_status']],
    ['a stage', 'deal', () => leaf('stage', 'in', [server.a.stages.demo]), ['deals_stage']],
    ['a day', 'deal', () => leaf('expected_close_date', 'in_last_days', 3), ['deals_expected_close']],
    ['a title', 'deal', () => leaf('title', 'in', ['z', 'lodz']), ['deals_title']],
    ['a tag', 'contact', () => leaf('tag_ids', 'has_any', tags), ['contact_tags']],
    ['all tags', 'contact', () => leaf('tag_ids', 'has_all', tags), ['contact_tags']],
    ['an email', 'contact', () => leaf('emails', 'has_any', ['ana1@example.com']), ['contact_emails']],
    ['a domain', 'company', () => leaf('domains', 'has_any', ['c1.example']), ['company_domains']],
    [
      'the company by its name',
      'contact',
      () => leaf('company.name', 'eq', 'z'),
      ['contacts_company', 'companies_name'],
    ],
    [
      'a custom field of the company',
      'deal',
      () => leaf('company.custom_fields.pick', 'eq', 'a'),
      ['deals_company', 'company_values'],
    ],
    [
      'one of all, where another has none',
      'contact',
      () => ({ all: [leaf('job_title', 'contains', 'a'), leaf('custom_fields.pick', 'eq', 'b')] }),
      ['contact_values'],
    ],
    [
      'any, by the index of each',
      'deal',
      () => ({
        any: [leaf('custom_fields.pick', 'eq', 'b'), leaf('amount', 'lt', 1), leaf('tag_ids', 'has_any', tags)],
      }),
      ['deal_values', 'deals_amount', 'deal_tags'],
    ],
    [
      'any of all',
      'deal',
      () => ({
        any: [leaf('amount', 'lt', 1), { all: [leaf('title', 'contains', 'a'), leaf('owner_id', 'not_null')] }],
      }),
      ['deals_amount', 'deals_owner'],
    ],
  ]
  for (const [what, object, filter, indexes] of cases) test(what, () => assertLed(object, filter(), ...indexes))

  test('and any is a union of what each finds', () => {
    const filter = { any: [leaf('amount', 'lt', 1), leaf('status', 'eq', 'won')] }
    const [page] = plansOf('deal', filter).filter(({ sql }) => sql.endsWith('LIMIT ?'))
    assert.match(
      page?.sql ?? '',
      /deals\.id IN \(SELECT id FROM deals INDEXED BY deals_amount .+ UNION ALL SELECT id FROM deals INDEXED BY deals_status /,
    )
  })
})

describe('where no index leads to the records they are walked in order, and tested by indexes', () => {
  const cases: [Listed, () => unknown][] = [
    ['contact', () => ({ not: leaf('custom_fields.pick', 'eq', 'a') })],
    ['contact', () => ({ any: [leaf('custom_fields.pick', 'eq', 'a'), leaf('job_title', 'eq', 'x')] })],
    ['contact', () => ({ all: [leaf('emails', 'contains', 'x'), leaf('phones', 'has_all', ['1', '2'])] })],
    ['contact', () => ({ not: { any: [leaf('tag_ids', 'has_all', tags), leaf('company.tag_ids', 'has_any', tags)] } })],
    ['company', () => leaf('address.city', 'eq', 'x')],
    ['company', () => leaf('created_at', 'in', ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'])],
    ['deal', () => ({ not: { all: [leaf('company.name', 'ne', 'x'), leaf('company.custom_fields.num', 'is_null')] } })],
    ['deal', () => leaf('closed_at', 'in_last_days', 3)],
  ]
  for (const [object, filter] of cases) {
    test(`${object}: ${JSON.stringify(filter()).replaceAll('"', '').slice(0, 90)}`, () => {
      for (const column of ['id', 'updated_at']) {
        for (const plan of plansOf(object, filter(), column)) {
          check(plan, object)
          if (!plan.sql.endsWith('LIMIT ?')) continue
          const what = plan.steps.join('\n')
          assert.ok(!what.includes('TEMP B-TREE FOR ORDER BY'), `sorts all there is: ${plan.sql}\n${what}`)
          const way = column === 'id' ? 'PRIMARY KEY' : `INDEX ${TABLES[object]}_updated`
          assert.match(plan.steps[0] as string, new RegExp(`^SEARCH ${TABLES[object]} USING ${way} `), what)
        }
      }
    })
  }
})

test('a filter is one statement whose values are all parameters', () => {
  const hostile = "x'; DROP TABLE contacts; --"
  const filter = {
    any: [leaf('last_name', 'eq', hostile), { not: leaf('custom_fields.txt', 'in', [hostile, 'Zürich']) }],
  }
  for (const { sql } of plansOf('contact', filter)) assert.doesNotMatch(sql, /DROP|rich|custom_fields\.|'[^$]/i)
})
