import assert from 'node:assert/strict'
import test from 'node:test'
import { life } from '../../../src/demo/story/sales.ts'
import type { Profile, Step } from '../../../src/demo/story/steps.ts'
import { work } from '../../../src/demo/story/work.ts'
import { AS_OF, between, share } from '../replay/replay-fixture.ts'

const told = (profile: Profile, seed = 1): Step[] => [
  ...work(life({ seed, profile, asOf: AS_OF }), { seed, profile, asOf: AS_OF }),
]

const only = <Do extends Step['do']>(steps: Step[], what: Do) =>
  steps.filter((step) => step.do === what) as Extract<Step, { do: Do }>[]

test('the work around a life changes nothing of its story but the custom fields', () => {
  const extra = new Set(['field', 'list', 'note', 'task', 'finish'])
  const story = told('demo').filter((step) => !extra.has(step.do))
  const plain = JSON.parse(
    JSON.stringify(story, (name, value: unknown) => (name === 'custom_fields' ? undefined : value)),
  )
  assert.deepEqual(plain, JSON.parse(JSON.stringify([...life({ seed: 1, profile: 'demo', asOf: AS_OF })])))
})

test('the same options tell the same work, another seed another', () => {
  const text = (seed: number) => JSON.stringify(told('demo', seed))
  assert.equal(text(1), text(1))
  assert.notEqual(text(1), text(2))
})

for (const profile of ['demo', '10k'] as const) {
  test(`the work of the ${profile} life is in the order of time, about records that are there`, () => {
    const made = { deal: 0, contact: 0, company: 0, member: 0, task: 0 }
    const finished = new Set<number>()
    let before = 0
    for (const step of told(profile)) {
      assert.ok(step.at >= before, 'out of order')
      before = step.at
      if (step.do === 'note' || step.do === 'task') {
        for (const kind of ['deal', 'contact', 'company'] as const) assert.ok((step[kind] ?? -1) < made[kind])
        assert.ok((step.by ?? -1) < made.member)
      }
      if (step.do === 'list') for (const contact of step.contacts) assert.ok(contact < made.contact)
      if (step.do === 'task') assert.equal(step.ref, made.task++)
      if (step.do === 'finish') {
        assert.ok(step.task < made.task && !finished.has(step.task), 'finished before it was made, or twice')
        finished.add(step.task)
      }
      if (step.do === 'deal' || step.do === 'contact' || step.do === 'company' || step.do === 'member')
        made[step.do] = step.ref + 1
    }
  })
}

test('tasks fall due on weekdays between 8 and 15 UTC, and most of them are done', () => {
  const steps = told('10k')
  const tasks = only(steps, 'task')
  for (const { given } of tasks) {
    const due = new Date(given.due_at)
    assert.ok(due.getUTCDay() % 6 !== 0 && due.getUTCHours() >= 8 && due.getUTCHours() <= 15, given.due_at)
    assert.equal(due.getTime() % 3_600_000, 0)
  }
  const finished = only(steps, 'finish')
  between(finished.length / tasks.length, 0.75, 0.95)
  between(
    share(finished, ({ how }) => how === 'canceled'),
    0.03,
    0.1,
  )
})

test('deals know the seats that their title names', () => {
  const deals = only(told('demo'), 'deal')
  for (const { given } of deals) {
    const named = /(\d+) (?:seats|users)/.exec(given.title)?.[1]
    assert.equal(given.custom_fields?.seats, named === undefined ? undefined : Number(named))
  }
  assert.ok(share(deals, ({ given }) => given.custom_fields?.seats !== undefined) > 0.5)
})
