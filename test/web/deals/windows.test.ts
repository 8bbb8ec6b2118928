import assert from 'node:assert/strict'
import { test } from 'node:test'
import { edgeSpeed } from '../../../src/web/screens/deals/edge-speed.ts'
import { CARD, columnsIn, GAP, MOST_CARDS, overscanFor } from '../../../src/web/screens/deals/windows.ts'

test('all columns together stay within the budget of cards, on a large screen too', () => {
  for (const [columns, height] of [
    [5, 730],
    [7, 1200],
    [9, 1500],
  ] as const) {
    const inView = Math.ceil(height / (CARD + GAP)) + 1
    const mounted = columns * (inView + 2 * overscanFor(columns, height))
    assert.ok(mounted <= MOST_CARDS, `${columns} columns have ${mounted} cards`)
  }
  assert.ok(overscanFor(5, 730) >= 3, 'a usual screen has some cards ready beyond the view')
})

test('only columns in view have cards', () => {
  const widths = [200, 200, 40, 200, 200]
  assert.deepEqual(columnsIn(widths, 0, 400), { from: 0, to: 2 })
  assert.deepEqual(columnsIn(widths, 210, 240), { from: 1, to: 4 })
  assert.deepEqual(columnsIn(widths, 5000, 240), { from: 0, to: 1 })
})

test('a card held near an edge scrolls, faster at the edge, and not in the middle', () => {
  assert.equal(edgeSpeed(400, 0, 800), 0)
  assert.ok(edgeSpeed(50, 0, 800) < 0)
  assert.ok(edgeSpeed(5, 0, 800) < edgeSpeed(50, 0, 800))
  assert.ok(edgeSpeed(790, 0, 800) > edgeSpeed(750, 0, 800))
  assert.equal(edgeSpeed(-100, 0, 800), edgeSpeed(0, 0, 800), 'and no faster beyond')
})
