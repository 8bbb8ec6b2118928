import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { duplicates } from '../../../src/cleanup/merges/duplicates.ts'
import { type Row, UNKNOWN } from '../../support/records.ts'
import { type MergeFixture, type MergeObject, mergeFixture, refusal } from './merge-fixture.ts'

let fixture: MergeFixture
before(async () => {
  fixture = await mergeFixture()
})
after(() => fixture.stop())

const duplicatesOf = (object: MergeObject, { id }: Row) => fixture.merges.duplicates(fixture.a.org, object, id)
const twin = async (given: object): Promise<Row> => {
  const { body, status } = await fixture.call('POST', '/contacts?allow_duplicate=true', given)
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

describe('duplicates of a contact', () => {
  test('have an email in common, whatever its case', async () => {
    const { contact } = fixture
    const one = await contact({ emails: [{ email: 'ana@mail.example' }, { email: 'other@mail.example' }] })
    const other = await twin({ emails: [{ email: 'x@mail.example' }, { email: 'ANA@mail.example' }] })
    await contact({ emails: [{ email: 'anna@mail.example' }] })
    assert.deepEqual(duplicatesOf('contact', one), [{ id: other.id, reasons: ['email'] }])
    assert.deepEqual(duplicatesOf('contact', other), [{ id: one.id, reasons: ['email'] }])
  })

  test('have all digits of a phone in common, however it is written', async () => {
    const { contact } = fixture
    const one = await contact({ phones: [{ number: '+49 (30) 12 34-5' }, { number: '112' }, { number: '999 777' }] })
    const other = await contact({
      phones: [{ number: '555 000' }, { number: '0049 30 999' }, { number: '49 30 12345' }],
    })
    await contact({ phones: [{ number: '12345' }, { number: '49 30 123456' }, { number: '1 49 30 12345' }] })
    await contact({ last_name: '493012345', phones: [{ number: '112' }] })
    assert.deepEqual(duplicatesOf('contact', one), [{ id: other.id, reasons: ['phone'] }])
    assert.deepEqual(duplicatesOf('contact', other), [{ id: one.id, reasons: ['phone'] }])
  })

  test('have name and company in common, without regard to case and accents', async () => {
    const { contact, company } = fixture
    const [firm, another] = [(await company()).id, (await company()).id]
    const one = await contact({ first_name: 'José', last_name: 'Núñez', company_id: firm })
    const other = await contact({ first_name: 'jose', last_name: 'NUNEZ', company_id: firm })
    await contact({ first_name: 'José', last_name: 'Núñez', company_id: another })
    const free = [await contact({ last_name: 'José Núñez' }), await contact({ last_name: 'José Núñez' })]
    assert.deepEqual(duplicatesOf('contact', one), [{ id: other.id, reasons: ['name'] }])
    assert.deepEqual(duplicatesOf('contact', free[0]), [{ id: free[1].id, reasons: ['name'] }])
  })

  test('come with those first that have most in common', async () => {
    const same = { last_name: 'Most', emails: [{ email: 'most@x.example' }], phones: [{ number: '020 7946' }] }
    const one = await twin(same)
    const [phone, name] = [await twin({ last_name: 'X', phones: same.phones }), await twin({ last_name: 'most' })]
    const all = await twin(same)
    assert.deepEqual(duplicatesOf('contact', one), [
      { id: all.id, reasons: ['email', 'phone', 'name'] },
      { id: phone.id, reasons: ['phone'] },
      { id: name.id, reasons: ['name'] },
    ])
    fixture.merge('contact', one, all)
    assert.deepEqual(
      duplicatesOf('contact', one).map(({ id }) => id),
      [phone.id, name.id],
    )
  })
})

describe('duplicates of a company', () => {
  test('have the name in common, the host of the website, or the domain of the one as the host of the other', async () => {
    const { company } = fixture
    const one = await company({ name: 'Müller', website: 'https://WWW.Mueller.example/about', domains: ['m.example'] })
    const name = await company({ name: 'muller' })
    const website = await company({ website: 'http://mueller.example:8080' })
    const domain = await company({ domains: ['x.mueller.example', 'mueller.example'] })
    const host = await company({ website: 'https://m.example' })
    await company({ name: 'Mullers', website: 'https://x.m.example', domains: ['example.m.example'] })
    const reasons = (others: Row[], ...why: string[]) => others.map((each, at) => ({ id: each.id, reasons: [why[at]] }))
    assert.deepEqual(
      duplicatesOf('company', one),
      reasons([name, website, domain, host], 'name', 'website', 'domain', 'domain'),
    )
    assert.deepEqual(duplicatesOf('company', domain), reasons([one, website], 'domain', 'domain'))
    assert.deepEqual(duplicatesOf('company', website), reasons([one, domain], 'website', 'domain'))
    assert.deepEqual(duplicatesOf('company', host), reasons([one], 'domain'))
  })

  test('follow the website when it changes', async () => {
    const { company, patch } = fixture
    const [one, other] = [await company({ website: 'https://w.example' }), await company()]
    assert.deepEqual(duplicatesOf('company', other), [])
    await patch(`/companies/${other.id}`, { website: 'https://www.w.example/de' })
    assert.deepEqual(duplicatesOf('company', other), [{ id: one.id, reasons: ['website'] }])
    await patch(`/companies/${one.id}`, { website: null })
    assert.deepEqual(duplicatesOf('company', other), [])
  })
})

test('duplicates are of the own organisation', async () => {
  const { a, b, call, merges } = fixture
  const person = { last_name: 'Both', emails: [{ email: 'both@orgs.example' }], phones: [{ number: '77 88 99' }] }
  const firm = { name: 'Both', domains: ['both.example'], website: 'https://both.example' }
  const [mine, theirs] = [await twin(person), (await call('POST', '/contacts', person, { token: b.token })).body]
  const [own] = [
    (await call('POST', '/companies', firm)).body,
    await call('POST', '/companies', firm, { token: b.token }),
  ]
  assert.deepEqual([duplicatesOf('contact', mine), duplicatesOf('company', own)], [[], []])
  const gone = { status: 404, code: 'not_found', errors: undefined }
  for (const id of [theirs.id, UNKNOWN])
    assert.deepEqual(
      refusal(() => merges.duplicates(a.org, 'contact', id)),
      gone,
    )
  assert.deepEqual(
    refusal(() => merges.duplicates(a.org, 'company', mine.id)),
    gone,
  )
})

test('every look-up goes by an index', () => {
  const { db } = fixture
  const { prepare } = db
  const seen: string[] = []
  try {
    db.prepare = ((sql: string) => {
      seen.push(sql)
      return prepare.call(db, sql)
    }) as typeof prepare
    duplicates(db)
  } finally {
    db.prepare = prepare
  }
  assert.ok(seen.length > 8)
  for (const sql of seen) {
    const values = (sql.match(/\?/g) ?? []).map(() => 'x')
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[]
    for (const { detail } of plan) {
      if (
        /^(COMPOUND|LEFT-MOST|UNION ALL|CO-ROUTINE|CORRELATED|LIST SUBQUERY|SCAN item (EXISTS )?VIRTUAL)/.test(detail)
      )
        continue
      assert.match(detail, /^(SEARCH|SCAN (search VIRTUAL TABLE INDEX|pending$|found$))/, sql)
      assert.doesNotMatch(detail, /\(org_id=\?\)$/, sql)
    }
  }
})
