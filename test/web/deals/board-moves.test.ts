import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arrange } from '../../../src/web/screens/deals/arrange.ts'
import { shownColumn } from '../../../src/web/screens/deals/hold.ts'
import { liftCard, stepLift, targetOf } from '../../../src/web/screens/deals/lift.ts'
import { after, between, walk } from '../../../src/web/screens/deals/walk.ts'
import { LOOKING, NOW, rowOf } from './rows.ts'

const columns = [['a', 'b', 'c'], [], ['d'], ['e', 'f']]

test('arrows lead to the neighbours, over empty columns, and stop at the edges', () => {
  assert.equal(walk(columns, null, 'down'), 'a', 'the first card when none is chosen')
  assert.equal(walk(columns, 'gone', 'left'), 'a')
  assert.equal(walk(columns, 'a', 'down'), 'b')
  assert.equal(walk(columns, 'a', 'up'), undefined)
  assert.equal(walk(columns, 'b', 'right'), 'd', 'as far down as the column goes')
  assert.equal(walk(columns, 'f', 'left'), 'd')
  assert.equal(walk(columns, 'd', 'left'), 'a')
  assert.equal(walk(columns, 'e', 'right'), undefined)
  assert.equal(walk(columns, 'b', 'last'), 'c')
  assert.equal(walk([[], []], null, 'down'), undefined)
})

test('when a card leaves, the next one takes its place', () => {
  assert.equal(after(columns, 'b'), 'c')
  assert.equal(after(columns, 'c'), 'b')
  assert.equal(after(columns, 'd'), 'e')
  assert.equal(after([['a']], 'a'), undefined)
})

test('a selection is extended within a column', () => {
  assert.deepEqual(between(columns, 'c', 'a'), ['a', 'b', 'c'])
  assert.deepEqual(between(columns, 'a', 'e'), ['e'])
  assert.deepEqual(between(columns, null, 'e'), ['e'])
})

test('a lifted card goes through the stages to won and lost, and drops or returns', () => {
  const lift = liftCard('x', 'demo', ['lead', 'demo', 'offer'])
  assert.deepEqual(targetOf(lift), { stage: 'demo' })
  const right = (from: typeof lift) => {
    const step = stepLift(from, 'ArrowRight')
    assert.ok(step && 'lift' in step)
    return step.lift
  }
  assert.deepEqual(stepLift(right(lift), 'Enter'), { drop: { stage: 'offer' } })
  const lost = right(right(right(right(lift))))
  assert.deepEqual(targetOf(lost), { outcome: 'lost' }, 'and no further')
  assert.deepEqual(stepLift(lift, 'Enter'), { back: true }, 'a drop at home changes nothing')
  assert.deepEqual(stepLift(lost, 'Escape'), { back: true })
  assert.equal(stepLift(lift, 'ArrowDown'), null)
})

test('a held column keeps its order, outlines what left and counts what came', () => {
  const stages = [
    { id: 'lead', name: 'Lead in', probability: 10, usual_days: null },
    { id: 'demo', name: 'Demo', probability: 40, usual_days: null },
  ]
  const [one, two, three] = [rowOf({ amount: 3 }), rowOf({ amount: 2 }), rowOf({ amount: 1 })]
  const now = [{ ...one, stage_id: 'demo' }, { ...three, amount: 9, title: 'Grown' }, rowOf({ amount: 5 })]
  const [lead] = arrange(
    now,
    stages,
    { conditions: [], q: '', sort: 'amount' },
    {
      now: NOW,
      today: '2026-11-24',
      currency: 'EUR',
      ...LOOKING,
      among: [],
      totals: null,
    },
  )
  assert.ok(lead)
  const find = (id: string) => now.find((row) => row.id === id)
  const held = shownColumn(lead, [one, two, three], find)
  assert.deepEqual(
    held.cards.map(({ row, movedTo }) => [row.id, movedTo]),
    [
      [one.id, 'demo'],
      [two.id, null],
      [three.id, undefined],
    ],
  )
  assert.equal(held.cards[2]?.row.title, 'Grown', 'what is shown is up to date')
  assert.equal(held.fresh, 1)
  assert.equal(held.totals.count, 2, 'and so are the sums')
  assert.equal(shownColumn(lead, null, find).cards.length, 2)
})
