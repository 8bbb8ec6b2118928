import assert from 'node:assert/strict'
import { test } from 'node:test'
import { random } from '../web/data/support/dice.ts'
import { makeWorld, type World } from './world.ts'

// Courses of events that rules were made for, with the oracle of the walks: each goes red without its rule.

async function course(run: (world: World) => Promise<void>): Promise<void> {
  const world = await makeWorld(random(1), () => undefined)
  try {
    await world.start(world.first)
    await run(world)
    await world.heal()
  } finally {
    await world.end()
  }
}

test('a primary with a standby that is cut off acknowledges nothing once the standby is promoted', () =>
  course(async ({ first, standby, follow, pass, promote, check }) => {
    assert.equal(await follow(), 1)
    await pass(5000)
    first.isCut = true
    await promote(false)
    assert.equal(standby.refusal, undefined)
    await check()
  }))

test('what a killed primary did not send is in a file when it comes back', () =>
  course(async ({ first, standby, follow, pass, write, promote, check }) => {
    await follow()
    await pass(5000)
    first.isSending = false
    assert.equal(await write(first), true)
    await first.kill()
    await promote(false)
    assert.equal(standby.refusal, undefined)
    await check()
  }))

test('a replica that has got another place is sent again, or a check says that it is not', () =>
  course(async ({ first, places, pass, start, check }) => {
    await pass(10_000)
    await first.stop()
    first.place = places[1]
    await start(first)
    for (let n = 0; n < 3; n++) {
      await pass(150_000)
      await check()
    }
    assert.equal(first.checks().replication?.status, 'pass', JSON.stringify(first.checks()))
    first.isSending = false
    await check()
    await pass(150_000)
    await check()
    assert.equal(first.checks().replication?.status, 'warn')
  }))

test('a clone of a folder that is served takes over within six seconds, and the other one acknowledges nothing more', () =>
  course(async ({ first, machines, pass, clone, check }) => {
    await clone(first)
    await pass(6000)
    await check()
    assert.equal(first.server()?.lease?.refusal()?.code, 'another_server')
    assert.ok(machines[2]?.server())
  }))
