import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startThreadClock } from '../support/cpu-clock.ts'
import { examples, seedOf } from '../support/seed.ts'
import { READERS, type Reader } from './readers.ts'
import { SHAPES, type Shape } from './shapes.ts'

// Whatever others have written is read in a time that grows as its length does: of twice the length, at most two and a half
// times as long. Measured is the time of this thread's processor, which other load does not change, over three doublings, and
// only of what takes long enough to be measured.

/** Long enough to show a reader that looks at everything again for each part. */
const LENGTH = 65_536
const DOUBLINGS = 3
const MOST = 2.5 ** DOUBLINGS
/** The clock of the processor goes by steps of 4 ms. */
const STEP_MS = 4
const TRIES = 4

/** One shape of five for each reader in CI, and one of 25 elsewhere; with another TEST_SEED others. */
const PARTS = 25 / examples(5)
const isDrawn = (reader: number, shape: number): boolean => (reader + shape + seedOf(1)) % PARTS === 0

async function msOf({ read }: Reader, text: string): Promise<number> {
  const clock = startThreadClock()
  try {
    await read(text)
  } catch {
    // What is refused is read as well.
  }
  return clock()
}

/** How many times as long the whole takes as an eighth of it, at least: each time may be off by a step of the clock. */
async function growth(reader: Reader, { of }: Shape, length: number): Promise<number> {
  const [whole, part] = [of(length), of(length / 2 ** DOUBLINGS)]
  let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  const times = (): number => (most - STEP_MS) / (least + STEP_MS)
  for (let n = 0; n < TRIES; n++) {
    most = Math.min(most, await msOf(reader, whole))
    // Steps are smaller than what is measured.
    if (most / STEP_MS <= MOST) return 0
    least = Math.min(least, await msOf(reader, part))
    if (times() <= MOST) break
  }
  return times()
}

describe('reading takes as long as the text is', () => {
  for (const [at, reader] of READERS.entries()) {
    test(reader.name, async () => {
      const length = Math.min(reader.most, LENGTH)
      for (const [index, shape] of SHAPES.entries()) {
        if (!isDrawn(at, index)) continue
        const times = await growth(reader, shape, length)
        assert.ok(times <= MOST, `${shape.name}: ${times.toFixed(0)} times as long for ${2 ** DOUBLINGS} times as much`)
      }
    })
  }
})
