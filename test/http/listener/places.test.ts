import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_PLACES, places } from '../../../src/http/listener/places.ts'

const known = { isKnown: true, address: '192.0.2.1' }
const stranger = (n: number) => ({ isKnown: false, address: `198.51.100.${n}` })

/** Takes places until there are none. */
function takeAll(take: () => (() => void) | undefined): (() => void)[] {
  const taken: (() => void)[] = []
  for (let more = take(); more; more = take()) taken.push(more)
  return taken
}

test('strangers have few places in all, each address fewer, and none of those of others', () => {
  const { take } = places()
  const ofOne = takeAll(() => take(stranger(0)))
  assert.equal(ofOne.length, 8)
  let n = 0
  const ofAll = takeAll(() => take(stranger(++n)))
  assert.equal(ofAll.length, 56)
  const ofOthers = takeAll(() => take(known))
  assert.deepEqual([ofOthers.length, MAX_PLACES], [256, 320])
  for (const giveBack of [...ofOne, ...ofAll, ...ofOthers]) giveBack()
  assert.deepEqual([takeAll(() => take(stranger(0))).length, takeAll(() => take(known)).length], [8, 256])
})
