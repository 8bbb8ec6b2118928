import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { backupsOf } from './backups.ts'
import { checkAll, checkSearch, checkStarted, checkWholeIndex, reading } from './checks.ts'
import { type Hook, hookOf } from './hooks.ts'
import { importsOf } from './imports.ts'
import { checkMail, type MailServers, mailsLeft } from './mail.ts'
import type { Place } from './place.ts'
import { kill } from './program.ts'
import { cutOffStart, type Server, startServer } from './server.ts'
import { writersOf } from './writers.ts'

/** So long, the last server may do nothing of what is left. */
const PATIENCE_MS = 60_000
/** Its clock is so far ahead: what was cut off often waits for long. */
const AHEAD_MS = 3_600_000
/** All that is in a data folder whose server has stopped. */
const FILES = ['backups.json', 'dealbox.db', 'keys', 'server.lock', 'server.reserve']

/** The life of one data folder: servers under load that are killed, one that finishes what they have left, and all checks. */
export async function life(place: Place, mail: MailServers, kills: number): Promise<Record<string, number>> {
  const { random, dataDir } = place
  const writers = writersOf(place)
  const imports = importsOf(place)
  const backups = backupsOf(place, writers)
  let startsCutOff = 0
  let checked = 0

  /** Starts the next server, and looks at what its predecessor has left. */
  async function started(aheadMs = 0): Promise<Server> {
    const server = await startServer(place, aheadMs)
    reading(place, (db) => {
      checkStarted(place, db, writers.acknowledged.slice(checked))
      imports.checkStarted(db)
    })
    checked = writers.acknowledged.length
    if (random.chance(0.25)) await checkSearch(server, writers)
    return server
  }

  async function loadAndKill(server: Server): Promise<void> {
    const { begun, ended } = writers.run(server)
    for (const other of [imports, backups]) if (random.chance(0.6)) other.begin()
    await Promise.race([begun, ended]) // a busy machine takes a while for the first write
    await pause(random.between(20, 400))
    assert.equal(server.child.exitCode, null, `The server has ended by itself: see ${place.log}`)
    const others = [imports, backups].filter(() => random.chance(0.5))
    await Promise.all([kill(server), ...others.map((other) => other.kill())])
    await ended
    server.agent.destroy()
  }

  async function finish(hook: Hook): Promise<void> {
    const server = await started(AHEAD_MS)
    mail.end()
    await writers.finish(server)
    await Promise.all([imports.finish(), backups.ended()])
    await untilDone(hook)
    await checkWholeIndex(place, server)
    server.agent.destroy()
    server.child.kill('SIGTERM')
    const { code } = await server.ended
    assert.equal(code, 0, `The server did not stop well: see ${place.log}`)
  }

  async function untilDone(hook: Hook): Promise<void> {
    let before = ''
    let deadline = 0
    for (;;) {
      const [toFetch, toSend, toTell] = reading(place, (db) => [...mailsLeft(db, place, mail), hook.left(db)])
      if (!toFetch && !toSend && !toTell) return
      const left = `${toFetch} mails to fetch, ${toSend} to send, and ${toTell} events to deliver`
      if (left !== before) deadline = performance.now() + PATIENCE_MS
      assert.ok(performance.now() < deadline, `left undone: ${left}`)
      before = left
      await pause(50)
    }
  }

  const first = await startServer(place)
  const hook = await hookOf(place, first)
  try {
    mail.begin()
    for (let done = 0, server = first; done < kills; done++) {
      if (done > 0) server = await started()
      await loadAndKill(server)
      backups.betweenServers()
      if (random.chance(0.1)) {
        startsCutOff++
        await cutOffStart(place, random.int(400))
      }
    }
    await finish(hook)
    await backups.finish()
    // What owners were told is noted as soon as something was to be told.
    const files = readdirSync(dataDir).filter((name) => name !== 'notified.json')
    assert.deepEqual(files.sort(), FILES, 'files in the data folder')
    // A server that was killed at its nightly backup has to say so when it starts again: that one line is right here.
    const errors = readFileSync(place.log, 'utf8').match(
      /^.*"level":"error"(?!.*"msg":"The server ended while it made or).*$/gm,
    )
    assert.deepEqual(errors ?? [], [], 'errors in the log')
    const writes = {
      starts_cut_off: startsCutOff,
      acknowledged: writers.acknowledged.length,
      replayed: writers.replays(),
    }
    return checkAll(place, writers, (db) => ({
      ...writes,
      ...checkMail(db, place, mail),
      ...imports.check(db),
      ...backups.check(db),
      ...hook.check(db),
    }))
  } finally {
    mail.end()
    await Promise.all([hook.stop(), imports.kill(), backups.kill()])
  }
}
