import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import * as v from 'valibot'
import * as f from '../../src/lib/fields.ts'
import { Problem } from '../../src/lib/problem.ts'
import { validate } from '../../src/lib/validate.ts'
import { startCpuClock } from '../support/cpu-clock.ts'
import { examples } from '../support/seed.ts'
import { anyText } from '../support/texts.ts'

const TEXTS: Record<string, v.GenericSchema> = {
  title: f.title,
  line: f.line(),
  longText: f.longText(),
  id: f.id,
  currency: f.currency,
  date: f.date,
  time: f.time,
  email: f.email,
  phone: f.phone,
  domain: f.domain,
  url: f.url,
  timezone: f.timezone,
  language: f.language,
  country: f.country,
}

const codes = (schema: v.GenericSchema, value: unknown): string[] => [
  ...new Set((v.safeParse(schema, value).issues ?? []).map(({ message }) => message.split('|')[0] as string)),
]

describe('a field of text', () => {
  test('takes or refuses any string, and never throws', () => {
    const text = fc.oneof(
      anyText(),
      fc.string({ unit: 'binary-ascii', maxLength: 4 }),
      fc.stringMatching(/^[A-Za-z]{0,3}$/),
      fc.webUrl(),
      fc.emailAddress(),
      fc.domain(),
    )
    fc.assert(
      fc.property(text, (given) => {
        for (const [name, schema] of Object.entries(TEXTS)) {
          const { success, output, issues } = v.safeParse(schema, given)
          if (!success) assert.ok(issues.length > 0, name)
          else assert.ok((output as string).isWellFormed() && (output as string).normalize('NFC') === output, name)
        }
      }),
      { numRuns: examples(400), examples: [['x'], ['de'], [''], ['\u0000'], ['\ud800'], ['//'], ['http://']] },
    )
  })

  test('takes no longer than its size lets one expect, whatever it is made of', () => {
    const half = 500_000
    const made = ['a', 'a.', 'a@', '0', ' ', 'ü', '🚀', '\u0301\u0323', 'a\u0301', '\ufdfa', '\\', '-'].map((part) =>
      part.repeat(half / part.length),
    )
    const spent = startCpuClock()
    for (const schema of Object.values(TEXTS)) {
      for (const text of made) for (const end of ['', '!', '\u0000']) v.safeParse(schema, text + end)
    }
    assert.ok(spent() < 10_000)
  })

  test('comes back in NFC', () => assert.equal(v.parse(f.title, 'Cafe\u0301'), 'Caf\u00e9'))

  test('may have 30 combining marks in a row, and no more', () => {
    assert.deepEqual(codes(f.line(), `a${'\u0323'.repeat(30)}`), [])
    assert.deepEqual(codes(f.line(), `a${'\u0323'.repeat(31)}`), ['invalid_text'])
  })

  test('counts characters as people do', () => {
    assert.deepEqual(codes(f.title, '🚀'.repeat(255)), [])
    assert.deepEqual(codes(f.title, 'e\u0301'.repeat(255)), [])
    assert.deepEqual(codes(f.title, '🚀'.repeat(256)), ['too_long'])
    assert.deepEqual(codes(f.longText(8), '🚀🚀'), [])
    assert.deepEqual(codes(f.longText(8), '🚀🚀x'), ['too_long'])
  })

  test('of a country takes the codes of ISO 3166', () => {
    for (const code of ['DE', 'GB', 'TW', 'SS', 'AX']) assert.deepEqual(codes(f.country, code), [], code)
    for (const code of ['', 'D', 'de', 'UK', 'EU', 'XK', 'ZZ', 'AA', 'SU', 'DEU', '12', 'Ä1'])
      assert.notDeepEqual(codes(f.country, code), [], code)
  })
})

describe('a body', () => {
  const Body = f.object({
    title: f.title,
    'a/b~c': f.optional(f.flag),
    addresses: f.optional(f.arrayOf(f.object({ city: f.title }))),
  })
  const errors = (body: unknown) => {
    try {
      validate(Body, body)
      return []
    } catch (error) {
      assert.ok(error instanceof Problem)
      return error.errors?.map(({ pointer, code }) => `${pointer} ${code}`) ?? [error.code]
    }
  }

  test('has to be an object', () => {
    for (const body of [null, [], 'x', 1, true, undefined]) assert.deepEqual(errors(body), ['wrong_root'])
  })

  test('gets all its errors at once, one for each field, by JSON Pointer', () => {
    assert.deepEqual(errors({ title: `\u0000${' '.repeat(300)}` }), ['/title invalid_text'])
    assert.deepEqual(errors({ 'a/b~c': 1, addresses: [{ city: '' }, {}, { city: 1 }], more: 1 }), [
      '/title required',
      '/a~1b~0c invalid_type',
      '/addresses/0/city empty',
      '/addresses/1/city required',
      '/addresses/2/city invalid_type',
      '/more unknown_field',
    ])
  })

  test('with a thousand errors is answered with the first hundred', () => {
    const found = errors({ title: 'x', addresses: Array(1000).fill({}) })
    assert.equal(found.length, 100)
    assert.equal(found[99], '/addresses/99/city required')
  })
})

test('an object is no array, also where every member may be left out', () => {
  const schema = f.object({ inner: f.patchOf({ one: f.line() }) })
  assert.deepEqual(validate(schema, { inner: {} }), { inner: {} })
  assert.throws(() => validate(schema, { inner: [] }), {
    errors: [{ pointer: '/inner', code: 'invalid_type', message: 'must be an object' }],
  })
})

test('what was sent never becomes the code of an error', () => {
  const schema = f.object({ amount: f.amount })
  for (const amount of ['a|b', 'x|', '|', 'code|sentence']) {
    assert.throws(
      () => validate(schema, { amount }),
      ({ errors }: Problem) => errors?.[0]?.code === 'invalid_type',
    )
  }
})
