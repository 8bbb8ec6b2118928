import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as others } from 'node:timers/promises'
import { startThreadClock } from '../support/cpu-clock.ts'
import { examples, seedOf } from '../support/seed.ts'
import { READERS, type Reader } from './readers.ts'
import { SHAPES, type Shape } from './shapes.ts'

// Whatever others have written is read in a time that grows as its length does: of twice the length, at most two and a half
// times as long. The whole is timed beside its eighth, read eight times in a row: both take the same time and make the same
// garbage, so that what slows a busy machine slows both. Measured is the time of this thread's processor, in turns, and only
// of what takes long enough to be measured.

/** Long enough to show a reader that looks at everything again for each part. */
const LENGTH = 65_536
const DOUBLINGS = 3
const PARTS = 2 ** DOUBLINGS
/** How many times as long as its parts the whole may take. */
const MOST = 2.5 ** DOUBLINGS / PARTS
/** The clock of the processor goes by steps of 4 ms: less than this says nothing. */
const LEAST_MS = 64
const TRIES = 8

/** One shape of five for each reader in CI, and one of 25 elsewhere; with another TEST_SEED others. */
const ONE_OF = 25 / examples(5)
const isDrawn = (reader: number, shape: number): boolean => (reader + shape + seedOf(1)) % ONE_OF === 0

/** The processor's time of reading a text so many times. */
async function msOf({ read }: Reader, text: string, count: number): Promise<number> {
  const clock = startThreadClock()
  for (let n = 0; n < count; n++) {
    try {
      await read(text)
    } catch {
      // What is refused is read as well.
    }
  }
  return clock()
}

/** How many times as long the whole takes as its parts, by the fastest of each. */
async function growth(reader: Reader, { of }: Shape, length: number): Promise<number> {
  const [whole, part] = [of(length), of(length / PARTS)]
  let [wholeMs, partsMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let n = 0; n < TRIES; n++) {
    wholeMs = Math.min(wholeMs, await msOf(reader, whole, 1))
    if (wholeMs <= LEAST_MS) return 0
    partsMs = Math.min(partsMs, await msOf(reader, part, PARTS))
    if (wholeMs / partsMs <= MOST) break
  }
  return wholeMs / partsMs
}

describe('reading takes as long as the text is', () => {
  for (const [at, reader] of READERS.entries()) {
    test(reader.name, async () => {
      const length = Math.min(reader.most, LENGTH)
      for (const [index, shape] of SHAPES.entries()) {
        if (!isDrawn(at, index)) continue
        await others() // the runner hears of the tests before, and sees that the file is not stuck
        const times = await growth(reader, shape, length)
        assert.ok(times <= MOST, `${shape.name}: ${times.toFixed(1)} times as long as its ${PARTS} parts`)
      }
    })
  }
})
