import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HoursSettings } from '../../../src/inbox/hours/settings.ts'
import { problem, settingsFixture, thrownErrors } from '../../app/settings/settings-fixture.ts'

const work = [{ from: '09:00', to: '17:30' }]
const office = {
  key: 'office',
  name: 'Office',
  timezone: 'Europe/Berlin',
  is_default: true,
  weekly: { mon: work, tue: work, wed: work, thu: work, fri: work },
}
const late = { key: 'late', name: 'Late shift', timezone: 'UTC', weekly: { fri: [{ from: '20:00', to: '24:00' }] } }

const closedWeek = { mon: [], tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] }

test('hours stand in the order of the document, with all seven days, and are no default unless it says so', (t) => {
  const { apply, show } = settingsFixture(t)
  apply({ hours: [] })
  const changed = apply({ hours: [late, office] })
  assert.deepEqual(changed[0], {
    section: 'hours',
    key: 'late',
    action: 'created',
    fields: {
      name: { from: null, to: 'Late shift' },
      timezone: { from: null, to: 'UTC' },
      is_default: { from: null, to: false },
      position: { from: null, to: 0 },
      weekly: { from: null, to: { ...closedWeek, fri: [{ from: '20:00', to: '24:00' }] } },
      exceptions: { from: null, to: [] },
    },
  })
  assert.deepEqual(show().hours, [
    { ...late, is_default: false, weekly: { ...closedWeek, ...late.weekly }, exceptions: [] },
    { ...office, weekly: { ...closedWeek, ...office.weekly }, exceptions: [] },
  ])
  assert.deepEqual(
    apply({ hours: [office, late] }).map(({ key, action, fields }) => [key, action, fields]),
    [
      ['office', 'updated', { position: { from: 1, to: 0 } }],
      ['late', 'updated', { position: { from: 0, to: 1 } }],
    ],
  )
})

test('intervals and exceptions are stored in order, whichever way they were written', (t) => {
  const { apply, show } = settingsFixture(t)
  const [morning, noon, evening] = [
    { from: '08:00', to: '12:00' },
    { from: '12:00', to: '12:30' },
    { from: '18:00', to: '24:00' },
  ] as const
  const summer = { from_date: '2026-08-01', to_date: '2026-08-31', name: 'Summer', intervals: [morning, evening] }
  const given = (intervals: object[], exceptions: object[]) => ({
    hours: [{ ...late, weekly: { mon: intervals }, exceptions }],
  })
  apply(given([evening, morning, noon], [{ from_date: '2026-12-24' }, { ...summer, intervals: [evening, morning] }]))
  assert.deepEqual(show().hours[0]?.weekly.mon, [morning, noon, evening])
  assert.deepEqual(show().hours[0]?.exceptions, [
    summer,
    { from_date: '2026-12-24', to_date: '2026-12-24', name: null, intervals: [] },
  ])
  assert.deepEqual(apply(given([noon, evening, morning], [summer, { from_date: '2026-12-24', intervals: [] }])), [])
})

test('only hours that change get a new version', (t) => {
  const { apply, edit, rows, advance } = settingsFixture(t)
  apply({ hours: [office, late] })
  const before = rows('hours')
  advance(1000)
  edit(({ hours }) => {
    hours[1]!.timezone = 'Europe/London'
  })
  const updated_at = (before[1]?.updated_at as number) + 1000
  assert.deepEqual(
    rows('hours'),
    before.with(1, {
      ...before[1]!,
      timezone: 'Europe/London',
      version: (before[1]?.version as number) + 1,
      updated_at,
    }),
  )
})

test('the default moves to other hours, and there is none where the document names none', (t) => {
  const { apply, rows } = settingsFixture(t)
  const defaults = () =>
    rows('hours')
      .filter(({ is_default }) => is_default)
      .map(({ key }) => key)
  apply({ hours: [office, late] })
  assert.deepEqual(defaults(), ['office'])
  apply({
    hours: [
      { ...office, is_default: false },
      { ...late, is_default: true },
    ],
  })
  assert.deepEqual(defaults(), ['late'])
  apply({ hours: [{ ...office, is_default: true }] })
  assert.deepEqual(defaults(), ['office'])
  assert.deepEqual(apply({ hours: [{ ...late, is_default: true }] })[1], {
    section: 'hours',
    key: 'office',
    action: 'removed',
    fields: {
      name: { from: 'Office', to: null },
      timezone: { from: 'Europe/Berlin', to: null },
      is_default: { from: true, to: null },
      position: { from: 0, to: null },
      weekly: { from: { ...closedWeek, ...office.weekly }, to: null },
      exceptions: { from: [], to: null },
    },
  })
  apply({ hours: [late] })
  assert.deepEqual(defaults(), [])
})

const refused: [string, object, string[]][] = [
  ['a zone that there is not', { timezone: 'Europe/Atlantis' }, ['/hours/0/timezone invalid_timezone']],
  ['no week', { weekly: undefined }, ['/hours/0/weekly required']],
  ['an eighth day', { weekly: { day: [] } }, ['/hours/0/weekly/day unknown_field']],
  [
    'times that no clock shows',
    {
      weekly: {
        mon: [
          { from: '9:00', to: '17:30' },
          { from: '24:00', to: '24:00' },
        ],
        tue: [{ from: '09:60', to: '24:01' }],
        wed: [{ from: '09:00:00', to: '25:00' }],
      },
    },
    [
      '/hours/0/weekly/mon/0/from invalid_clock_time',
      '/hours/0/weekly/mon/1/from invalid_clock_time',
      '/hours/0/weekly/tue/0/from invalid_clock_time',
      '/hours/0/weekly/tue/0/to invalid_clock_time',
      '/hours/0/weekly/wed/0/from invalid_clock_time',
      '/hours/0/weekly/wed/0/to invalid_clock_time',
    ],
  ],
  [
    'what ends before it begins, or at once',
    { weekly: { mon: [{ from: '17:00', to: '09:00' }], sun: [{ from: '09:00', to: '09:00' }] } },
    ['/hours/0/weekly/mon/0/to not_after', '/hours/0/weekly/sun/0/to not_after'],
  ],
  [
    'intervals of a day that overlap',
    {
      weekly: {
        tue: [
          { from: '13:00', to: '18:00' },
          { from: '10:00', to: '13:01' },
          { from: '08:00', to: '09:00' },
          { from: '17:59', to: '20:00' },
        ],
      },
    },
    ['/hours/0/weekly/tue/0/from overlap', '/hours/0/weekly/tue/3/from overlap'],
  ],
  ['the same interval twice', { weekly: { mon: [...work, ...work] } }, ['/hours/0/weekly/mon/1/from overlap']],
  [
    'more than 24 intervals of a day',
    { weekly: { mon: Array.from({ length: 25 }, (_, at) => ({ from: `00:${at + 10}`, to: `00:${at + 11}` })) } },
    ['/hours/0/weekly/mon too_many'],
  ],
  [
    'exceptions that end before they begin, or overlap',
    {
      exceptions: [
        { from_date: '2026-12-28', to_date: '2027-01-01' },
        { from_date: '2027-01-01' },
        { from_date: '2026-12-24', to_date: '2026-12-23' },
      ],
    },
    ['/hours/0/exceptions/2/to_date not_after', '/hours/0/exceptions/1/from_date overlap'],
  ],
  [
    'what an exception cannot have',
    {
      exceptions: [
        { from_date: '2026-02-29' },
        { to_date: '2026-03-01' },
        { from_date: '2026-04-01', name: 'x'.repeat(256) },
        { from_date: '2026-05-01', intervals: [{ from: '09:00' }] },
        { from_date: '2026-06-01', closed: true },
      ],
    },
    [
      '/hours/0/exceptions/0/from_date invalid_date',
      '/hours/0/exceptions/1/from_date required',
      '/hours/0/exceptions/2/name too_long',
      '/hours/0/exceptions/3/intervals/0/to required',
      '/hours/0/exceptions/4/closed unknown_field',
    ],
  ],
  [
    'intervals of an exception that overlap',
    { exceptions: [{ from_date: '2026-12-24', intervals: [...work, { from: '10:00', to: '11:00' }] }] },
    ['/hours/0/exceptions/0/intervals/1/from overlap'],
  ],
  [
    'more than 400 exceptions',
    {
      exceptions: Array.from({ length: 401 }, (_, day) => ({
        from_date: new Date(day * 86_400_000).toISOString().slice(0, 10),
      })),
    },
    ['/hours/0/exceptions too_many'],
  ],
  ['a position', { position: 3 }, ['/hours/0/position unknown_field']],
]
for (const [what, given, errors] of refused) {
  test(`${what}: refused`, (t) => {
    const { apply, show } = settingsFixture(t)
    const before = show()
    assert.deepEqual(
      thrownErrors(() => apply({ hours: [{ ...office, ...given }] })),
      errors,
    )
    assert.deepEqual(show(), before)
  })
}

test('keys differ, and at most one is the default', (t) => {
  const { apply } = settingsFixture(t)
  assert.deepEqual(
    thrownErrors(() => apply({ hours: [office, { ...late, is_default: true }, { ...late, key: 'office' }] })),
    ['/hours/2/key duplicate', '/hours/1/is_default second_default'],
  )
})

test('24 intervals of a day and 400 exceptions are taken', (t) => {
  const { apply, show } = settingsFixture(t)
  const hour = (at: number) => String(at).padStart(2, '0')
  const mon = Array.from({ length: 24 }, (_, at) => ({ from: `${hour(at)}:00`, to: `${hour(at)}:59` }))
  const exceptions = Array.from({ length: 400 }, (_, day) => ({
    from_date: new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
  }))
  apply({ hours: [{ ...office, weekly: { mon }, exceptions }] })
  assert.deepEqual(show().hours[0]?.weekly.mon, mon)
  assert.equal(show().hours[0]?.exceptions?.length, 400)
})

test('hours by which a policy counts are not removed, whether it is active or not', (t) => {
  const { apply, show, row, store, a, conversation } = settingsFixture(t)
  const policy = { key: 'fast', name: 'Fast', hours: 'late', targets: {} }
  apply({ hours: [office, late], sla: [policy] })
  const before = show()
  assert.throws(() => apply({ hours: [office] }), problem(409, 'hours_in_use'))
  assert.throws(() => apply({ hours: [office] }), /The hours "late" cannot be removed: .+ \(fast\)/)
  assert.deepEqual(show(), before)
  conversation({ sla_policy_id: row('sla_policies', 'fast').id as string })
  assert.throws(() => apply({ hours: [office], sla: [] }), problem(409, 'hours_in_use'))
  store.db.prepare("UPDATE conversations SET sla = json_remove(sla, '$.policy_id') WHERE org_id = ?").run(a)
  apply({ hours: [office], sla: [] })
  assert.deepEqual(
    show().hours.map(({ key }) => key),
    ['office'],
  )
})

test('one document drops hours together with the policies that counted by them', (t) => {
  const { apply, show } = settingsFixture(t)
  apply({ hours: [office, late], sla: [{ key: 'fast', name: 'Fast', hours: 'late', targets: {} }] })
  const changed = apply({ hours: [office], sla: [{ key: 'fast', name: 'Fast', hours: 'office', targets: {} }] })
  assert.deepEqual(
    changed.map(({ section, key, action }) => `${section} ${key} ${action}`),
    ['sla fast updated', 'hours late removed'],
  )
  assert.deepEqual(changed.at(0)?.fields, { hours: { from: 'late', to: 'office' } })
  apply({ hours: [], sla: [] })
  assert.deepEqual([show().hours, show().sla], [[], []])
})

test('whatever changes hours has all conversations counted anew, once', (t) => {
  const { store, apply, a, advance } = settingsFixture(t)
  const jobs = () =>
    store.db
      .prepare("SELECT org_id, key, payload, due_at FROM jobs WHERE kind = 'sla.recount' ORDER BY org_id")
      .all() as Record<string, unknown>[]
  store.db.prepare('DELETE FROM jobs').run()
  const hours: HoursSettings[] = [{ ...office, name: 'Bureau' }]
  advance(1000)
  apply({ hours }, { dryRun: true })
  assert.deepEqual(jobs(), [])
  apply({ hours })
  assert.deepEqual(jobs(), [{ org_id: a, key: 'org', payload: '{"after":null}', due_at: store.clock.now() }])
  store.db.prepare('DELETE FROM jobs').run()
  apply({ hours })
  apply({ close_reasons: [] })
  assert.deepEqual(jobs(), [])
  apply({ hours: [] })
  assert.equal(jobs().length, 1)
})
