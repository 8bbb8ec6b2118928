import { basename } from 'node:path'
import { test } from 'node:test'
import { examples, seedOf } from '../support/seed.ts'
import { type Random, random } from '../web/data/support/dice.ts'
import { makeWorld, type World } from './world.ts'

// A year of operation in steps that nobody has planned: servers start, stop and are killed, folders are restored, moved and
// cloned, standbys promoted, replicas change their place, keys get lost, disks fill and clocks jump. After each step at most one
// server may acknowledge, and no check may say that all is well while it is not; at the end everything that was acknowledged is
// served, or named in a file. TEST_WALK=N runs the one of that number, and says what happens.

/** A commit draws others than the one before it; TEST_WALKS=200 runs so many. */
const WALKS = Number(process.env.TEST_WALKS ?? 6)
const STEPS = 30
const SEED = seedOf(1)
/** Walks that once found something. */
const FOUND: number[] = [100_008, 77_802_339, 78_102_358, 78_602_361]

test(`nobody acknowledges beside another, nothing is lost, and checks say how it is (seed ${SEED})`, async () => {
  const one = process.env.TEST_WALK
  if (one !== undefined)
    return walk(random(Number(one)), (what) =>
      process.stdout.write(`${what}   [cpu ${Math.round(process.cpuUsage().user / 1000)}]\n`),
    )
  for (const found of FOUND) await walk(random(found))
  const count = process.env.TEST_WALKS === undefined ? examples(WALKS) : WALKS
  for (let n = 0; n < count; n++) {
    const number = SEED * 100_003 + n
    try {
      await walk(random(number))
      if (process.env.TEST_WALKS !== undefined) process.stdout.write(`walk ${number}\n`)
    } catch (error) {
      throw new Error(`TEST_WALK=${number}`, { cause: error })
    }
  }
})

async function walk(dice: Random, say: (what: string) => void = () => undefined): Promise<void> {
  const world = await makeWorld(dice, say)
  try {
    await world.start(world.first)
    for (let step = 0; step < STEPS; step++) {
      await act(world)
      await world.check()
    }
    await world.heal()
    say(`${world.acknowledged()} acknowledged`)
  } finally {
    await world.end()
  }
}

const HOUR_MS = 3_600_000

async function act(world: World): Promise<void> {
  const { dice, say } = world
  const [running, stopped] = [world.running(), world.stopped()]
  const kind = dice.below(100)
  if (kind < 22) return await pass(world)
  if (kind < 44 && stopped.length > 0) return await startOne(world)
  if (running.length === 0) return await startOne(world)
  const one = dice.pick(running)
  if (kind < 52) {
    say(`stop ${one.name}`)
    await one.stop()
  } else if (kind < 60) {
    say(`kill ${one.name}`)
    await one.kill()
  } else if (kind < 68) {
    one.isCut = !one.isCut
    say(`${one.name} is ${one.isCut ? 'cut off' : 'connected'}`)
    world.changed()
  } else if (kind < 71) {
    one.isSending = !one.isSending
    say(`Litestream of ${one.name} ${one.isSending ? 'runs' : 'stops'}`)
  } else if (kind < 76) {
    if (world.isPromoted()) return await pass(world)
    say(`follow: ${await world.follow().catch((error) => error.code)}`)
  } else if (kind < 82) {
    if (world.isPromoted()) return await pass(world)
    await world.promote(dice.chance(0.15))
  } else if (kind < 85) {
    if (world.machines.length < 4) await world.clone(dice.pick([...running, ...stopped]))
  } else if (kind < 88) world.backUp(one)
  else if (kind < 91) {
    if (stopped.length > 0) await world.restore(dice.pick(stopped))
  } else if (kind < 94) world.loseKeys(one)
  else if (kind < 97) world.fill(one)
  else {
    one.setClock(dice.pick([-HOUR_MS, -10_000, 0, 10_000, HOUR_MS]))
    say(`the clock of ${one.name} jumps`)
  }
}

async function pass({ dice, say, pass }: World): Promise<void> {
  const ms = dice.pick([500, 2000, 5000, 10_000, 60_000, 150_000, 150_000, 37 * HOUR_MS])
  say(`${ms} ms pass`)
  await pass(ms)
}

async function startOne(world: World): Promise<void> {
  const { dice } = world
  const stopped = world.stopped()
  if (stopped.length === 0) return
  const one = dice.pick(stopped)
  const kind = dice.below(100)
  if (kind < 10) {
    one.place = dice.pick(world.places)
    world.say(`${one.name} gets ${basename(one.place)}`)
  } else if (kind < 20) {
    one.move()
    world.say(`the folder of ${one.name} is moved`)
  }
  if (kind >= 20 && kind < 28) return await world.start(one, { isReplicated: false })
  await world.start(one, dice.chance(0.04) ? { isOldOff: true } : {})
}
