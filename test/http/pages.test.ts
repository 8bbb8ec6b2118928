import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pages } from '../../src/http/pages.ts'

const steady = { byOthers: () => 1, byUs: () => 1 }
const answer = { status: 200, headers: [], body: '{"data":[],"next_cursor":null}' }

/** Renders and counts its calls. */
function renderer(timeDependent = false) {
  const render = () => {
    render.times++
    return { answer, timeDependent }
  }
  render.times = 0
  return render
}

test('a page is rendered once, until something changes', () => {
  let [others, us] = [0, 0]
  const page = pages({ byOthers: () => others, byUs: () => us })
  const render = renderer()
  for (let count = 0; count < 3; count++) assert.equal(page('a', render), answer)
  assert.equal(render.times, 1)
  page('b', render)
  assert.equal(render.times, 2)
  others++
  page('a', render)
  us++
  page('a', render)
  page('a', render)
  assert.equal(render.times, 4)
})

test('what was refused is not kept', () => {
  const page = pages(steady)
  const refuse = () => {
    throw new Error('refused')
  }
  assert.throws(() => page('a', refuse))
  assert.equal(page('a', renderer()), answer)
})

test('what follows the clock is not kept', () => {
  const page = pages(steady)
  const render = renderer(true)
  for (let count = 0; count < 3; count++) assert.equal(page('a', render), answer)
  assert.equal(render.times, 3)
})

test('what is kept has a bound, by the length of the questions too', () => {
  const page = pages(steady)
  const render = renderer()
  const ask = (number: number) => page(`${'&'.repeat(8000)}${number}`, render)
  for (let number = 0; number < 1500; number++) ask(number)
  assert.equal(render.times, 1500)
  ask(0)
  assert.equal(render.times, 1501)
})
