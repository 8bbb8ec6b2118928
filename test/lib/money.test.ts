import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readJson } from '../../src/lib/json.ts'
import { amountJson, isAmount, isCurrency, parseMicros, toMicros } from '../../src/lib/money.ts'
import { examples, seedOf } from '../support/seed.ts'
import { startServer } from '../support/server.ts'

// The model knows decimal digits only: text and BigInt, no binary numbers.

type Decimal = { whole: string; fraction: string }

const LIMIT = 9_000_000_000_000_000_000n
const micros = ({ whole, fraction }: Decimal) => BigInt(whole + fraction.slice(0, 6).padEnd(6, '0'))
const canonical = ({ whole, fraction }: Decimal) => {
  const short = fraction.replace(/0+$/, '')
  return (whole.replace(/^0+(?=\d)/, '') || '0') + (short && `.${short}`)
}

function isValid(amount: Decimal, text = canonical(amount), stored = micros(amount)): boolean {
  const decimals = text.split('.')[1]?.length ?? 0
  const significant = text.replace('.', '').replace(/^0+/, '').replace(/0+$/, '').length
  return decimals <= 6 && significant <= 15 && stored <= LIMIT
}

/** JSON text → reader → check → store → text: what comes back has to be what went in, or it has to be refused. */
function roundTrip(amount: Decimal, spelled = `${amount.whole}${amount.fraction && `.${amount.fraction}`}`): boolean {
  const value = readJson(Buffer.from(spelled)) as number
  const [text, wanted] = [canonical(amount), micros(amount)]
  const accepted = isAmount(value)
  if (accepted !== isValid(amount, text, wanted)) assert.fail(`${spelled} was ${accepted ? 'accepted' : 'refused'}`)
  if (!accepted) return false
  const stored = toMicros(value)
  const back = amountJson(String(stored))
  if (stored !== wanted || back !== text || back !== JSON.stringify(value))
    assert.fail(`${spelled} came back as ${back}`)
  return true
}

/** A small generator of its own, since a million values have to be fast, and the same on each run. */
function randomDecimals(seed: number): () => Decimal {
  let state = seed
  const next = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const digits = (count: number) => {
    let text = ''
    while (text.length < count) text += next(4) === 0 ? '000' : String(next(1_000_000))
    return text.slice(0, count)
  }
  return () => {
    const whole = digits(1 + next(next(8) === 0 ? 16 : 10)).replace(/^0+(?=\d)/, '')
    return { whole, fraction: digits(next(next(8) === 0 ? 10 : 7)) }
  }
}

const COUNT = examples(1_000_000)

describe('amounts', () => {
  test(`${COUNT.toLocaleString('en')} come back equal to the last digit, or are refused`, () => {
    const random = randomDecimals(seedOf(42))
    let accepted = 0
    for (let n = 0; n < COUNT; n++) if (roundTrip(random())) accepted++
    assert.ok(accepted > 0.6 * COUNT && accepted < 0.95 * COUNT, `${accepted} were accepted`)
  })

  const bounds: [string, boolean][] = [
    ['0', true],
    ['0.000001', true],
    ['0.0000001', false],
    ['0.0000010', true],
    ['999999999.999999', true],
    ['9999999999.99999', true],
    ['9999999999.999999', false],
    ['123456789.123456', true],
    ['1234567890.123456', false],
    ['8999999999999', true],
    ['8999999999999.99', true],
    ['8999999999999.9', true],
    ['8999999999999.999', false],
    ['9000000000000', true],
    ['9000000000000.01', false],
    ['9000000000000.000001', false],
    ['9000000000001', false],
    ['10000000000000', false],
    ['9007199254.740993', false],
    ['900719925.474099', true],
    ['0.1', true],
    ['0.30000000000000004', false],
    ['1.0000000000000000000', true],
    ['1.0000000000000001', false],
  ]
  for (const [text, valid] of bounds) {
    test(`${text} is ${valid ? 'an' : 'no'} amount`, () => {
      const [whole = '', fraction = ''] = text.split('.')
      assert.equal(isValid({ whole, fraction }), valid)
      assert.equal(roundTrip({ whole, fraction }), valid)
    })
  }

  test('may be spelled with an exponent, and mean the same', () => {
    for (const [spelled, whole, fraction] of [
      ['2.5e4', '25000', ''],
      ['25000000e-3', '25000', ''],
      ['1E-6', '0', '000001'],
      ['0e99', '0', ''],
      ['9e12', '9000000000000', ''],
      ['9e13', '90000000000000', ''],
      ['1e-7', '0', '0000001'],
    ] as const)
      roundTrip({ whole, fraction }, spelled)
  })

  test('what is no number at all is no amount', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, -0.000001, 1e21, 5e-324])
      assert.equal(isAmount(value), false, String(value))
    assert.equal(toMicros(-0), 0n)
  })

  test('in a query are plain decimals, to the micro', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: LIMIT }), (value) => {
        assert.equal(parseMicros(amountJson(String(value))), value)
        assert.equal(parseMicros(`${value / 1_000_000n}.${String(value % 1_000_000n).padStart(6, '0')}`), value)
      }),
    )
    for (const text of [
      '',
      '.',
      '1.',
      '.1',
      '-1',
      '+1',
      '1e3',
      '1,0',
      ' 1',
      '0x1',
      '1.0000000',
      '9000000000000.000001',
    ])
      assert.equal(parseMicros(text), undefined, text)
  })

  test('some hundreds come back equal through HTTP and SQLite, and are found and sorted by their value', async () => {
    const { call, stop, store } = await startServer()
    try {
      const random = randomDecimals(seedOf(7))
      const stored: bigint[] = []
      for (let n = 0; n < 400; n++) {
        const amount = random()
        const text = canonical(amount)
        const { status, text: answer } = await call('POST', '/deals', undefined, {
          raw: `{"title":"x","amount":${text}}`,
        })
        assert.equal(status, isValid(amount) ? 201 : 422, text)
        if (status !== 201) continue
        assert.ok(answer.includes(`"amount":${text},`), `${text} in ${answer}`)
        const { id } = JSON.parse(answer)
        stored.push(micros(amount))
        assert.ok((await call('GET', `/deals/${id}`)).text.includes(`"amount":${text},`))
        const found = await call('GET', `/deals?amount=${text}&amount[gte]=${text}&amount[lte]=${text}`)
        assert.ok(
          found.body.data.some((deal: { id: string }) => deal.id === id),
          text,
        )
      }
      assert.ok(stored.length > 200)
      const sorted = store.db
        .prepare('SELECT amount_micros FROM deals ORDER BY amount_micros')
        .safeIntegers()
        .pluck()
        .all()
      assert.deepEqual(
        sorted,
        stored.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
      )
    } finally {
      await stop()
    }
  })
})

test('currencies are those of ISO 4217', () => {
  for (const code of ['EUR', 'USD', 'JPY', 'CHF']) assert.ok(isCurrency(code))
  for (const code of ['', 'eur', 'ZZZ', 'EURO', 'constructor']) assert.ok(!isCurrency(code))
})
