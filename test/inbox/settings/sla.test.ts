import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problem, settingsFixture, thrownErrors } from '../../app/settings/settings-fixture.ts'

const NONE = { first_response_s: null, next_response_s: null, resolution_s: null }
const NO_TARGETS = { low: NONE, normal: NONE, high: NONE, urgent: NONE }
const urgent = { field: 'priority', op: 'eq', value: 'urgent' }
const fast = {
  key: 'fast',
  name: 'Fast',
  match: { any: [urgent, { field: 'company.industry', op: 'contains', value: 'bank' }] },
  hours: null,
  targets: { urgent: { first_response_s: 900, resolution_s: 14_400 }, low: {} },
  pause_on: ['snoozed'],
}
const usual = {
  key: 'usual',
  name: 'Usual',
  is_default: true,
  hours: 'office',
  targets: { normal: { first_response_s: 28_800, next_response_s: null } },
}

test('policies stand in the order of the document, with every target and what was left out', (t) => {
  const { apply, show } = settingsFixture(t)
  const changed = apply({ sla: [fast, usual] })
  assert.deepEqual(changed[0], {
    section: 'sla',
    key: 'fast',
    action: 'created',
    fields: {
      name: { from: null, to: 'Fast' },
      is_default: { from: null, to: false },
      is_active: { from: null, to: true },
      position: { from: null, to: 0 },
      match: { from: null, to: fast.match },
      targets: {
        from: null,
        to: { ...NO_TARGETS, urgent: { first_response_s: 900, next_response_s: null, resolution_s: 14_400 } },
      },
      pause_on: { from: null, to: ['snoozed'] },
    },
  })
  assert.deepEqual(changed[1]?.fields.hours, { from: null, to: 'office' })
  assert.deepEqual(show().sla, [
    {
      ...fast,
      is_default: false,
      targets: { ...NO_TARGETS, urgent: { ...NONE, first_response_s: 900, resolution_s: 14_400 } },
    },
    {
      ...usual,
      match: null,
      targets: { ...NO_TARGETS, normal: { ...NONE, first_response_s: 28_800 } },
      pause_on: [],
    },
  ])
  assert.deepEqual(apply({ sla: [fast, usual] }), [])
  assert.deepEqual(
    apply({ sla: [usual, fast] }).map(({ key, action, fields }) => [key, action, fields]),
    [
      ['usual', 'updated', { position: { from: 1, to: 0 } }],
      ['fast', 'updated', { position: { from: 0, to: 1 } }],
    ],
  )
})

test('a policy that says the same in another way is no change', (t) => {
  const { apply } = settingsFixture(t)
  apply({ sla: [{ ...fast, pause_on: ['snoozed', 'pending'] }] })
  const again = {
    ...fast,
    is_default: false,
    match: { any: [{ value: 'urgent', op: 'eq', field: 'priority' }, fast.match.any[1]] },
    targets: { urgent: { resolution_s: 14_400, first_response_s: 900 }, normal: NONE },
    pause_on: ['pending', 'snoozed', 'pending'],
  }
  assert.deepEqual(apply({ sla: [again] }), [])
})

test('only policies that change get a new version', (t) => {
  const { apply, edit, rows, advance } = settingsFixture(t)
  apply({ sla: [fast, usual] })
  const before = rows('sla_policies')
  advance(1000)
  edit(({ sla }) => {
    sla[0]!.targets.urgent!.first_response_s = 600
  })
  const after = rows('sla_policies')
  assert.deepEqual(after[1], before[1])
  assert.deepEqual(
    [after[0]?.version, after[0]?.updated_at, after[0]?.created_at],
    [2, (before[0]?.updated_at as number) + 1000, before[0]?.created_at],
  )
})

test('the default moves to another policy, and there is none where the document names none', (t) => {
  const { apply, rows } = settingsFixture(t)
  const other = { ...usual, key: 'other', is_default: false }
  const defaults = () => rows('sla_policies').flatMap(({ is_default, key }) => (is_default ? [key] : []))
  apply({ sla: [usual, other] })
  assert.deepEqual(defaults(), ['usual'])
  apply({
    sla: [
      { ...usual, is_default: false },
      { ...other, is_default: true },
    ],
  })
  assert.deepEqual(defaults(), ['other'])
  apply({ sla: [usual] })
  assert.deepEqual(defaults(), ['usual'])
  apply({ sla: [{ ...usual, is_default: false }] })
  assert.deepEqual(defaults(), [])
})

test('a policy left out is removed where no conversation refers to it, else deactivated behind the others', (t) => {
  const { apply, show, rows, row, conversation } = settingsFixture(t)
  apply({ sla: [fast, { ...fast, key: 'slow' }, usual] })
  conversation({ sla_policy_id: row('sla_policies', 'usual').id as string })
  const third = { ...fast, key: 'third' }
  const changed = apply({ sla: [third] })
  assert.deepEqual(
    changed.map(({ key, action }) => `${key} ${action}`),
    ['third created', 'fast removed', 'slow removed', 'usual deactivated'],
  )
  assert.deepEqual(changed[3]?.fields, {
    is_default: { from: true, to: false },
    is_active: { from: true, to: false },
    position: { from: 2, to: 1 },
  })
  assert.deepEqual(
    rows('sla_policies').map(({ key, position, is_active }) => [key, position, is_active]),
    [
      ['third', 0, 1],
      ['usual', 1, 0],
    ],
  )
  assert.deepEqual(
    show().sla.map(({ key }) => key),
    ['third'],
  )
  assert.deepEqual(apply({ sla: [third] }), [])
  apply({ sla: [{ ...third, is_default: true, match: null }] }) // the default of old is in nobody's way
  const { id } = row('sla_policies', 'usual')
  const [back] = apply({ sla: [usual] })
  assert.deepEqual([back?.key, back?.action], ['usual', 'activated'])
  assert.equal(row('sla_policies', 'usual').id, id)
})

test('a policy that is not active any more goes for good once no conversation refers to it', (t) => {
  const { apply, row, rows, conversation, store, a } = settingsFixture(t)
  apply({ sla: [usual] })
  conversation({ sla_policy_id: row('sla_policies', 'usual').id as string })
  apply({ sla: [] })
  assert.equal(rows('sla_policies').length, 1)
  store.db.prepare("UPDATE conversations SET sla = json_remove(sla, '$.policy_id') WHERE org_id = ?").run(a)
  assert.deepEqual(
    apply({ sla: [] }).map(({ key, action }) => `${key} ${action}`),
    ['usual removed'],
  )
})

const refused: [string, object, string[]][] = [
  ['no hours', { hours: undefined }, ['/sla/0/hours required']],
  ['hours that there are not', { hours: 'night' }, ['/sla/0/hours unknown_hours']],
  ['no targets', { targets: undefined }, ['/sla/0/targets required']],
  ['another priority', { targets: { asap: {} } }, ['/sla/0/targets/asap unknown_field']],
  [
    'targets that are no whole number of seconds from 1 to a year',
    {
      targets: {
        low: { first_response_s: 0, next_response_s: 1.5, resolution_s: 31_536_001 },
        normal: { first_response_s: '1h', reply_s: 1 },
        high: null,
      },
    },
    [
      '/sla/0/targets/low/first_response_s out_of_range',
      '/sla/0/targets/low/next_response_s invalid_integer',
      '/sla/0/targets/low/resolution_s out_of_range',
      '/sla/0/targets/normal/first_response_s invalid_type',
      '/sla/0/targets/normal/reply_s unknown_field',
      '/sla/0/targets/high not_null',
    ],
  ],
  [
    'a pause in another status',
    { pause_on: ['pending', 'closed', 'open'] },
    ['/sla/0/pause_on/1 invalid_choice', '/sla/0/pause_on/2 invalid_choice'],
  ],
  ['a match of the default', { is_default: true, match: urgent }, ['/sla/0/match match_of_default']],
  ['a match that is no filter', { match: 'urgent' }, ['/sla/0/match invalid_type']],
  ['an empty match', { match: {} }, ['/sla/0/match invalid_filter']],
  [
    'fields that a conversation has not, and operators that do not fit',
    {
      match: {
        all: [
          { field: 'title', op: 'eq', value: 'x' },
          { field: 'priority', op: 'contains', value: 'u' },
          { not: { field: 'channel', op: 'eq', value: 'fax' } },
          { field: 'custom_fields.tier', op: 'eq', value: 'gold' },
          { field: 'company.color', op: 'is_null' },
          { field: 'sla.status', op: 'is_null' },
        ],
      },
    },
    [
      '/sla/0/match/all/0/field unknown_field',
      '/sla/0/match/all/1/op wrong_operator',
      '/sla/0/match/all/2/not/value invalid_value',
      '/sla/0/match/all/3/field unknown_field',
      '/sla/0/match/all/4/field unknown_field',
      '/sla/0/match/all/5/field unknown_field',
    ],
  ],
]
for (const [what, given, errors] of refused) {
  test(`${what}: refused`, (t) => {
    const { apply, show } = settingsFixture(t)
    const before = show()
    assert.deepEqual(
      thrownErrors(() => apply({ sla: [{ ...fast, ...given }] })),
      errors,
    )
    assert.deepEqual(show(), before)
  })
}

test('a match takes every field of a conversation', (t) => {
  const { apply, row, deal } = settingsFixture(t)
  const member = row('members', 'bo@acme.example').id
  const all = [
    { field: 'subject', op: 'starts_with', value: 'Re:' },
    { field: 'channel', op: 'in', value: ['email', 'chat', 'sms', 'phone', 'other'] },
    { field: 'status', op: 'not_in', value: ['open', 'pending', 'snoozed', 'closed'] },
    { field: 'priority', op: 'in', value: ['low', 'normal', 'high', 'urgent'] },
    { field: 'owner_id', op: 'eq', value: member },
    { field: 'contact_id', op: 'not_null' },
    { field: 'company_id', op: 'is_null' },
    { field: 'deal_id', op: 'ne', value: deal().id },
    { field: 'tag_ids', op: 'not_null' },
    { field: 'created_at', op: 'gte', value: '2026-01-01T00:00:00Z' },
    { field: 'company.name', op: 'eq', value: 'Northwind' },
    { field: 'company.tag_ids', op: 'is_null' },
  ]
  assert.equal(apply({ sla: [{ ...fast, match: { all } }] }).length, 1)
})

test('a match does not follow the clock', (t) => {
  const { apply } = settingsFixture(t)
  const days = (op: string) => ({ field: 'created_at', op, value: 30 })
  const match = { all: [days('in_last_days'), { not: { any: [days('in_next_days')] } }] }
  assert.deepEqual(
    thrownErrors(() => apply({ sla: [{ ...fast, match }] })),
    ['/sla/0/match/all/0/op wrong_operator', '/sla/0/match/all/1/not/any/0/op wrong_operator'],
  )
})

test('a match names no period and no "me": nobody asks', (t) => {
  const { apply } = settingsFixture(t)
  const all = [
    { field: 'created_at', op: 'gte', value: 'this_month' },
    { field: 'owner_id', op: 'in', value: ['me'] },
    { field: 'subject', op: 'eq', value: 'today' },
  ]
  assert.deepEqual(
    thrownErrors(() => apply({ sla: [{ ...fast, match: { all } }] })),
    ['/sla/0/match/all/0/value invalid_value', '/sla/0/match/all/1/value/0 invalid_value'],
  )
})

test('an id in a match is one of the organisation', (t) => {
  const { apply, store, a, b } = settingsFixture(t)
  const member = (org: number) => store.db.prepare('SELECT id FROM members WHERE org_id = ?').pluck().get(org)
  const match = (value: unknown) => ({
    sla: [{ ...fast, match: { all: [{ field: 'owner_id', op: 'in', value: [value] }] } }],
  })
  for (const id of [member(b), '01890000-0000-7000-8000-000000000000'])
    assert.deepEqual(
      thrownErrors(() => apply(match(id))),
      ['/sla/0/match/all/0/value/0 reference_not_found'],
    )
  assert.equal(apply(match(member(a))).length, 1)
})

test('a match that stays as it is may name what is gone by now, as long as its policy is active', (t) => {
  const { apply, store, a, row, conversation } = settingsFixture(t)
  const now = store.clock.now()
  const tag = store.clock.id()
  store.db
    .prepare(
      "INSERT INTO tags (org_id, id, name, name_key, created_at, updated_at, version) VALUES (?, ?, 'VIP', 'vip', ?, ?, 1)",
    )
    .run(a, tag, now, now)
  const policy = { ...fast, match: { field: 'tag_ids', op: 'has_any', value: [tag] } }
  apply({ sla: [policy] })
  store.db.prepare('DELETE FROM tags WHERE org_id = ?').run(a)
  assert.deepEqual(apply({ sla: [policy] }), [])
  conversation({ sla_policy_id: row('sla_policies', 'fast').id as string })
  apply({ sla: [] })
  assert.deepEqual(
    thrownErrors(() => apply({ sla: [policy] })),
    ['/sla/0/match/value/0 reference_not_found'],
  )
})

test('every fault of every policy is told at once', (t) => {
  const { apply } = settingsFixture(t)
  assert.deepEqual(
    thrownErrors(() =>
      apply({
        sla: [
          { ...fast, hours: 'night', match: {} },
          { ...usual, hours: 'day' },
        ],
      }),
    ),
    ['/sla/0/hours unknown_hours', '/sla/0/match invalid_filter', '/sla/1/hours unknown_hours'],
  )
})

test('hours that the same document leaves out are none for a policy', (t) => {
  const { apply } = settingsFixture(t)
  assert.deepEqual(
    thrownErrors(() => apply({ hours: [], sla: [usual] })),
    ['/sla/0/hours unknown_hours'],
  )
})

test('hours of the same document are there for its policies', (t) => {
  const { apply, show } = settingsFixture(t)
  const night = { key: 'night', name: 'Night', timezone: 'UTC', weekly: {} }
  assert.equal(apply({ hours: [...show().hours, night], sla: [{ ...fast, hours: 'night' }] }).length, 2)
  assert.equal(show().sla[0]?.hours, 'night')
})

test('keys differ, and at most one is the default', (t) => {
  const { apply } = settingsFixture(t)
  assert.deepEqual(
    thrownErrors(() => apply({ sla: [fast, usual, { ...usual, key: 'other' }, fast] })),
    ['/sla/3/key duplicate', '/sla/2/is_default second_default'],
  )
})

test('whatever changes policies has all conversations counted anew, once', (t) => {
  const { store, apply, a } = settingsFixture(t)
  const jobs = () => store.db.prepare("SELECT org_id, key FROM jobs WHERE kind = 'sla.recount'").all()
  const clear = () => store.db.prepare('DELETE FROM jobs').run()
  clear()
  apply({ sla: [fast] })
  assert.deepEqual(jobs(), [{ org_id: a, key: 'org' }])
  clear()
  apply({ sla: [fast] })
  assert.deepEqual(jobs(), [])
  apply({ sla: [] })
  assert.equal(jobs().length, 1)
})

test('a refused document leaves policies as they were', (t) => {
  const { apply, show, deal } = settingsFixture(t)
  apply({ sla: [usual, fast] })
  deal()
  const before = show()
  assert.throws(() => apply({ sla: [], hours: [], pipelines: [] }), problem(409, 'stage_in_use'))
  assert.deepEqual(show(), before)
})

test('the policies of another organisation stay, whatever keys both have', (t) => {
  const { store, apply, a, b, rows } = settingsFixture(t)
  apply({ sla: [fast] })
  store.db.prepare(`INSERT INTO sla_policies SELECT ?, ${COLUMNS} FROM sla_policies WHERE org_id = ?`).run(b, a)
  const before = rows('sla_policies', b)
  apply({ sla: [{ ...fast, is_default: true, match: null }] })
  apply({ sla: [] })
  assert.deepEqual([rows('sla_policies').length, rows('sla_policies', b)], [0, before])
})

const COLUMNS =
  'id, key, name, is_default, is_active, position, match, hours_id, targets, pause_on, created_at, updated_at, version'
