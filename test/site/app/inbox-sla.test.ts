import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { random } from '../../../src/demo/story/random.ts'
import { type AppServer, startApp } from '../../support/app-data.ts'
import { inboxOf } from '../../support/inbox.ts'
import type { Row } from '../../support/records.ts'
import { examples, seedOf } from '../../support/seed.ts'
import { setLevels } from '../../support/settings.ts'

// Why a target of a conversation is due when it is.

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const days = ['mon', 'tue', 'wed', 'thu', 'fri'] as const
const office = {
  key: 'office',
  name: 'Office',
  timezone: 'Europe/Berlin',
  weekly: Object.fromEntries(
    days.map((day) => [
      day,
      [
        { from: '08:00', to: '12:00' },
        { from: '13:00', to: '17:00' },
      ],
    ]),
  ),
  exceptions: [{ from_date: '2026-12-24', to_date: '2026-12-31', name: 'Holidays', intervals: [] }],
}
const policy = {
  key: 'key',
  name: 'Key accounts',
  hours: 'office',
  match: { field: 'priority', op: 'in', value: ['normal', 'high'] },
  pause_on: ['pending'],
  targets: {
    normal: { first_response_s: 6 * 3600, next_response_s: 3 * 3600, resolution_s: 200 * 3600 },
    high: { first_response_s: 3600 },
  },
}

let app: AppServer
let inbox: ReturnType<typeof inboxOf>
before(async () => {
  app = await startApp()
  inbox = inboxOf(app)
  setLevels(app.store, app.a.org, { hours: [office], sla: [policy] })
})
after(() => app.stop())

const goTo = (time: string): void => app.advance(Date.parse(time) - app.now())
/** Sessions end by themselves on the days that pass here. */
async function why(id: string): Promise<Row> {
  app.people.viewer = await app.signIn(app.ids.viewer)
  return app.ok('viewer', 'GET', `/inbox/${id}/sla`)
}
const seconds = ({ from, to }: Row): number => (Date.parse(to) - Date.parse(from)) / 1000
const sumOf = ({ parts, earlier_s }: Row): number =>
  (parts as Row[]).reduce((sum, { counted_s }) => sum + counted_s, earlier_s as number)

test('the parts are those in which the office is open and nothing pauses, and their sum is the target', async () => {
  goTo('2026-12-01T13:00:00Z') // a Tuesday, 14:00
  const { id } = await inbox.opened()
  app.advance(2 * HOUR)
  await inbox.patch(id, { status: 'pending' })
  app.advance(17 * HOUR)
  await inbox.patch(id, { status: 'open' })
  const { policy, hours, priority, pending } = await why(id)
  assert.deepEqual([policy, hours, priority], ['Key accounts', { name: 'Office', timezone: 'Europe/Berlin' }, 'normal'])
  const [first] = pending as Row[]
  assert.equal(first?.target, 'first_response')
  assert.equal(first.due_at, '2026-12-02T13:00:00.000Z')
  assert.deepEqual(
    first.parts.map(({ from, to, counted_s }: Row) => [from.slice(5, 16), to.slice(5, 16), counted_s / 3600]),
    [
      ['12-01T13:00', '12-01T15:00', 2],
      ['12-02T08:00', '12-02T11:00', 3],
      ['12-02T12:00', '12-02T13:00', 1],
    ],
  )
  assert.deepEqual(first.pauses, [
    { from: '2026-12-01T15:00:00.000Z', to: '2026-12-02T08:00:00.000Z', status: 'pending' },
  ])
})

test('while it is paused nothing is due, and the sum is what was used', async () => {
  goTo('2026-12-07T08:00:00Z')
  const { id } = await inbox.opened()
  app.advance(30 * MINUTE)
  await inbox.patch(id, { status: 'pending' })
  app.advance(3 * HOUR)
  const [first] = (await why(id)).pending as Row[]
  assert.deepEqual([first?.due_at, sumOf(first as Row), first?.pauses.length], [null, 1800, 1])
  assert.equal(first?.pauses[0].to, null)
})

test('a long target tells its newest parts, and how much there was before them', async () => {
  goTo('2026-12-14T07:00:00Z')
  const { id } = await inbox.opened()
  const resolution = ((await why(id)).pending as Row[]).find(({ target }) => target === 'resolution') as Row
  assert.equal(resolution.parts.length, 20)
  assert.ok(resolution.earlier_s > 0)
  assert.equal(sumOf(resolution), 200 * 3600)
  assert.equal(resolution.parts.at(-1).to, resolution.due_at)
})

test('without a policy there is nothing to explain, and other organisations have no such conversation', async () => {
  const { id } = await inbox.opened()
  await inbox.patch(id, { priority: 'low' })
  assert.deepEqual(await why(id), { policy: null, priority: 'low', hours: null, pending: [] })
  await app.pass(0)
  assert.equal((await app.ask('stranger', 'GET', `/inbox/${id}/sla`)).status, 404)
})

test('whatever happens to a conversation, the sum is its target and ends when it is due', async () => {
  const { int } = random(seedOf(41))
  for (let number = 0; number < examples(12); number += 1) {
    app.advance(int(90) * HOUR)
    const { id } = await inbox.opened()
    for (let act = 0; act < 8; act += 1) {
      app.advance(int(30 * 60) * MINUTE)
      const status = ['open', 'pending', 'closed'][int(3)]
      const kind = int(4)
      if (kind === 0) await inbox.say('inbound', id)
      else if (kind === 1) await inbox.say('outbound', id)
      else await inbox.patch(id, { status })
      const { sla } = await inbox.conversation(id)
      const { pending } = await why(id)
      for (const reason of pending as Row[]) {
        if (reason.due_at === null) assert.ok(sumOf(reason) <= reason.target_s)
        else {
          assert.equal(sumOf(reason), reason.target_s)
          assert.equal(reason.parts.at(-1).to, reason.due_at)
          assert.equal(reason.due_at, sla[`${reason.target}_due_at`])
        }
        for (const part of reason.parts as Row[]) {
          assert.equal(seconds(part), part.counted_s)
          const [opens, closes] = [part.from, part.to].map((at: string) =>
            Temporal.Instant.from(at).toZonedDateTimeISO('Europe/Berlin'),
          ) as [Temporal.ZonedDateTime, Temporal.ZonedDateTime]
          assert.ok(opens.dayOfWeek <= 5 && opens.toPlainDate().equals(closes.toPlainDate()))
          assert.ok(opens.hour >= 8 && closes.hour <= 17 && opens.hour !== 12)
          for (const { from, to } of reason.pauses as Row[])
            assert.ok(part.to <= from || (to !== null && part.from >= to), `${part.from} lies in a pause`)
        }
      }
    }
  }
})
