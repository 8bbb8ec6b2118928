import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problem, settingsFixture } from '../../app/settings/settings-fixture.ts'

const price = { key: 'price', name: 'Price', outcome: 'lost' }
const fit = { key: 'best_fit', name: 'Best fit', outcome: 'won' }

test('close reasons stand in the order of the document, and are active unless it says otherwise', (t) => {
  const { apply, show } = settingsFixture(t)
  apply({ close_reasons: [] })
  const changed = apply({ close_reasons: [price, { ...fit, is_active: false }] })
  assert.deepEqual(changed, [
    {
      section: 'close_reasons',
      key: 'price',
      action: 'created',
      fields: {
        name: { from: null, to: 'Price' },
        outcome: { from: null, to: 'lost' },
        position: { from: null, to: 0 },
        is_active: { from: null, to: true },
      },
    },
    {
      section: 'close_reasons',
      key: 'best_fit',
      action: 'created',
      fields: {
        name: { from: null, to: 'Best fit' },
        outcome: { from: null, to: 'won' },
        position: { from: null, to: 1 },
        is_active: { from: null, to: false },
      },
    },
  ])
  assert.deepEqual(show().close_reasons, [
    { ...price, is_active: true },
    { ...fit, is_active: false },
  ])
  assert.deepEqual(
    apply({ close_reasons: [fit, price] }).map(({ key, action, fields }) => [key, action, fields]),
    [
      ['best_fit', 'activated', { position: { from: 1, to: 0 }, is_active: { from: false, to: true } }],
      ['price', 'updated', { position: { from: 0, to: 1 } }],
    ],
  )
})

test('only reasons that change get a new version', (t) => {
  const { edit, rows, advance } = settingsFixture(t)
  const before = rows('close_reasons')
  advance(1000)
  edit(({ close_reasons }) => {
    close_reasons[3]!.name = 'Too expensive'
  })
  const updated_at = (before[3]?.updated_at as number) + 1000
  assert.deepEqual(
    rows('close_reasons'),
    before.with(3, { ...before[3]!, name: 'Too expensive', version: 2, updated_at }),
  )
})

test('a reason left out is removed where no deal was closed with it, else deactivated behind the others', (t) => {
  const { apply, rows, deal, close } = settingsFixture(t)
  close(deal(), 'price')
  const changed = apply({ close_reasons: [fit] })
  assert.equal(changed.filter(({ action }) => action === 'removed').length, 7)
  assert.deepEqual(
    changed.filter(({ action }) => action !== 'removed'),
    [
      {
        section: 'close_reasons',
        key: 'price',
        action: 'deactivated',
        fields: { position: { from: 3, to: 1 }, is_active: { from: true, to: false } },
      },
    ],
  )
  assert.deepEqual(
    rows('close_reasons').map(({ key, position, is_active }) => [key, position, is_active]),
    [
      ['best_fit', 0, 1],
      ['price', 1, 0],
    ],
  )
  assert.deepEqual(apply({ close_reasons: [fit] }), [])
  const [back] = apply({ close_reasons: [fit, price] })
  assert.equal(back?.action, 'activated')
})

test('the outcome of a reason stays while deals were closed with it', (t) => {
  const { apply, deal, close, show } = settingsFixture(t)
  apply({ close_reasons: [fit, price] })
  assert.deepEqual(
    apply({ close_reasons: [fit, { ...price, outcome: 'won' }] }).map(({ fields }) => fields),
    [{ outcome: { from: 'lost', to: 'won' } }],
  )
  apply({ close_reasons: [fit, price] })
  close(deal(), 'price')
  const before = show()
  assert.throws(
    () =>
      apply({
        close_reasons: [
          { ...fit, outcome: 'lost' },
          { ...price, outcome: 'won' },
        ],
      }),
    problem(409, 'close_reason_in_use'),
  )
  assert.deepEqual(show(), before)
  assert.equal(apply({ close_reasons: [{ ...fit, outcome: 'lost' }, price] }).length, 1)
})
