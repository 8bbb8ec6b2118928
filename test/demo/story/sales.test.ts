import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { life } from '../../../src/demo/story/sales.ts'
import { type Profile, SIZES } from '../../../src/demo/story/steps.ts'
import { AS_OF, between, follow, mean, type Of, replay, share, unique } from '../replay/replay-fixture.ts'

/** Followed once: the tests only look. */
let whole: ReturnType<typeof follow> | undefined
function followed() {
  whole ??= follow('10k')
  return whole
}

const DAY_MS = 86_400_000
const TODAY = '2026-11-20'

test('the same options give the same steps, byte for byte; another seed gives others', () => {
  for (const profile of ['demo', '10k'] as const) {
    assert.equal(digest(1, profile), digest(1, profile))
    assert.notEqual(digest(1, profile), digest(2, profile))
  }
})

test('two lives that are told in turns do not disturb each other', () => {
  const one = life({ seed: 1, profile: 'demo', asOf: AS_OF })
  const other = life({ seed: 2, profile: 'demo', asOf: AS_OF })
  const told: string[] = []
  for (const step of one) {
    told.push(JSON.stringify(step))
    other.next()
  }
  assert.deepEqual(
    told,
    [...life({ seed: 1, profile: 'demo', asOf: AS_OF })].map((step) => JSON.stringify(step)),
  )
})

for (const profile of ['demo', '10k', '100k'] as const) {
  test(`the ${profile} life has its number of records, in the order of time, each named after it was made, and none twice`, () => {
    const size = SIZES[profile]
    const { members, tags, companies, contacts, deals } = follow(profile)
    assert.deepEqual(
      [members, tags, companies, contacts, deals].map(({ length }) => length),
      [size.members, size.tags, size.companies, size.contacts, size.deals],
    )
    unique(companies.flatMap(({ given }) => given.domains))
    unique(contacts.flatMap(({ given }) => given.emails.map(({ email }) => email)))
  })
}

test('the step checks find what they look for', () => {
  const steps = [...life({ seed: 1, profile: 'demo', asOf: AS_OF })]
  const closing = steps.find((step) => step.do === 'close') as Of<'close'>
  const deal = steps.find((step) => step.do === 'deal') as Of<'deal'>
  assert.throws(() => replay([...steps, { ...closing, at: AS_OF }]), /closed/)
  assert.throws(() => replay([...steps, { do: 'move', at: AS_OF, deal: closing.deal, position: 1 }]), /closed/)
  assert.throws(() => replay([deal, ...steps]), /unknown/)
  assert.throws(() => replay([...steps, { ...deal, at: AS_OF }]), /out of turn/)
  assert.throws(() => replay([...steps, { ...deal, ref: 120, at: AS_OF, contact: 90 }]), /unknown contact/)
  assert.throws(() => replay([...steps, deal]), /out of order/)
})

test('everything happens within eighteen months before the given moment, on weekdays between 8 and 16 UTC', () => {
  const sundayNight = Date.UTC(2026, 10, 22, 23)
  const newYear = Date.UTC(2027, 0, 1, 12)
  const beforeWork = Date.UTC(2026, 10, 20, 7, 59)
  const endOfWork = Date.UTC(2026, 10, 20, 16)
  for (const asOf of [AS_OF, sundayNight, newYear, beforeWork, endOfWork, AS_OF + 1]) {
    let last = 0
    for (const { at } of life({ seed: 3, profile: 'demo', asOf })) {
      const time = new Date(at)
      assert.ok(Number.isInteger(at) && at <= asOf && at >= asOf - 549 * DAY_MS, time.toISOString())
      assert.ok(time.getUTCDay() >= 1 && time.getUTCDay() <= 5, time.toISOString())
      assert.ok(time.getUTCHours() >= 8 && at % DAY_MS <= 16 * 3_600_000, time.toISOString())
      assert.ok(!/-12-(2[4-9]|3[01])T|-01-01T/.test(time.toISOString()), time.toISOString())
      last = at
    }
    assert.ok(asOf - last < 14 * DAY_MS, 'the team still works')
  }
})

test('deals are spread as in life', () => {
  const { deals, contacts } = followed()
  const open = deals.filter(({ outcome }) => outcome === undefined)
  const closed = deals.filter(({ outcome }) => outcome !== undefined)
  between(open.length / deals.length, 0.41, 0.49)
  between(
    share(closed, ({ outcome }) => outcome === 'won'),
    0.25,
    0.31,
  )
  for (let stage = 0; stage < 4; stage++)
    between(
      share(open, (deal) => deal.stage === stage),
      0.15,
      0.35,
    )
  between(
    share(deals, ({ step }) => step.company === undefined),
    0.03,
    0.08,
  )
  between(
    share(deals, ({ step }) => step.owner === undefined),
    0.03,
    0.1,
  )
  between(
    share(deals, ({ step }) => step.contact === undefined),
    0.03,
    0.12,
  )
  between(
    share(deals, ({ amount }) => amount === null),
    0.03,
    0.1,
  )
  between(
    share(contacts, ({ company }) => company === undefined),
    0.04,
    0.12,
  )
  const withBoth = deals.filter(({ step }) => step.company !== undefined && step.contact !== undefined)
  between(
    share(withBoth, ({ step }) => contacts[step.contact as number]?.company === step.company),
    0.93,
    0.99,
  )
  between(
    share(deals, ({ step }) => step.tags.length > 0),
    0.2,
    0.6,
  )
  const dated = open.filter((deal) => deal.expected_close_date !== null)
  between(dated.length / open.length, 0.8, 0.95)
  between(
    share(dated, (deal) => (deal.expected_close_date as string) < TODAY),
    0.08,
    0.25,
  )
})

test('won deals have an amount', () => {
  for (const deal of followed().deals) if (deal.outcome === 'won') assert.notEqual(deal.amount, null)
})

test('deals go forward mostly, sometimes back, and never to where they are', () => {
  const { moves } = followed()
  between(
    share(moves, ({ from, to }) => to > from),
    0.85,
    0.97,
  )
  assert.ok(moves.every(({ from, to }) => to !== from))
})

test('amounts are log-normal, most of them round', () => {
  const amounts = followed().deals.flatMap((deal) => (deal.currency === 'EUR' && deal.amount ? [deal.amount] : []))
  const sorted = amounts.toSorted((a, b) => a - b)
  const median = sorted[sorted.length >> 1] as number
  between(median, 7_000, 16_000)
  between(mean(amounts) / median, 1.4, 2.5)
  const logs = amounts.map(Math.log)
  const centre = mean(logs)
  const deviation = Math.sqrt(mean(logs.map((log) => (log - centre) ** 2)))
  between(deviation, 0.85, 1.2)
  between(mean(logs.map((log) => ((log - centre) / deviation) ** 3)), -0.6, 0.6)
  between(
    share(amounts, (amount) => `${amount}`.replace(/0+$/, '').length <= 2),
    0.5,
    0.7,
  )
  assert.ok(amounts.some((amount) => !Number.isInteger(amount)))
})

test('business grows', () => {
  const times = followed().deals.map(({ step }) => step.at)
  const half = AS_OF - 274 * DAY_MS
  between(times.filter((at) => at > half).length / times.filter((at) => at <= half).length, 1.4, 2.2)
})

test('the demo has titles that tell deals apart, and tags on all sorts of records', () => {
  for (let seed = 1; seed <= 10; seed++) {
    const { deals, companies, contacts } = follow('demo', seed)
    assert.ok(new Set(deals.map(({ title }) => title)).size >= 100)
    for (const stage of [0, 1, 2, 3])
      assert.ok(deals.some((deal) => deal.outcome === undefined && deal.stage === stage))
    for (const tags of [deals.map(({ step }) => step.tags), companies.map(tagsOf), contacts.map(tagsOf)]) {
      between(
        share(tags, ({ length }) => length > 0),
        0.1,
        0.8,
      )
    }
    for (const { title, step } of deals) {
      assert.ok(!/[{}%#@]|undefined|NaN/.test(title), title)
      // The company stands beside the title on every card: in both it would stand twice.
      const company = step.company === undefined ? undefined : companies[step.company]?.given.name
      assert.ok(company === undefined || !title.includes(company), `${title} | ${company}`)
    }
  }
})

function tagsOf({ tags }: { tags: number[] }): number[] {
  return tags
}

function digest(seed: number, profile: Profile): string {
  const hash = createHash('sha256')
  for (const step of life({ seed, profile, asOf: AS_OF })) hash.update(JSON.stringify(step))
  return hash.digest('hex')
}
