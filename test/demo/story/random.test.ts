import assert from 'node:assert/strict'
import test from 'node:test'
import { random } from '../../../src/demo/story/random.ts'
import { mean, share } from '../replay/replay-fixture.ts'

test('the generator of chance keeps its sequence, so a seed means the same in every release', () => {
  const first = random(1)
  assert.deepEqual([first.int(1e9), first.int(1e9), first.int(1e9)], [736306964, 166205212, 938156777])
  assert.notEqual(random(2).next(), random(1).next())
  assert.notEqual(random(2 ** 40).next(), random(0).next(), 'a seed beyond 32 bits counts whole')
})

test('the generator of chance is even, and its normal values are normal', () => {
  const chance = random(7)
  const counts = new Array<number>(10).fill(0)
  for (let draw = 0; draw < 100_000; draw++) counts[chance.int(10)]! += 1
  for (const count of counts) assert.ok(Math.abs(count - 10_000) < 500, `${counts}`)
  const values = Array.from({ length: 100_000 }, () => chance.normal())
  assert.ok(Math.abs(mean(values)) < 0.02)
  assert.ok(Math.abs(Math.sqrt(mean(values.map((value) => value * value))) - 1) < 0.02)
  const weights = [1, 0, 3]
  const picks = Array.from({ length: 40_000 }, () => chance.weighted(weights, 4))
  assert.ok(Math.abs(share(picks, (pick) => pick === 2) - 0.75) < 0.02)
  assert.ok(picks.every((pick) => pick !== 1))
})
