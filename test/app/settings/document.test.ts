import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultSettings } from '../../../src/app/settings/defaults.ts'
import { createOrg, showSettings } from '../../../src/app/settings/document.ts'
import { problem, settingsFixture, thrownErrors } from './settings-fixture.ts'

test('what show prints changes nothing when applied, and shows every section', (t) => {
  const { show, apply, rows } = settingsFixture(t)
  apply({ sla: [{ key: 'all', name: 'All', is_default: true, hours: 'office', targets: {} }] })
  const everything = () =>
    ['members', 'pipelines', 'stages', 'close_reasons', 'hours', 'sla_policies'].map((table) => rows(table))
  const before = everything()
  const sections = [
    'org',
    'members',
    'pipelines',
    'close_reasons',
    'hours',
    'sla',
    'mailboxes',
    'rules',
    'satisfaction',
    'sequences',
  ]
  assert.deepEqual(Object.keys(show()), sections)
  assert.deepEqual(apply(show()), [])
  assert.deepEqual(everything(), before)
})

test('applied a second time, a document changes nothing', (t) => {
  const { apply } = settingsFixture(t)
  const document = {
    org: { name: 'Acme Ltd', timezone: 'Europe/London', currency: 'GBP' },
    members: [{ email: 'Ana@Acme.example', name: 'Ana', role: 'owner' }],
    pipelines: [
      {
        key: 'renewals',
        name: 'Renewals',
        is_default: false,
        stages: [
          { key: 'open', name: 'Open' },
          { key: 'won', name: 'Kept', outcome: 'won' },
          { key: 'lost', name: 'Gone', outcome: 'lost' },
        ],
      },
    ],
    close_reasons: [{ key: 'price', name: 'Too expensive', outcome: 'lost' }],
    hours: [
      { key: 'late', name: 'Late', timezone: 'Europe/London', weekly: { fri: [{ from: '20:00', to: '24:00' }] } },
    ],
    sla: [{ key: 'late', name: 'Late', hours: 'late', targets: { urgent: { resolution_s: 60 } } }],
    sequences: [{ key: 'fair', name: 'Fair', status: 'draft', hours: 'late', steps: [] }],
  }
  assert.notEqual(apply(document).length, 0)
  assert.deepEqual(apply(document), [])
})

test('the default settings are the usual pipeline with its probabilities, close reasons of both outcomes, and office hours', (t) => {
  const { show } = settingsFixture(t)
  const { pipelines, close_reasons, hours, sla } = show()
  assert.equal(pipelines.length, 1)
  assert.equal(pipelines[0]?.is_default, true)
  assert.deepEqual(
    pipelines[0]?.stages.map(({ name, probability, outcome }) => [name, probability, outcome]),
    [
      ['Qualified', 20, undefined],
      ['Demo', 40, undefined],
      ['Proposal', 60, undefined],
      ['Negotiation', 80, undefined],
      ['Won', 100, 'won'],
      ['Lost', 0, 'lost'],
    ],
  )
  assert.deepEqual(
    close_reasons.map(({ name, outcome, is_active }) => `${name} ${outcome} ${is_active}`),
    [
      'Best fit won true',
      'Best price won true',
      'Existing relationship won true',
      'Price lost true',
      'Competitor lost true',
      'No budget lost true',
      'Bad timing lost true',
      'No response lost true',
      'Missing feature lost true',
    ],
  )
  const workday = [{ from: '09:00', to: '17:30' }]
  assert.deepEqual(hours, [
    {
      key: 'office',
      name: 'Office',
      timezone: 'Europe/Berlin',
      is_default: true,
      weekly: { mon: workday, tue: workday, wed: workday, thu: workday, fri: workday, sat: [], sun: [] },
      exceptions: [],
    },
  ])
  assert.deepEqual(sla, [])
})

test('a section left out stays as it is', (t) => {
  const { show, apply } = settingsFixture(t)
  const before = show()
  const changed = apply({ org: { ...before.org, name: 'Acme Ltd' } })
  assert.deepEqual(
    changed.map(({ section }) => section),
    ['org'],
  )
  assert.deepEqual(show(), { ...before, org: { ...before.org, name: 'Acme Ltd' } })
})

test('the organisation changes field by field, and an optional field left out is cleared', (t) => {
  const { apply, show } = settingsFixture(t)
  const org = {
    name: 'Acme',
    timezone: 'Europe/Berlin',
    currency: 'CHF',
    country: 'CH',
    public_base_url: 'https://crm.acme.example',
  }
  const [change, ...more] = apply({ org })
  assert.deepEqual(more, [])
  assert.equal(change?.section, 'org')
  assert.equal(change?.action, 'updated')
  assert.deepEqual(change?.fields, {
    currency: { from: 'EUR', to: 'CHF' },
    country: { from: null, to: 'CH' },
    public_base_url: { from: null, to: 'https://crm.acme.example' },
  })
  assert.deepEqual(show().org, org)
  const { country, public_base_url, ...rest } = org
  assert.deepEqual(apply({ org: rest })[0]?.fields, {
    country: { from: country, to: null },
    public_base_url: { from: public_base_url, to: null },
  })
  assert.deepEqual(show().org, rest)
})

test('what is no settings document is refused with a pointer to every fault', (t) => {
  const { apply } = settingsFixture(t)
  for (const root of [null, [], 'text', 1]) assert.throws(() => apply(root), problem(400, 'wrong_root'))
  for (const name of ['mailbox', 'sequence', 'pipeline', 'constructor']) {
    assert.deepEqual(
      thrownErrors(() => apply({ [name]: [] })),
      [`/${name} unknown_section`],
    )
  }
  assert.throws(
    () => apply({ mailbox: [] }),
    /is not a section of the settings; sections are org, members, pipelines, close_reasons, hours, sla, mailboxes, rules, satisfaction, sequences/,
  )
  assert.deepEqual(
    thrownErrors(() =>
      apply({
        org: { name: ' ', timezone: 'Mars/Base', currency: 'euro', color: 'red' },
        members: [{ email: 'nobody', name: 'N', role: 'boss', status: 'active' }],
        pipelines: [{ key: 'a b', name: 'P', is_default: 1, stages: [{ key: 's', name: 'S', probability: 101 }] }],
        close_reasons: [{ key: 'x', name: 'X', outcome: 'open' }, { name: 'Y' }],
      }),
    ),
    [
      '/org/name empty',
      '/org/timezone invalid_timezone',
      '/org/currency invalid_currency',
      '/org/color unknown_field',
      '/members/0/email invalid_email',
      '/members/0/role invalid_choice',
      '/members/0/status unknown_field',
      '/pipelines/0/key invalid_key',
      '/pipelines/0/is_default invalid_type',
      '/pipelines/0/stages/0/probability out_of_range',
      '/close_reasons/0/outcome invalid_choice',
      '/close_reasons/1/key required',
      '/close_reasons/1/outcome required',
    ],
  )
})

test('keys are unique in their section, emails without regard to case', (t) => {
  const { apply } = settingsFixture(t)
  const stages = [
    { key: 'open', name: 'Open' },
    { key: 'open', name: 'Also' },
    { key: 'won', name: 'Won', outcome: 'won' },
    { key: 'lost', name: 'Lost', outcome: 'lost' },
  ]
  const reason = { key: 'price', name: 'Price', outcome: 'lost' }
  assert.deepEqual(
    thrownErrors(() =>
      apply({
        members: [
          { email: 'ana@acme.example', name: 'Ana', role: 'owner' },
          { email: 'ANA@acme.example', name: 'Ana', role: 'owner' },
        ],
        pipelines: [
          { key: 'p', name: 'P', is_default: false, stages },
          { key: 'p', name: 'P', is_default: false, stages: stages.slice(1) },
        ],
        close_reasons: [reason, { ...reason, key: 'other' }, reason],
      }),
    ),
    [
      '/members/1/email duplicate',
      '/pipelines/1/key duplicate',
      '/pipelines/0/stages/1/key duplicate',
      '/close_reasons/2/key duplicate',
    ],
  )
})

test('a document applies as a whole or not at all', (t) => {
  const { edit, show, deal } = settingsFixture(t)
  deal()
  const before = show()
  const twoFaces = () =>
    edit((document) => {
      document.org.name = 'Acme Ltd'
      document.members.push({ email: 'cy@acme.example', name: 'Cy', role: 'viewer' })
      document.close_reasons.pop()
      document.pipelines = []
    })
  assert.throws(twoFaces, problem(409, 'stage_in_use'))
  assert.deepEqual(show(), before)
})

test('a dry run answers what would change, and writes nothing', (t) => {
  const { edit, show, rows } = settingsFixture(t)
  const before = show()
  const rename = (document: ReturnType<typeof show>) => {
    document.org.name = 'Acme Ltd'
    document.members.pop()
    document.pipelines[0]!.stages[1]!.name = 'Presentation'
  }
  const dry = edit(rename, { dryRun: true })
  assert.deepEqual(show(), before)
  assert.equal(rows('members').length, 2)
  assert.deepEqual(edit(rename), dry)
  assert.deepEqual(dry.map(({ section, key, action }) => `${section} ${key} ${action}`).slice(1), [
    'members bo@acme.example removed',
    'pipelines sales/demo updated',
  ])
})

test('another organisation sees none of it, whatever keys both have', (t) => {
  const { store, apply, b } = settingsFixture(t)
  const before = showSettings(store, b)
  const owner = { email: 'ana@acme.example', name: 'Ana B.', role: 'owner' }
  apply({
    org: { name: 'X', timezone: 'UTC', currency: 'USD' },
    members: [owner],
    pipelines: [],
    close_reasons: [],
    hours: [],
  })
  assert.deepEqual(showSettings(store, b), before)
})

test('an organisation can start bare, and one that cannot start leaves nothing behind', (t) => {
  const { store } = settingsFixture(t)
  const org = { name: 'Cedar', timezone: 'UTC', currency: 'USD' }
  const owner = { email: 'di@cedar.example', name: 'Di', role: 'owner' as const }
  const { org: c, publicId } = createOrg(store, { org, members: [owner] })
  assert.match(publicId, /^[0-9a-f-]{36}$/)
  assert.deepEqual(showSettings(store, c), {
    org,
    members: [{ ...owner, timezone: 'UTC' }],
    pipelines: [],
    close_reasons: [],
    hours: [],
    sla: [],
    mailboxes: [],
    rules: [],
    satisfaction: { is_active: false, language: 'en', pause_days: 0 },
    sequences: [],
  })
  const orgs = () => store.db.prepare('SELECT count(*) FROM orgs').pluck().get()
  const before = orgs()
  assert.throws(
    () => createOrg(store, { ...defaultSettings(org.timezone), org, members: [{ ...owner, role: 'admin' }] }),
    problem(409, 'last_owner'),
  )
  assert.equal(orgs(), before)
})
