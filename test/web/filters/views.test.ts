import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Filter } from '../../../src/web/tables/filters/conditions.ts'
import {
  addressQuery,
  EMPTY,
  type ListState,
  type Reading,
  sameState,
  savedQuery,
  savedState,
  saysItself,
  stateOf,
} from '../../../src/web/tables/views/list-state.ts'

const reading: Reading = {
  kindOf: (field) => (({ owner_id: 'id', amount: 'amount' }) as const)[field],
  more: ['pipeline', 'shape'],
}
const state: ListState = {
  conditions: [
    { field: 'owner_id', op: 'in', value: ['a', 'b'] },
    { field: 'amount', op: 'gte', value: 5000 },
  ],
  q: 'gauge',
  sort: 'amount',
  more: { pipeline: 'p1' },
}

test('what a list shows comes back from its address', () => {
  const query = addressQuery(state, reading, null)
  assert.equal(query.get('owner_id.in'), 'a,b')
  assert.deepEqual(stateOf(query, reading), state)
  assert.equal(addressQuery(EMPTY, reading, null).toString(), '')
})

test('an unchanged view is its name alone, and a changed one keeps its name', () => {
  const view = { id: 'v1', state }
  assert.equal(addressQuery(state, reading, view).toString(), 'view=v1')
  assert.ok(!saysItself(addressQuery(state, reading, view), reading))
  const changed = addressQuery({ ...state, q: '' }, reading, view)
  assert.equal(changed.get('view'), 'v1')
  assert.ok(saysItself(changed, reading))
  assert.deepEqual(stateOf(changed, reading), { ...state, q: '' })
})

test('a view of which everything was taken away does not filter again', () => {
  const query = addressQuery(EMPTY, reading, { id: 'v1', state })
  assert.ok(saysItself(query, reading))
  assert.deepEqual(stateOf(query, reading), EMPTY)
})

test('a view is saved with the filter of a smart list, and read again', () => {
  assert.deepEqual(savedQuery(state).filter, { all: state.conditions })
  const stored = JSON.parse(JSON.stringify(savedQuery(state)))
  assert.deepEqual(savedState(stored, reading), state)
  const other = { filter: { field: 'deleted_field', op: 'is_null' }, sort: 5, pipeline: 7 }
  const kept = { ...EMPTY, conditions: [other.filter] }
  assert.deepEqual(savedState(other as never, reading), kept, 'a filter is never widened in silence')
  for (const filter of ['x', 5, [], {}, { any: [] }, { all: [{ field: 'amount', op: 'gte', value: 'much' }] }])
    assert.deepEqual(savedState({ filter }, reading), EMPTY, JSON.stringify(filter))
})

const group: Filter = {
  any: [
    { field: 'amount', op: 'gte', value: 5000 },
    {
      all: [
        { field: 'company.industry', op: 'eq', value: 'Foam, & more' },
        { not: { field: 'owner_id', op: 'is_null' } },
      ],
    },
  ],
}

test('groups and fields of the API alone stand in the address, and come back as they are', () => {
  const own: Filter = { field: 'company.name', op: 'starts_with', value: 'A' }
  const grouped = { ...state, conditions: [...state.conditions, group, own, { not: group }] }
  const query = new URLSearchParams(addressQuery(grouped, reading, null).toString())
  assert.deepEqual(stateOf(query, reading), grouped)
  assert.deepEqual(savedState(JSON.parse(JSON.stringify(savedQuery(grouped))), reading), grouped)
  assert.ok(saysItself(query, reading))
  const changed = { ...grouped, conditions: [{ any: [...group.any].reverse() }] }
  assert.ok(!sameState(grouped, changed))
})

test('a list holds where the address says nothing of it, and an address that takes all away says so', () => {
  const own = [group]
  assert.deepEqual(stateOf(new URLSearchParams('q=gauge'), reading, own).conditions, own)
  assert.equal(addressQuery({ ...EMPTY, q: 'gauge', conditions: own }, reading, null, own).toString(), 'q=gauge')
  const bare = addressQuery(EMPTY, reading, null, own)
  assert.deepEqual(stateOf(bare, reading, own).conditions, [])
  const other = addressQuery({ ...EMPTY, conditions: state.conditions }, reading, null, own)
  assert.deepEqual(stateOf(other, reading, own).conditions, state.conditions)
})
