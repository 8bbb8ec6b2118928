import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readJson } from '../../src/lib/json.ts'
import { Problem } from '../../src/lib/problem.ts'
import { startCpuClock } from '../support/cpu-clock.ts'

const read = (text: string | Uint8Array) => readJson(typeof text === 'string' ? Buffer.from(text) : text)

const members = (many: number) => Array.from({ length: many }, (_, n) => `"m${n}":0`).join()

/** The code of the refusal, or undefined for a body that is read. */
function refusal(body: string | Uint8Array): string | undefined {
  try {
    read(body)
    return undefined
  } catch (error) {
    assert.ok(error instanceof Problem && error.status === 400, String(error))
    return error.code
  }
}

const sample = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' })

describe('a JSON body', () => {
  test('is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(sample, fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        assert.deepEqual(read(text), JSON.parse(text))
      }),
      { numRuns: 500 },
    )
  })

  test('with any of its bytes changed is read as JSON.parse reads it, or refused with 400', () => {
    const byte = fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('"01234567890abu{}[],:\\\\ .-e')))
    const change = fc.record({ at: fc.nat(), byte, cut: fc.constantFrom(0, 1, 1, 1, 2) })
    let read = 0
    fc.assert(
      fc.property(fc.array(sample), fc.array(change, { minLength: 1, maxLength: 2 }), (value, changes) => {
        const bytes = [...Buffer.from(JSON.stringify(value))]
        for (const { at, byte, cut } of changes) bytes.splice(at % bytes.length, cut, byte)
        const body = Uint8Array.from(bytes)
        const code = refusal(body)
        let text: string
        let parsed: unknown
        try {
          text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
          parsed = JSON.parse(text)
        } catch {
          assert.equal(code, 'malformed_json')
          return
        }
        if (code === undefined) {
          read++
          assert.deepEqual(withoutInexact(readJson(body)), withoutInexact(parsed))
        } else assert.ok(membersIn(text) !== membersOf(parsed), text)
      }),
      { numRuns: 1500 },
    )
    assert.ok(read > 30, `${read} were read`)
  })

  for (const [what, body, code] of [
    ['nothing', '', 'malformed_json'],
    ['white space', ' \n', 'malformed_json'],
    ['a byte order mark', '\ufeff{}', 'malformed_json'],
    ['a trailing comma', '{"a":1,}', 'malformed_json'],
    ['a comment', '{} // no', 'malformed_json'],
    ['two values', '{}{}', 'malformed_json'],
    ['single quotes', "{'a':1}", 'malformed_json'],
    ['NaN', '{"a":NaN}', 'malformed_json'],
    ['a leading zero', '{"a":01}', 'malformed_json'],
    ['a raw line break in a string', '{"a":"\n"}', 'malformed_json'],
    ['a member twice', '{"a":1,"a":1}', 'malformed_json'],
    ['a member twice, once escaped', '{"a":1,"\\u0061":2}', 'malformed_json'],
    ['a member twice, deep inside', '[{"b":[{"a":1,"c":{},"a":2}]}]', 'malformed_json'],
    ['__proto__ twice', '{"__proto__":1,"__proto__":2}', 'malformed_json'],
    ['33 levels', '['.repeat(33) + ']'.repeat(33), 'too_deep'],
    ['33 levels in turn', '{"a":['.repeat(17) + ']}'.repeat(17), 'too_deep'],
    ['half a million levels', '['.repeat(500_000), 'too_deep'],
    ['1001 items', `[${Array(1001).fill(0)}]`, 'array_too_long'],
    ['1001 items inside', `{"a":[[${Array(1001).fill(0)}]]}`, 'array_too_long'],
    ['10,001 members', `{${members(10_000)},"x":1}`, 'too_many_values'],
    ['10,001 items', `[${Array(11).fill(`[${Array(1000).fill(0)}]`)}]`, 'too_many_values'],
    ['a million members and no end', `{${members(1_000_000)}`, 'too_many_values'],
    ['10,001 colons', `{${':'.repeat(10_001)}}`, 'too_many_values'],
    ['10,000 objects', `[${Array(1000).fill('[{},{},{},{},{},{},{},{},{},{}]')}]`, 'too_many_values'],
    ['invalid UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 'malformed_json'],
    ['an overlong form', Uint8Array.of(0x22, 0xc0, 0xaf, 0x22), 'malformed_json'],
    ['half a surrogate pair in UTF-8', Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), 'malformed_json'],
    ['a character that ends too early', Uint8Array.of(0x22, 0xe2, 0x82), 'malformed_json'],
  ] as const) {
    test(`with ${what} is refused`, () => assert.equal(refusal(body), code))
  }

  test('may have 32 levels and 1000 items, and brackets and colons in its strings', () => {
    for (const text of [
      '['.repeat(32) + ']'.repeat(32),
      `[${Array(1000).fill(0)}]`,
      JSON.stringify({ a: '['.repeat(100), 'b:c"\\': '":{"a":1,"a":2', '\\': '\\"' }),
      '{"a":{"a":{"a":1}},"b":{"a":1}}',
      '{"__proto__":{"a":1},"constructor":2,"toString":3}',
      '"\\\\"',
      '{"a":"\\\\\\\\","b":"\\\\\\""}',
    ])
      assert.deepEqual(read(text), JSON.parse(text), text)
  })

  test('may have 10,000 values with itself, and ten times as many as the items that are named', () => {
    assert.equal(Object.keys(read(`{${members(9_999)}}`) as object).length, 9_999)
    assert.equal(Object.keys(readJson(Buffer.from(`{${members(199_999)}}`), 20_000) as object).length, 199_999)
    assert.throws(() => readJson(Buffer.from(`{${members(200_000)}}`), 20_000), { code: 'too_many_values' })
  })

  test('keeps its own members apart from inherited ones', () => {
    const value = read('{"__proto__":{"admin":true}}') as Record<string, unknown>
    assert.deepEqual(Object.keys(value), ['__proto__'])
    assert.equal(value.admin, undefined)
  })
})

describe('a number', () => {
  test('that a double does not carry exactly becomes NaN, any other is what JSON.parse gives', () => {
    const digits = fc.stringMatching(/^(0|[1-9]\d{0,22})$/)
    const fraction = fc.stringMatching(/^(\.\d{1,22})?$/)
    const exponent = fc.oneof(
      fc.constant(''),
      fc.integer({ min: -30, max: 30 }).map((n) => `e${n}`),
    )
    fc.assert(
      fc.property(fc.constantFrom('', '-'), digits, fraction, exponent, (sign, whole, decimals, power) => {
        const text = sign + whole + decimals + power
        const given = JSON.parse(text)
        const isExact = same(text, String(given))
        assert.ok(Object.is((read(`{"a":[${text}]}`) as { a: number[] }).a[0], isExact ? given : Number.NaN), text)
      }),
      { numRuns: 1500 },
    )
  })

  for (const text of [
    '1e400',
    '-1e400',
    '1e-400',
    '9007199254740993',
    '0.1000000000000000000001',
    '1e99999999999999999999',
  ])
    test(`${text} becomes NaN`, () => assert.ok(Number.isNaN(read(text))))

  test('of as many digits as a body can have is read in no time', () => {
    const zeros = '0'.repeat(500_000)
    const spent = startCpuClock()
    for (const text of [`1${zeros}1`, `0.${zeros}1`, `1${zeros}`, `1${zeros}.${zeros.slice(100_000)}1`]) read(text)
    assert.ok(spent() < 2000)
  })
})

/** Whether both texts are the same number, by integer arithmetic. */
function same(left: string, right: string): boolean {
  const scaled = [left, right].map((text) => {
    const [, sign = '', whole = '', fraction = '', power = '0'] = /^(-?)(\d+)\.?(\d*)(?:e([+-]?\d+))?$/.exec(text) ?? []
    return BigInt(`${sign}${whole}${fraction}`) * 10n ** BigInt(100 + Number(power) - fraction.length)
  })
  return scaled[0] === scaled[1]
}

/** How many members the text has, by its strings with a colon behind them. */
const membersIn = (text: string) =>
  text.match(/"(?:[^"\\]|\\.)*"\s*:?/g)?.filter((token) => token.endsWith(':')).length ?? 0

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inside = Object.values(value).reduce((sum: number, each) => sum + membersOf(each), 0)
  return inside + (Array.isArray(value) ? 0 : Object.keys(value).length)
}

/** Numbers that the reader may have taken for inexact are left out on both sides. */
const withoutInexact = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (_, each) => (typeof each === 'number' ? null : each))
