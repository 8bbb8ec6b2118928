import assert from 'node:assert/strict'
import { test } from 'node:test'
import { workerList } from '../../../src/cli/serve/workers.ts'

test('what a server does ends once, also what begins after it was replaced', async () => {
  const workers = workerList()
  const ended: string[] = []
  const worker = (name: string) => async () => void ended.push(name)
  workers.push(worker('one'), worker('two'))
  await workers.endAll()
  assert.deepEqual(ended, ['one', 'two'])
  let release: () => void = () => undefined
  workers.push(worker('late'), () => new Promise<void>((resolve) => void (release = resolve)))
  assert.deepEqual(ended, ['one', 'two', 'late'])
  let isOver = false
  const over = workers.endAll().then(() => {
    isOver = true
  })
  await new Promise(setImmediate)
  assert.equal(isOver, false, 'it waits for what ends late')
  release()
  await over
  assert.equal(ended.length, 3)
})

test('who ends them hears what went wrong', async () => {
  const workers = workerList()
  const wrong = async () => {
    throw new Error('wrong')
  }
  workers.push(wrong)
  await assert.rejects(workers.endAll(), /wrong/)
  workers.push(wrong)
  await assert.rejects(workers.endAll(), /wrong/)
})
