import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourceDeps } from '../../../src/app/deps.ts'
import { companyStore } from '../../../src/crm/companies.ts'
import { contactStore } from '../../../src/crm/contacts.ts'
import { dealStore } from '../../../src/crm/deals/deals.ts'
import { customFieldStore } from '../../../src/records/custom-fields/custom-fields.ts'
import { problem, settingsFixture } from '../../app/settings/settings-fixture.ts'

const ana = { email: 'ana@acme.example', name: 'Ana', role: 'owner', timezone: 'Europe/Berlin' }
const bo = { email: 'bo@acme.example', name: 'Bo', role: 'member', timezone: 'Europe/Berlin' }

test('a new member gets an id of this moment, and the time zone of the organisation where none is given', (t) => {
  const { apply, row } = settingsFixture(t)
  const changed = apply({ members: [ana, bo, { email: 'CY@Acme.example', name: 'Cy', role: 'viewer' }] })
  assert.deepEqual(changed, [
    {
      section: 'members',
      key: 'cy@acme.example',
      action: 'created',
      fields: {
        name: { from: null, to: 'Cy' },
        role: { from: null, to: 'viewer' },
        status: { from: null, to: 'active' },
        timezone: { from: null, to: 'Europe/Berlin' },
      },
    },
  ])
  const cy = row('members', 'cy@acme.example')
  assert.equal(cy.version, 1)
  assert.equal(cy.created_at, Number.parseInt((cy.id as string).replace('-', '').slice(0, 12), 16))
  assert.equal(cy.updated_at, cy.created_at)
})

test('members are matched by email without regard to case, and only those who change get a new version', (t) => {
  const { apply, row, advance } = settingsFixture(t)
  const before = row('members', bo.email)
  const untouched = row('members', ana.email)
  advance(1000)
  const changed = apply({ members: [ana, { ...bo, email: 'BO@ACME.example', role: 'admin' }] })
  assert.deepEqual(changed, [
    { section: 'members', key: bo.email, action: 'updated', fields: { role: { from: 'member', to: 'admin' } } },
  ])
  const updated_at = (before.updated_at as number) + 1000
  assert.deepEqual(row('members', bo.email), { ...before, role: 'admin', version: 2, updated_at })
  assert.deepEqual(row('members', ana.email), untouched)
})

test('a member left out is removed where nothing tells of them', (t) => {
  const { apply, rows } = settingsFixture(t)
  const [change] = apply({ members: [ana] })
  assert.equal(change?.action, 'removed')
  assert.deepEqual(change?.fields.name, { from: 'Bo', to: null })
  assert.deepEqual(
    rows('members').map(({ email }) => email),
    [ana.email],
  )
})

const CUSTOM = ['contact', 'company', 'deal'] as const

const traces: [string, (shop: ReturnType<typeof settingsFixture>, member: string) => void][] = [
  ['owns a deal', ({ deal }, member) => void deal({ owner_id: member })],
  ['made a deal', ({ deal }) => void deal({}, bo.email)],
  [
    'stands in the history of a deal',
    ({ deal, store }, member) => {
      deal({})
      const sql = `INSERT INTO deal_stage_changes (org_id, deal_id, deal_version, at, from_stage_id, to_stage_id, member_id)
                   SELECT org_id, id, 2, 0, stage_id, stage_id, ? FROM deals`
      store.db.prepare(sql).run(member)
    },
  ],
  [
    'is the actor of an event',
    ({ deal, store }) => {
      deal({}, bo.email)
      store.db.prepare('DELETE FROM deal_stage_changes').run()
    },
  ],
  [
    'has a token',
    ({ store, a }, member) => {
      const sql = "INSERT INTO tokens (org_id, id, member_id, scopes, created_at) VALUES (?, ?, ?, '[]', 0)"
      store.db.prepare(sql).run(a, store.clock.id(), member)
    },
  ],
  ...CUSTOM.map((object): (typeof traces)[number] => [
    `is the value of a custom field of a ${object}`,
    ({ store, a }, member) => {
      const deps = resourceDeps(store)
      const who = { org: a, member: null }
      customFieldStore(deps).create(who, { object, key: 'account_manager', label: 'Manager', type: 'member' })
      const custom_fields = { account_manager: member }
      if (object === 'contact') contactStore(deps).create(who, { first_name: 'C', custom_fields })
      if (object === 'company') companyStore(deps).create(who, { name: 'C', custom_fields })
      if (object === 'deal') dealStore(deps).create(who, { title: 'D', custom_fields })
    },
  ]),
  [
    'owns a company',
    ({ store, a }, member) => {
      const sql = `INSERT INTO companies (org_id, id, name, name_key, domains, tag_ids, owner_id, created_at, updated_at, version)
                   VALUES (?, ?, 'C', 'c', '[]', '[]', ?, 0, 0, 1)`
      store.db.prepare(sql).run(a, store.clock.id(), member)
    },
  ],
]

for (const [what, leave] of traces) {
  test(`a member left out who ${what} is deactivated, once, and comes back with the document`, (t) => {
    const shop = settingsFixture(t)
    const id = shop.row('members', bo.email).id as string
    leave(shop, id)
    const status = { from: 'active', to: 'deactivated' }
    assert.deepEqual(shop.apply({ members: [ana] }), [
      { section: 'members', key: bo.email, action: 'deactivated', fields: { status } },
    ])
    assert.equal(shop.row('members', bo.email).version, 2)
    assert.deepEqual(shop.apply({ members: [ana] }), [])
    assert.deepEqual(shop.apply({ members: [ana, { ...bo, name: 'Bo B.' }] }), [
      {
        section: 'members',
        key: bo.email,
        action: 'activated',
        fields: { name: { from: 'Bo', to: 'Bo B.' }, status: { from: 'deactivated', to: 'active' } },
      },
    ])
    assert.equal(shop.row('members', bo.email).id, id)
  })
}

test('show leaves out who is deactivated, so that its document brings nobody back and removes nobody', (t) => {
  const { store, a, show, apply, row } = settingsFixture(t)
  store.db.prepare("UPDATE members SET status = 'deactivated' WHERE org_id = ? AND email = ?").run(a, bo.email)
  assert.deepEqual(show().members, [ana])
  assert.deepEqual(apply(show()), [])
  assert.equal(row('members', bo.email).status, 'deactivated')
})

test('at least one active owner remains', (t) => {
  const { apply, show } = settingsFixture(t)
  const before = show()
  for (const members of [[], [bo], [{ ...ana, role: 'admin' }, bo]]) {
    assert.throws(() => apply({ members }), problem(409, 'last_owner'))
  }
  assert.deepEqual(show(), before)
  apply({
    members: [
      { ...ana, role: 'viewer' },
      { ...bo, role: 'owner' },
    ],
  })
})

test('a change of members drops the sessions that the server remembers, and nothing else does', (t) => {
  const { apply, show, store } = settingsFixture(t)
  const epoch = store.accessEpoch()
  apply({ ...show(), org: { ...show().org, name: 'Acme Ltd' } })
  assert.equal(store.accessEpoch(), epoch)
  apply({ members: [ana, { ...bo, role: 'viewer' }] })
  assert.equal(store.accessEpoch(), epoch + 1)
})
