import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pages } from '../../src/http/pages.ts'

const steady = { byOthers: () => 1, byUs: () => 1 }
const answer = { status: 200, headers: [], body: '{"data":[],"next_cursor":null}' }

test('a page is rendered once, until something changes', () => {
  let rendered = 0
  let [others, us] = [0, 0]
  const page = pages({ byOthers: () => others, byUs: () => us })
  const render = () => {
    rendered++
    return answer
  }
  for (let count = 0; count < 3; count++) assert.equal(page('a', render), answer)
  assert.equal(rendered, 1)
  page('b', render)
  assert.equal(rendered, 2)
  others++
  page('a', render)
  us++
  page('a', render)
  page('a', render)
  assert.equal(rendered, 4)
})

test('what was refused is not kept', () => {
  const page = pages(steady)
  const refuse = () => {
    throw new Error('refused')
  }
  assert.throws(() => page('a', refuse))
  assert.equal(
    page('a', () => answer),
    answer,
  )
})

test('what is kept has a bound, by the length of the questions too', () => {
  const page = pages(steady)
  let rendered = 0
  const ask = (number: number) =>
    page(`${'&'.repeat(8000)}${number}`, () => {
      rendered++
      return answer
    })
  for (let number = 0; number < 1500; number++) ask(number)
  assert.equal(rendered, 1500)
  ask(0)
  assert.equal(rendered, 1501)
})
