import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { applySettings, showSettings } from '../../src/app/settings/document.ts'
import { enrollmentStore } from '../../src/sequences/enrollments/enrollments.ts'
import { sequencePreviews } from '../../src/sequences/enrollments/preview.ts'
import { enrollPreviews } from '../../src/sequences/enrollments/would-enroll.ts'
import type { SequenceForm } from '../../src/sequences/sequences/settings.ts'
import { call, DAY, mail, mailbox, office, type Setting, startTimelines, task } from './enrollment-replay.ts'

// What is shown before anybody is in a sequence is what comes to pass.

const HOLIDAYS = [
  { from_date: '2026-12-24', to_date: '2027-01-01', intervals: [] },
  { from_date: '2027-03-26', to_date: '2027-03-29', intervals: [] },
  { from_date: '2027-05-06', to_date: '2027-05-06', intervals: [{ from: '09:00', to: '12:00' }] },
]
const working = { business_days_only: true }
const SETTINGS: Record<string, Setting> = {
  'in hours, with holidays': {
    hours: true,
    exceptions: HOLIDAYS,
    steps: [
      mail(0, 'One'),
      mail(3 * DAY, undefined, working),
      call(2 * DAY, 'Call'),
      mail(5 * DAY, undefined, working),
    ],
  },
  'at any hour, on business days': {
    steps: [mail(3600, 'One', working), task(DAY, 'Look', working), mail(10 * DAY, 'Two', working), mail(6 * 3600)],
  },
  'through a mailbox with a limit and a spacing': {
    hours: true,
    exceptions: HOLIDAYS,
    mailboxes: [mailbox({ daily_limit: 2, spacing_s: 5400 })],
    steps: [mail(0, 'One'), mail(0, 'Two'), mail(0, 'Three'), mail(DAY, 'Four', working), mail(1800)],
  },
}

for (const timezone of ['Europe/Berlin', 'America/Chicago'])
  describe(`in ${timezone}, over a year`, () => {
    let timelines: Awaited<ReturnType<typeof startTimelines>>
    before(async () => {
      timelines = await startTimelines(timezone)
    })
    after(() => timelines.stop())

    for (const [name, setting] of Object.entries(SETTINGS))
      test(`each step is done when the preview says, ${name}`, async () => {
        const { store, a, deps } = timelines
        const who = { org: a.org, member: a.owner }
        // Every 17 days and some hours: weekends, nights, holidays and both changes of the clocks are among them.
        for (let round = 0; round < 22; round += 1) {
          timelines.apply(setting)
          const given = showSettings(store, a.org).sequences.at(-1) as SequenceForm & { key: string }
          const sequence_id = store.db
            .prepare('SELECT id FROM sequences WHERE key = ?')
            .pluck()
            .get(given.key) as string
          const contact_id = await timelines.newContact()
          const { steps } = sequencePreviews(deps).preview(who, { sequence: given, contact_id })
          const again = sequencePreviews(deps).preview(who, { sequence: given, contact_id })
          assert.deepEqual(again.steps, steps, 'looking changes nothing')
          const { body } = await timelines.call('POST', '/enrollments', { sequence_id, contact_id })
          await timelines.goTo(timelines.now() + 60 * DAY * 1000, false)
          const done = store.db
            .prepare('SELECT at FROM enrollment_steps WHERE enrollment_id = ? ORDER BY position')
            .pluck()
            .all(body.id) as number[]
          const seen = (ms: number) =>
            Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toString()
          assert.deepEqual(
            done.map(seen),
            steps.map(({ at }) => seen(Date.parse(at))),
          )
          if (setting.hours)
            for (const ms of done)
              assert.ok(Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).dayOfWeek <= 5)
          await timelines.goTo(timelines.now() + 7 * 3600 * 1000 * (round % 5), false)
        }
      })

    test('a holiday that is entered later moves the preview and what was planned', async () => {
      const { store, a, deps } = timelines
      const who = { org: a.org, member: a.owner }
      const setting = { hours: true, steps: [mail(DAY, 'One', working)] }
      timelines.apply(setting)
      const sequence = showSettings(store, a.org).sequences.at(-1) as SequenceForm & { key: string }
      const sequence_id = store.db.prepare('SELECT id FROM sequences WHERE key = ?').pluck().get(sequence.key)
      const contact_id = await timelines.newContact()
      const look = () => sequencePreviews(deps).preview(who, { sequence, contact_id }).steps[0]?.at as string
      const { body } = await timelines.call('POST', '/enrollments', { sequence_id, contact_id })
      const day = Temporal.Instant.from(look()).toZonedDateTimeISO(timezone).toPlainDate().toString()
      applySettings(store, a.org, {
        hours: [office(timezone, [{ from_date: day, to_date: day, intervals: [] }])] as never,
      })
      await timelines.goTo(timelines.now() + 10 * DAY * 1000, false)
      const [at] = store.db.prepare('SELECT at FROM enrollment_steps WHERE enrollment_id = ?').pluck().all(body.id)
      const there = Temporal.Instant.fromEpochMilliseconds(at as number).toZonedDateTimeISO(timezone)
      assert.ok(there.toPlainDate().toString() > day)
      assert.equal(there.toPlainTime().toString({ smallestUnit: 'minute' }), '09:00')
    })
  })

describe('before people are enrolled', () => {
  let timelines: Awaited<ReturnType<typeof startTimelines>>
  before(async () => {
    timelines = await startTimelines('Europe/Berlin')
  })
  after(() => timelines.stop())

  test('who goes in, who does not and why, who had it before, and when the mails leave', async () => {
    const { store, a, deps } = timelines
    const who = { org: a.org, member: a.owner }
    timelines.apply({ steps: [mail(0, 'One')], mailboxes: [mailbox({ daily_limit: 2 })] })
    const [{ id: sequence_id }] = (await timelines.call('GET', '/sequences')).body.data
    const people: string[] = []
    for (let index = 0; index < 5; index += 1) people.push(await timelines.newContact())
    await timelines.call('PATCH', `/contacts/${people[1]}`, { do_not_contact: true })
    const had = (await timelines.call('POST', '/enrollments', { sequence_id, contact_id: people[0] })).body
    await timelines.goTo(timelines.now() + DAY * 1000, false)
    assert.equal((await timelines.call('GET', `/enrollments/${had.id}`)).body.status, 'completed')
    const look = () => enrollPreviews(deps)(who, { sequence_id, contact_ids: people })
    const seen = look()
    assert.deepEqual(
      seen.goes.map(({ contact_id }) => contact_id),
      [people[0], people[2], people[3], people[4]],
    )
    assert.deepEqual(
      seen.skipped.map(({ contact_id, reason }) => [contact_id, reason]),
      [[people[1], 'do_not_contact']],
    )
    assert.deepEqual(
      seen.again.map(({ contact_id, at, steps }) => [contact_id, at, steps]),
      [[people[0], had.created_at, 1]],
    )
    assert.deepEqual(look(), seen, 'looking changes nothing')
    const made = await store.write(() =>
      enrollmentStore(deps).create(who, { sequence_id, contact_ids: people } as never),
    )
    assert.equal((made as { data: unknown[] }).data.length, seen.goes.length)
    await timelines.goTo(timelines.now() + 5 * DAY * 1000, false)
    const times = store.db
      .prepare('SELECT at FROM enrollment_steps WHERE enrollment_id <> ? ORDER BY at')
      .pluck()
      .all(had.id) as number[]
    assert.deepEqual(
      [times[0], times.at(-1)],
      [Date.parse(seen.first_at as string), Date.parse(seen.last_at as string)],
    )
  })
})
