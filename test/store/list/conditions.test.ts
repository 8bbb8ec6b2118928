import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { dealStore } from '../../../src/crm/deals/deals.ts'
import { fold } from '../../../src/lib/pure/fold.ts'
import { matches, queryOf, wordsOf } from '../../../src/lib/words.ts'
import { conditionSql, type Group, grouped } from '../../../src/store/list/condition-sql.ts'
import type { Comparison, Condition, Link, Operator, Value } from '../../../src/store/list/conditions.ts'
import { ownerWord, searchIndex } from '../../../src/store/search/search.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import type { Row } from './model.ts'

// Conditions of every shape on a few deals, companies and contacts of two organisations, compared with an evaluator
// that does not use SQL.

let server: TestServer
let sql: ReturnType<typeof conditionSql>
/** The deals of org A, each with everything its conditions can use: its company, its tags, its JSON. */
let deals: Row[]

const IDS = ['01890000-0000-7000-8000-0000000000a1', '01890000-0000-7000-8000-0000000000a2']
const NOBODY = '01890000-0000-7000-8000-00000000dead'
const TITLES = ['Åland', 'aland two', 'ALAND', 'Łódź', '50% off_', '', '日本', 'a\\b']
const AMOUNTS = [null, 0n, 1_500_000n, 9_007_199_254_740_993n]

before(async () => {
  server = await startServer()
  const { a, b, call, store } = server
  const firms: Row[] = []
  const tags: string[] = []
  for (const org of [a, b]) {
    for (const name of ['One', 'Two', 'Three'])
      tags.push((await call('POST', '/tags', { name }, { token: org.token })).body.id)
    for (const [at, name] of ['Åland AG', 'lodz', 'Straße'].entries()) {
      const { body } = await call(
        'POST',
        '/companies',
        { name, owner_id: at ? org.owner : null, currency: at === 1 ? 'EUR' : null, tag_ids: at ? [tags.at(-at)] : [] },
        { token: org.token },
      )
      if (org === a) firms.push({ ...body, name_key: fold(name) })
    }
  }
  deals = []
  for (const org of [b, a]) {
    for (let at = 0; at < 48; at++) {
      const given = {
        title: TITLES[at % TITLES.length] || 'x',
        currency: [null, 'EUR', 'USD'][at % 3],
        owner_id: at % 4 ? org.owner : null,
        company_id: org === a && at % 5 ? firms[at % 3].id : null,
        expected_close_date: at % 7 ? `2027-01-0${1 + (at % 7)}` : null,
        tag_ids: tags.slice(org === a ? 0 : 3, (org === a ? 0 : 3) + (at % 4)).slice(at % 2),
      }
      const { body, status } = await call('POST', '/deals', given, { token: org.token })
      assert.equal(status, 201)
      const amount = AMOUNTS[at % AMOUNTS.length] as bigint | null
      const title = at % 6 ? given.title : ''
      const items = [[], ['x'], ['x', 'Yes'], ['Ünlü', null, 5]][at % 4] as unknown[]
      store.db
        .prepare(
          `UPDATE deals SET amount_micros = ?, title = ?, title_key = ?, custom_fields = ?, archived_fields = ? WHERE id = ?`,
        )
        .run(
          amount,
          title,
          fold(title),
          JSON.stringify({ one: items[0] }),
          JSON.stringify(items.map((v) => ({ v }))),
          body.id,
        )
      if (org === a)
        deals.push({
          ...body,
          ...given,
          title,
          title_key: fold(title),
          amount_micros: amount,
          items,
          company: firms.find(({ id }) => id === given.company_id),
        })
    }
  }
  const [ofDeals, ofTasks] = [searchIndex(store.db, 'deal'), searchIndex(store.db, 'task')]
  for (const { id, title, owner_id: owner } of deals) {
    ofDeals.remove(a.org, id)
    // Entries that a wrong lookup would find: another id, and the same id in another organisation and of another kind.
    ofDeals.put(a.org, `${id.slice(0, 24)}000000000000`, ['elsewhere'])
    ofDeals.put(b.org, id, ['elsewhere'])
    ofTasks.put(a.org, id, ['elsewhere'])
    ofDeals.put(a.org, id, [...wordsOf([title]), ...(owner ? [ownerWord(owner)] : [])])
  }
  sql = conditionSql(store.db, 'deals')
  values.owner_id = [a.owner, b.owner, NOBODY]
  values.company_id = [firms[0].id, firms[1].id, NOBODY]
  values.tag_id = [...tags, NOBODY]
  values.id = [deals[0].id, deals[20].id, NOBODY]
})
after(() => server.stop())

const values: Record<string, Value[]> = {
  title: [...TITLES, '%', '_', 'al', 'ALA', '%off'],
  title_key: ['aland', 'al', 'lodz', '', '50'],
  currency: ['EUR', 'USD', 'CHF', 'eur', ''],
  amount_micros: [0n, 1_500_000n, 9_007_199_254_740_992n, 9_007_199_254_740_993n, -1n],
  expected_close_date: ['2027-01-01', '2027-01-04', '1999-01-01', '2027-01'],
  item: ['x', 'yes', 'unlu', 'Yes', 'nobody', 'e'],
  owner_id: IDS,
  company_id: IDS,
  tag_id: IDS,
  id: IDS,
}

const TAGS: Link = { table: 'deal_tags', key: 'deal_id', column: 'tag_id' }
const FIRM_TAGS: Link = { table: 'company_tags', key: 'company_id', column: 'tag_id' }

const ORDERED: Operator[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in']
const TEXTUAL: Operator[] = [...ORDERED, 'contains', 'starts_with']

type Shape = Omit<Comparison, 'operator' | 'values' | 'indexed'>
const DEAL: [Shape, Operator[], string, boolean][] = [
  [{ column: 'title' }, TEXTUAL, 'title', false],
  [{ column: 'title', folded: true }, TEXTUAL, 'title_key', false],
  [{ column: 'title_key' }, TEXTUAL, 'title_key', true],
  [{ column: 'currency' }, TEXTUAL, 'currency', true],
  [{ column: 'amount_micros' }, ORDERED, 'amount_micros', true],
  [{ column: 'expected_close_date' }, ORDERED, 'expected_close_date', true],
  [{ column: 'owner_id' }, ['eq', 'ne', 'in'], 'owner_id', true],
  [{ column: 'company_id' }, ['eq', 'ne', 'in'], 'company_id', true],
  [{ column: 'id' }, ORDERED, 'id', true],
  [{ column: 'tag_id', link: TAGS }, ['eq', 'in'], 'tag_id', true],
  [{ column: 'custom_fields', json: { path: '$.one' } }, TEXTUAL, 'item', false],
  [{ column: 'custom_fields', json: { path: '$.one' }, folded: true }, TEXTUAL, 'item', false],
]
const COMPANY: [Shape, Operator[], string, boolean][] = [
  [{ column: 'name', folded: true }, TEXTUAL, 'title_key', false],
  [{ column: 'name_key' }, TEXTUAL, 'title_key', true],
  [{ column: 'owner_id' }, ['eq', 'ne', 'in'], 'owner_id', true],
  [{ column: 'currency' }, TEXTUAL, 'currency', false],
  [{ column: 'tag_id', link: FIRM_TAGS }, ['eq', 'in'], 'tag_id', true],
]

const PARTIAL: Operator[] = ['contains', 'starts_with']

/** A comparison, sometimes with null, as in `is null` or `is not null`. */
const leafOf = (fields: typeof DEAL): fc.Arbitrary<Condition> =>
  fc
    .record({
      field: fc.constantFrom(...fields),
      operator: fc.nat(),
      picks: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
      isNull: fc.nat(5),
    })
    .map(({ field: [shape, operators, name, indexed], operator, picks, isNull }) => {
      const samples = values[name] as Value[]
      const picked = picks.map((at) => samples[at % samples.length] as Value)
      const of = operators[operator % operators.length] as Operator
      if (isNull === 0 && !shape.link)
        return { ...shape, operator: picks[0]! % 2 ? 'eq' : 'ne', values: [null], indexed: indexed && !shape.folded }
      const isIndexed = indexed && of !== 'ne' && !PARTIAL.includes(of)
      return { ...shape, operator: of, values: of === 'in' ? picked : picked.slice(0, 1), indexed: isIndexed }
    })

const SEARCHES = ['aland', 'al two', 'lod', '日', '', '"', 'nobody', '50', 'a']

const trees = (depth: number): fc.Arbitrary<Condition> =>
  fc.letrec<{ tree: Condition; firm: Condition }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: depth, depthSize: 'small' },
      leafOf(DEAL),
      leafOf(DEAL),
      fc.constantFrom(...SEARCHES).map((text): Condition => ({ search: 'deal', text })),
      fc.constantFrom(...SEARCHES).map((text): Condition => ({ search: ['title', 'currency'], text })),
      fc.array(tie('tree'), { maxLength: 3 }).map((any): Condition => ({ any })),
      fc.array(tie('tree'), { maxLength: 3 }).map((all): Condition => ({ all })),
      tie('tree').map((not): Condition => ({ not })),
      tie('firm').map((meets): Condition => ({ of: { table: 'companies', column: 'company_id' }, meets })),
    ),
    firm: fc.oneof(
      { maxDepth: 2, depthSize: 'small' },
      leafOf(COMPANY),
      leafOf(COMPANY),
      fc.array(tie('firm'), { maxLength: 2 }).map((any): Condition => ({ any })),
      fc.array(tie('firm'), { maxLength: 2 }).map((all): Condition => ({ all })),
      tie('firm').map((not): Condition => ({ not })),
    ),
  })).tree

/** Two-valued logic: a comparison with a missing value is false, except for `ne`. */
function naive(condition: Condition, row: Row): boolean {
  if ('any' in condition) return condition.any.some((each) => naive(each, row))
  if ('all' in condition) return condition.all.every((each) => naive(each, row))
  if ('not' in condition) return !naive(condition.not, row)
  if ('meets' in condition) return row.company !== undefined && naive(condition.meets, row.company)
  if ('search' in condition) {
    const texts = typeof condition.search === 'string' ? [row.title] : condition.search.map((name) => row[name])
    return matches(wordsOf(texts).join(' '), queryOf(condition.text))
  }
  const { column, link, json, folded, operator, values: wanted } = condition
  if (link) return row.tag_ids.some((id: string) => wanted.includes(id))
  const found = json ? (row.items[0] ?? null) : row[column]
  if (wanted[0] === null) return (found === null) === (operator === 'eq')
  if (found === null) return operator === 'ne'
  const value = folded ? (typeof found === 'string' ? fold(found) : null) : found
  return value === null ? operator === 'ne' : compares(value, operator, wanted)
}

function compares(value: string | bigint, operator: Operator, wanted: Value[]): boolean {
  const [first] = wanted as [string | bigint]
  if (operator === 'in') return wanted.includes(value)
  if (operator === 'contains') return String(value).includes(String(first))
  if (operator === 'starts_with') return String(value).startsWith(String(first))
  const order =
    typeof value === 'string'
      ? Buffer.compare(Buffer.from(value), Buffer.from(String(first)))
      : Number(value - BigInt(first))
  return { eq: order === 0, ne: order !== 0, gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[operator]
}

const idsThat = (meets: (row: Row) => boolean): string[] =>
  deals
    .filter(meets)
    .map(({ id }) => id)
    .sort()

function tested(condition: Condition, only: boolean): string[] {
  const { sql: text, values: bound } = sql.test(server.a.org, condition, only)
  const rows = server.store.db.prepare(`SELECT id FROM deals WHERE org_id = ? AND ${text} ORDER BY id`).pluck()
  return rows.all(server.a.org, ...bound) as string[]
}

function led(group: Group): string[] {
  const { sql: text, values: bound } = sql.ids(server.a.org, group)
  const dealIds = new Set(deals.map(({ id }) => id))
  const rows = server.store.db.prepare(text).pluck()
  const found = new Set(rows.all(...bound) as string[])
  return [...found].filter((id) => dealIds.has(id)).sort()
}

describe('conditions', () => {
  test('of any shape test a row as the plain evaluator does, and their opposite is two-valued', () => {
    fc.assert(
      fc.property(trees(5), fc.boolean(), (tree, only) => {
        assert.deepEqual(
          tested(tree, only),
          idsThat((row) => naive(tree, row)),
        )
        assert.deepEqual(
          tested({ not: tree }, only),
          idsThat((row) => !naive(tree, row)),
        )
      }),
      { numRuns: 1500 },
    )
  })

  test('that an index leads to give the ids of the same rows, or of more where they say so', () => {
    let [exact, wide] = [0, 0]
    const two = fc.array(trees(3), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(two, (conditions) => {
        for (const group of grouped(conditions).filter((each) => each.some(sql.isIndexed))) {
          const found = led(group)
          const wanted = idsThat((row) => group.every((each) => naive(each, row)))
          if (sql.isExact(group)) assert.deepEqual(found, wanted)
          else assert.ok(wanted.every((id) => found.includes(id)))
          if (sql.isExact(group)) exact++
          else wide++
        }
      }),
      { numRuns: 1500 },
    )
    assert.ok(exact > 180 && wide > 40, `${exact} exact, ${wide} not`)
  })

  test('are listed and counted, alone and together, by every sort', () => {
    const { list } = dealStore(server.deps)
    const sorts = [{ column: 'id' }, { column: 'title_key' }, { column: 'amount_micros', nullable: true, big: true }]
    fc.assert(
      fc.property(
        fc.array(trees(3), { maxLength: 3 }),
        fc.constantFrom(...sorts),
        fc.boolean(),
        (conditions, sort, descending) => {
          const page = list(server.a.org, { limit: 100, sort, descending, conditions, count: true })
          const wanted = idsThat((row) => conditions.every((each) => naive(each, row)))
          assert.deepEqual(page.rows.map((row) => row.at(-1)).sort(), wanted)
          assert.equal(page.total, wanted.length)
          const short = list(server.a.org, { limit: 1, sort, descending, conditions, count: true })
          assert.equal(short.total, wanted.length)
        },
      ),
      { numRuns: 700 },
    )
  })

  test('on items of a JSON array are met by one of them', () => {
    const json = { path: '$.v', each: true }
    for (const [operator, wanted, folded, meets] of [
      ['eq', ['x'], false, (items) => items.includes('x')],
      ['in', ['Yes', 'Ünlü'], false, (items) => items.includes('Yes') || items.includes('Ünlü')],
      ['eq', ['unlu'], true, (items) => items.includes('Ünlü')],
      ['contains', ['nl'], false, (items) => items.includes('Ünlü')],
      ['starts_with', ['ye'], true, (items) => items.includes('Yes')],
      ['ne', [null], false, (items) => items.some((item) => item !== null)],
      ['eq', ['nobody'], false, () => false],
    ] as [Operator, Value[], boolean, (items: unknown[]) => boolean][]) {
      const condition: Condition = { column: 'archived_fields', json, operator, values: wanted, folded, indexed: false }
      const right = idsThat((row) => meets(row.items))
      assert.deepEqual(tested(condition, false), right, operator)
      assert.deepEqual(
        tested({ not: condition }, true),
        idsThat((row) => !right.includes(row.id)),
        operator,
      )
    }
  })

  test('join up only where one entry of an index meets all of them', () => {
    const on = (column: string, operator: Operator, link?: Link): Comparison => ({
      column,
      operator,
      values: ['x'],
      indexed: true,
      ...(link ? { link } : {}),
    })
    const single = { ...FIRM_TAGS, single: true }
    const sizes = (conditions: Condition[]) => grouped(conditions).map(({ length }) => length)
    assert.deepEqual(sizes([on('a', 'gte'), on('b', 'eq'), on('a', 'lt')]), [2, 1])
    assert.deepEqual(sizes([on('tag_id', 'eq', TAGS), on('tag_id', 'in', TAGS)]), [1, 1])
    assert.deepEqual(sizes([on('tag_id', 'gt', single), on('tag_id', 'lt', { ...single })]), [2])
    assert.deepEqual(
      sizes([on('tag_id', 'gt', single), on('tag_id', 'lt', { ...single, only: { column: 'f', value: '1' } })]),
      [1, 1],
    )
    assert.deepEqual(
      sizes([
        { ...on('a', 'gt'), json: { path: '$.x' } },
        { ...on('a', 'lt'), json: { path: '$.y' } },
      ]),
      [1, 1],
    )
    assert.deepEqual(sizes([{ any: [] }, { any: [] }, { not: on('a', 'eq') }]), [1, 1, 1])
    assert.deepEqual(sizes([on('tag_id', 'gt', single), on('tag_id', 'lt')]), [1, 1])
  })
})
