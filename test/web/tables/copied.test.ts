import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { build } from 'esbuild'
import fc from 'fast-check'
import type { Field, FieldType } from '../../../src/web/components/fields/field.ts'
import type { Sources } from '../../../src/web/components/fields/sources.ts'
import { examples } from '../../support/seed.ts'

// What is copied and pasted is the same value, for every type of field and in both languages: beside our own form as it is
// stored, and through a spreadsheet, which has the text alone, as it is shown or refused, and never another one.

type App = typeof import('./copied-entry.ts')
let app: App
before(async () => {
  const { outputFiles } = await build({
    entryPoints: [`${import.meta.dirname}/copied-entry.ts`],
    ...{ bundle: true, write: false, format: 'esm', platform: 'browser', jsx: 'automatic', jsxImportSource: 'preact' },
    plugins: [
      { name: 'no-css', setup: ({ onLoad }) => onLoad({ filter: /\.css$/ }, () => ({ contents: '', loader: 'js' })) },
    ],
  })
  Object.assign(globalThis, { document: { documentElement: {} } })
  app = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')}`)
  app.page.value = { signed_in: true, org: { id: 'org-1' } } as never
  await app.loadFigures()
})

const line = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }),
  fc.constantFrom(
    '24" screen',
    '"so"',
    '"',
    'a\tb',
    "'1",
    '=1+1',
    '-',
    '+49 30',
    'None',
    'Müller, Ana',
    'a;b',
    '1.000',
  ),
)
const text = line.map((each) => each.replace(/[\r\n]/g, ' ').trim()).filter((each) => each !== '')
const day = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const figure = fc
  .tuple(fc.integer({ min: -999_999_999, max: 999_999_999 }), fc.nat(999_999), fc.nat(6))
  .map(([whole, part, places]) => Number(`${whole}.${String(part).padStart(6, '0').slice(0, places)}`))
const label = fc.constantFrom('work', 'home', 'other')
const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
const email = fc.oneof(
  fc.tuple(word, word).map(([local, host]) => `${local}@${host}.example`),
  fc.constantFrom('"a b"@x.example', "o'hara@x.example", 'ana+crm@x.example', 'ida@printer', 'jürgen@müller.example'),
)
const phone = fc.oneof(
  fc.stringMatching(/^\+49 [1-9]\d{1,3} \d{4,8}$/),
  fc.stringMatching(/^0[1-9]\d{1,3}\/\d{4,8}$/),
  fc.constantFrom('+49 (0)711 4839210', '0711 4839210 ext. 18', '1-800-GO-TRAIN', '112', 'ask for Ida on 901'),
)
const OPTIONS = ['Gold', 'Steel, glass', 'Wood; oak', '"Best"', 'Nein', 'A & B'].map((name, at) => ({
  value: `option-${at}`,
  label: name,
}))
const NAMES = ['Key, DACH', 'Fair', 'Größe', 'a', 'b/c']
const named = NAMES.map((name, at) => ({ id: `01a1f819-2580-7294-8bf2-6cb6ee31700${at}`, name, color: null }))
const ids = fc.constantFrom(...named.map(({ id }) => id))
const listOf = <Item>(item: fc.Arbitrary<Item>) => fc.uniqueArray(item, { minLength: 1, maxLength: 5 })
const items = (key: 'email' | 'number', of: fc.Arbitrary<string>) =>
  fc
    .uniqueArray(fc.record({ [key]: of, label, is_primary: fc.constant(false) }, { noNullPrototype: true }), {
      selector: (each) => each[key],
      minLength: 1,
      maxLength: 4,
    })
    .chain((all) =>
      fc.nat(all.length - 1).map((first) => all.map((each, at) => ({ ...each, is_primary: at === first }))),
    )
const partly = fc.option(text)

const VALUES: Record<FieldType, fc.Arbitrary<unknown>> = {
  text,
  long_text: fc.array(text, { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n')),
  number: figure,
  money: fc.record(
    {
      amount: figure.map((each) => Math.abs(each)),
      currency: fc.constantFrom('EUR', 'USD', 'CHF', 'JPY', 'KWD', 'INR'),
    },
    { noNullPrototype: true },
  ),
  boolean: fc.boolean(),
  date: day,
  datetime: fc
    .date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  select: fc.constantFrom(...OPTIONS.map(({ value }) => value)),
  multi_select: listOf(fc.constantFrom(...OPTIONS.map(({ value }) => value))),
  // A sign at the end is that of a sentence.
  url: fc.webUrl({ withQueryParameters: true, withFragments: true }).filter((each) => !/[.,;]$/.test(each)),
  email,
  phone,
  emails: items('email', email),
  phones: items('number', phone),
  member: ids,
  company: ids,
  contact: ids,
  contacts: listOf(ids),
  companies: listOf(ids),
  deals: listOf(ids),
  tags: listOf(ids),
  address: fc
    .record(
      {
        line1: partly,
        line2: partly,
        city: partly,
        region: partly,
        postal_code: partly,
        country: fc.constantFrom('DE', 'US', null),
      },
      { noNullPrototype: true },
    )
    .filter((each) => Object.values(each).some((part) => part !== null)),
}

const sources: Sources = {
  members: () => named,
  tags: () => named,
  nameOf: (_kind, id) => named.find((each) => each.id === id)?.name,
  hrefOf: () => undefined,
  search: () => async (typed) =>
    named.filter(({ name }) => name === typed).map(({ id, name }) => ({ value: id, label: name })),
  currency: () => 'GBP',
  country: () => 'DE',
}
const fieldOf = (type: FieldType): Field => ({ key: type, label: type, type, options: OPTIONS })

/** What the text of a value cannot have. */
const NOT_SHOWN: Partial<Record<FieldType, (value: never) => unknown>> = {
  emails: (value: { email: string }[]) => value.map(({ email }) => email),
  phones: (value: { number: string }[]) => value.map(({ number }) => number),
  datetime: (value: string) => value.slice(0, 16),
}
const shownIn = (type: FieldType, value: unknown): unknown => {
  // The parts of an address are not certain in one text: its words are there.
  if (type === 'address')
    return app
      .textOfValue(value, fieldOf(type), sources)
      .match(/[\p{L}\p{N}]+/gu)
      ?.toSorted()
  return NOT_SHOWN[type]?.(value as never) ?? value
}

for (const language of ['en', 'de'] as const)
  for (const type of Object.keys(VALUES) as FieldType[])
    test(`a ${type} that is copied and pasted in ${language} is the same`, async () => {
      app.locale.value = { language, timezone: 'Europe/Berlin' }
      await app.setLanguage(language)
      const field = fieldOf(type)
      let refused = 0
      let all = 0
      await fc.assert(
        fc.asyncProperty(VALUES[type], async (value) => {
          const shown = app.textOfValue(value, field, sources)
          const cell = { type, value, text: shown }
          for (const head of [null, [field.label]]) {
            const { text, form } = app.copiedAs([[cell]], head)
            const [[pasted] = []] = app.cellsOf(form, text.replaceAll('\n', '\r\n')) ?? []
            assert.ok(pasted)
            assert.deepEqual(await app.readCell(field, undefined, pasted, {}, sources), { value })
            assert.equal(await app.readCell(field, { value }, pasted, {}, sources), 'same')
            assert.equal(app.cellsOf(form, `${text}x`), undefined, 'it is another text')
          }
          const [[given = ''] = []] = app.parseTsv(app.formatTsv([[shown]]))
          assert.equal(given, shown)
          assert.equal(await app.readCell(field, { value }, given, {}, sources), 'same')
          const read = await app.readCell(field, undefined, given, {}, sources)
          all++
          if (read === 'same') assert.fail('there was nothing')
          if ('refused' in read) refused++
          else assert.deepEqual(shownIn(type, read.value), shownIn(type, value), shown)
        }),
        { numRuns: examples(500) },
      )
      assert.ok(refused <= all / 2, `${refused} of ${all} texts were refused`)
    })

test('a form that somebody else wrote is not looked at', () => {
  const cell = {
    type: 'emails' as const,
    value: [{ email: 'a@x.example', label: 'work', is_primary: true }],
    text: 'a@x.example',
  }
  const { text, form } = app.copiedAs([[cell]], null)
  assert.ok(app.cellsOf(form, text))
  const given = JSON.parse(form)
  for (const [why, wrong] of Object.entries({
    'not of this organisation': { ...given, org: 'org-2' },
    'another member': { ...given, more: 1 },
    'no cells': { ...given, cells: [] },
    'two cells without a head': { ...given, cells: [[cell, cell]] },
    'a row of another length': { ...given, head: ['a'], cells: [[cell], [cell, cell]] },
    'no type': { ...given, cells: [[{ ...cell, type: 'toString' }]] },
    'a value of another type': { ...given, cells: [[{ ...cell, value: 'a@x.example' }]] },
    'a member that no address has': { ...given, cells: [[{ ...cell, value: [{ ...cell.value[0], id: 1 }] }]] },
    'a label that there is not': { ...given, cells: [[{ ...cell, value: [{ ...cell.value[0], label: 'boss' }] }]] },
    'an object': { ...given, cells: { 0: [cell] } },
  }))
    assert.equal(app.cellsOf(JSON.stringify(wrong), text), undefined, why)
  for (const wrong of ['', 'null', '[]', '{', '{"__proto__":{}}', `${' '.repeat(4_000_001)}${form}`])
    assert.equal(app.cellsOf(wrong, text), undefined)
})

test('a value that its text does not show is not pasted', async () => {
  const hidden = { type: 'email' as const, value: 'evil@x.example', text: 'a@x.example' }
  assert.deepEqual(await app.readCell(fieldOf('email'), undefined, hidden, {}, sources), { value: 'a@x.example' })
})
