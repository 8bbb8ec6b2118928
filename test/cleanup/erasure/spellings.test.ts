import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { finder } from '../../../src/cleanup/erasure/traits.ts'
import { textTables } from '../../../src/store/schema/tables.ts'
import { cli, cliJson } from '../../cli/command-line.ts'
import { type Row, recordsOf } from '../../support/records.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { fillPerson, PERSONAL } from './person-fixture.ts'
import { ADDRESSES, ANNA, NAMES, OTHERS, OWN, WHOLE } from './spellings.ts'

let server: TestServer
const { newContact, newCompany, newId, getRecord } = recordsOf(() => server)
before(async () => {
  server = await startServer()
  await fillPerson(server)
})
after(() => server.stop())

const own = () => ['--data', server.dataDir, '--org', server.a.id]
const OWN_TEXTS = [ANNA.emails[0]?.email, ANNA.phones[0]?.number, ANNA.linkedin_url] as string[]
const hers = finder(OWN_TEXTS)
const all = finder([...OWN_TEXTS, 'Anna Müller', 'Müller, Anna'])

describe('a person is found in a text', () => {
  for (const text of NAMES) test(`named ${JSON.stringify(text)}`, () => assert.ok(all.finds(text)))
  for (const text of OWN) test(`as ${JSON.stringify(text)}`, () => assert.ok(hers.finds(text)))
})

describe('somebody else is not', () => {
  for (const text of [...OTHERS, ...WHOLE]) test(JSON.stringify(text), () => assert.equal(all.without(text), text))
  for (const text of ADDRESSES) test(JSON.stringify(text), () => assert.equal(hers.without(text), text))
})

test('what is around a name stays, with its tags and its form', () => {
  for (const [text, left] of [
    ['<p><b>An</b>na <i>Müller</i> came</p>', '<p><b>[erased]</b><i></i> came</p>'],
    ['<a href="mailto:anna.mueller%40b%C3%BCcher.example">Anna Müller</a>', '<a href="mailto:[erased]">[erased]</a>'],
    ['> Anna\r\n> Müller wrote:', '> [erased] wrote:'],
    ['{"a":"Anna M\\u00fcller","b":"\\u00e9","c":1e2}', '{"a":"[erased]","b":"\\u00e9","c":1e2}'],
    ['Anna Müller, anna müller; ANNA MÜLLER', '[erased], [erased]; [erased]'],
    ['[Anna Müller]', '[[erased]]'],
    ['Anna Müller 030 1234567', '[erased] [erased]'],
  ] as const)
    assert.equal(all.without(text), left)
})

test('names of other forms and scripts are found as a whole', () => {
  for (const [name, found, others] of [
    ['王 小明', ['王小明先生', '王 小明'], ['王小']],
    ['김 철수', ['김철수는'], ['김영수']],
    ["Sinéad O'Brien", ['sinead o’brien', 'SINEAD OBRIEN', 'O&#39;Brien, Sinéad'], ["Sinead O'Brienne"]],
    ['Hans-Peter Groß', ['Hans Peter Gross', 'hanspeter groß', 'HANS\u2011PETER GROSS'], ['Peter Groß']],
    ['Søren Aarup', ['Soeren Årup', 'soren aarup'], ['Soren Rup']],
    ['İpek Yılmaz', ['ipek yilmaz', 'IPEK YILMAZ'], ['Pek Yılmaz']],
  ] as const) {
    const find = finder([name, ...(name.includes('Brien') ? ["O'Brien, Sinéad"] : [])])
    for (const text of found) assert.ok(find.finds(text), text)
    for (const text of others) assert.equal(find.without(text), text)
  }
})

test('numbers of each country are found with and without their code', () => {
  for (const [number, found, others] of [
    [
      '+1 (555) 123-4567',
      ['555.123.4567', '1-555-123-4567', '011 1 555 123 4567'],
      ['555 123 45678', '+44 555 123 4567'],
    ],
    ['+7 495 1234567', ['8 (495) 123-45-67'], ['+8 495 1234567', '8 495 12345678']],
    ['+36 1 234 5678', ['06 1 234 5678'], ['+36 1 234 56789']],
    ['+39 06 1234567', ['06 1234567', '+39061234567'], ['+39 06 12345678']],
    ['+47 12 34 56 78', ['12345678', '+4712345678'], ['912345678', '12345678-90']],
    ['030 1234567', ['+49 30 1234567', '0049 (0)30 1234567', '030-1234567'], ['030 12345678', '1 30 1234567']],
    ['4711', ['no. 4711'], ['47 11', '47110']],
  ] as const) {
    const find = finder([number])
    for (const text of found)
      assert.ok(find.finds(text) === (number.length > 4 || text.includes(number)), `${number}: ${text}`)
    for (const text of others) assert.equal(find.without(text), text, number)
  }
})

test('a text that is made to be slow is read in the time of its length', () => {
  // Each of them would take hours if the work grew with the square.
  for (const piece of [
    '<b ',
    '&amp;',
    '=?a?q?',
    '\n> ',
    '030 ',
    'Anna ',
    'anna.',
    '+49 ',
    '"\\',
    '=C3',
    '\u0301',
    '<!--',
  ])
    assert.equal(all.without(piece.repeat(300_000)).length, piece.length * 300_000)
})

const END = '\n\u00a7 '
/** What is left of her in a text that was one of the spellings. */
const isLeft = (text: string): boolean =>
  [text, text.replace(/[\u00ad\u200b\u200d]|<[^>]*>/g, '')].some((each) =>
    /ller|QW5u|1234567|123.{0,6}45|linkedin\.example\/in/i.test(each),
  )

/** A member of an empty list of people, addresses or numbers. */
const NOBODY = { contact_id: null, member_id: null, email: 'nobody@x.example', name: null, key: 'x', number: '123' }

/** Written with the records, or what others have is not hers alone. */
const LEFT_OUT = /^(?:search_.*|contact_emails\..*|contacts\.(?:name|phones|linkedin_url)|.*_key)$/

/** Writes texts into each column in which a person can be, in one row. Returns where. */
function plant(texts: readonly string[], id: string) {
  const { db } = server.store
  return textTables(db).flatMap(({ table, key, texts: names }) => {
    const where = [...new Set(['org_id', ...key])].map((each) => `${each} = @${each}`).join(' AND ')
    const columns = names.filter(
      (name) => !key.includes(name) && PERSONAL.includes(`${table}.${name}`) && !LEFT_OUT.test(`${table}.${name}`),
    )
    return columns.map((name) => {
      const row = db
        .prepare(`SELECT * FROM ${table} WHERE org_id = ? ORDER BY ${name} IS NULL LIMIT 1`)
        .get(server.a.org) as Row
      const value = String(row[name] ?? '')
      const kind = value.startsWith('{') ? 'object' : value.startsWith('[') ? 'list' : 'text'
      const planted = [id, ...texts]
      const given = {
        object: () => JSON.stringify({ ...JSON.parse(value), planted }),
        list: () => JSON.stringify([...JSON.parse(value), { ...(JSON.parse(value).at(-1) ?? NOBODY), planted }]),
        text: () => planted.join(END),
      }[kind]()
      const now = (): string[] | undefined => {
        const text = db.prepare(`SELECT ${name} FROM ${table} WHERE ${where}`).pluck().get(row) as string | undefined
        if (text === undefined || kind === 'text') return text?.split(END)
        return kind === 'object' ? JSON.parse(text).planted : JSON.parse(text).at(-1)?.planted
      }
      db.prepare(`UPDATE ${table} SET ${name} = @given WHERE ${where}`).run({ ...row, given })
      return { place: `${table}.${name}`, table, now }
    })
  })
}

test('a person who is spelt in a hundred ways in every column is gone from all, and others stay', async () => {
  const company = await newCompany({ name: 'Bücher', custom_fields: { must: 'office@x.example' } })
  const anna = await newContact({ ...ANNA, company_id: company.id })
  const spelt = [...OWN, ...NAMES]
  const places = plant([...spelt, ...OTHERS], company.id)
  assert.ok(places.length > 45, String(places.length))
  await cliJson('contact', 'forget', anna.id, ...own(), '--yes')
  let kept = 0
  for (const { place, table, now } of places) {
    const texts = now()
    if (!texts || texts.length === 1) continue // the row went, or all of its text
    // Contacts of one company are near each other, and may have the same name.
    const gone = texts.slice(1, 1 + (table === 'contacts' ? OWN.length : spelt.length))
    assert.deepEqual(gone.filter(isLeft), [], place)
    assert.deepEqual(texts.slice(1 + spelt.length), OTHERS, place)
    kept++
  }
  assert.ok(kept > 40, String(kept))
})

test('a number or page of two people in other notations is not hers alone', async () => {
  const phones = (number: string) => ({ phones: [{ number }] })
  const one = await newContact({
    ...phones('+49 40 7654321'),
    first_name: 'Eva',
    last_name: 'Unik',
    linkedin_url: 'https://www.linkedin.example/in/eva',
  })
  const other = await newContact({ ...phones('040 / 7654321'), linkedin_url: 'https://linkedin.example/in/EVA/' })
  const note = await newId('/notes', { body: 'Call +49407654321', contact_ids: [other.id] })
  const { out } = await cli(['contact', 'forget', one.id as string, ...own(), '--yes'])
  assert.match(out, /^Not looked for, .*"\+49 40 7654321", "https:\/\/www.linkedin.example\/in\/eva"\.$/m)
  assert.equal((await getRecord(`/notes/${note}`)).body, 'Call +49407654321')
  assert.equal((await getRecord(`/contacts/${other.id}`)).phones[0].number, '040 / 7654321')
})

test('the answer says what was looked for and what cannot be found', async () => {
  const { id } = await newContact({ first_name: 'Ida', last_name: 'Falk', emails: [{ email: 'ida@x.example' }] })
  const dry = await cliJson('contact', 'forget', id as string, ...own(), '--dry-run')
  assert.deepEqual(dry.looked_for, { everywhere: ['ida@x.example'], near: ['Ida Falk', 'Falk, Ida'], not: [] })
  assert.match(dry.not_found, /nicknames, wrong spellings/)
  const { out } = await cli(['contact', 'forget', id as string, ...own(), '--yes'])
  assert.match(out, /^Looked in all texts for "ida@x.example"\.$/m)
  assert.match(out, /^Looked in what is linked with the person for "Ida Falk", "Falk, Ida"\.$/m)
  assert.match(out, /^Not found by that: .*inside of files and pictures/m)
  const again = await cli(['contact', 'forget', id as string, ...own(), '--yes'])
  assert.match(again.out, /^Looked only for records of the contact: no name, email or phone/m)
})
