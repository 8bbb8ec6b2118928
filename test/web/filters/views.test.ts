import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addressQuery,
  EMPTY,
  type ListState,
  type Reading,
  savedQuery,
  savedState,
  saysItself,
  stateOf,
} from '../../../src/web/components/views/list-state.ts'

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
  const query = addressQuery(state, null)
  assert.equal(query.get('owner_id.in'), 'a,b')
  assert.deepEqual(stateOf(query, reading), state)
  assert.equal(addressQuery(EMPTY, null).toString(), '')
})

test('an unchanged view is its name alone, and a changed one keeps its name', () => {
  const view = { id: 'v1', state }
  assert.equal(addressQuery(state, view).toString(), 'view=v1')
  assert.ok(!saysItself(addressQuery(state, view), reading))
  const changed = addressQuery({ ...state, q: '' }, view)
  assert.equal(changed.get('view'), 'v1')
  assert.ok(saysItself(changed, reading))
  assert.deepEqual(stateOf(changed, reading), { ...state, q: '' })
})

test('a view of which everything was taken away does not filter again', () => {
  const query = addressQuery(EMPTY, { id: 'v1', state })
  assert.ok(saysItself(query, reading))
  assert.deepEqual(stateOf(query, reading), EMPTY)
})

test('a view is saved with the filter of a smart list, and read again', () => {
  assert.deepEqual(savedQuery(state).filter, { all: state.conditions })
  const stored = JSON.parse(JSON.stringify(savedQuery(state)))
  assert.deepEqual(savedState(stored, reading), state)
  const other = { filter: { field: 'deleted_field', op: 'is_null' }, sort: 5, pipeline: 7 }
  assert.deepEqual(savedState(other as never, reading), EMPTY, 'what is not known here is left out')
})
