import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { SECOND_MS } from '../../../src/lib/time.ts'
import { verifyBackup } from '../../../src/ops/backup/verify.ts'
import type { Database } from '../../../src/store/sqlite/driver.ts'
import { beside } from './beside.ts'
import type { Place } from './place.ts'
import type { Writers } from './writers.ts'

const WORKSPACE = /^dealbox\.part-/
const PART_OF_STATE = /^\.backups\.json\./
/** What is a minute old is taken for something that a killed process has left. */
const AGE_MS = 120 * SECOND_MS

/** Backups of a command beside the server, in two folders, of which one is that of the server's own backups. */
export function backupsOf(
  { program, random, folder, dataDir, nightly, beside: elsewhere, log }: Place,
  writers: Writers,
) {
  const scratch = join(folder, 'scratch')
  mkdirSync(scratch)
  /** Workspaces that a killed process has left, by folder: the next backup there has to remove them. */
  let abandoned = new Map<string, string[]>()
  let expected: { to: string; gone: string[] } = { to: elsewhere, gone: [] }
  let completed = 0
  const verified = new Set<string>()
  const made = { command: 0, nightly: 0 }

  function run(to: string) {
    expected = { to, gone: (abandoned.get(to) ?? []).map((name) => join(to, name)) }
    const where = to === elsewhere ? ['--to', elsewhere] : ['--backup-dir', nightly]
    return program.run(['backup', ...where, '--data', dataDir, '--json'], log)
  }

  const command = beside(
    () => run(random.pick([elsewhere, nightly])),
    ({ code, out }) => {
      assert.equal(code, 0, `a backup ended with ${code}: see ${log}`)
      completed++
      const { file } = JSON.parse(out)
      // Of its own folder, the server deletes all but the newest of a day.
      const isThere = expected.to === nightly || verified.has(file) || existsSync(file)
      assert.ok(isThere, `${file} was made and is not there`)
      assert.deepEqual(expected.gone.filter(existsSync), [], 'workspaces of killed backups stay')
    },
  )

  const namesIn = (path: string): string[] => readdirSync(path).sort()
  const backupsIn = (path: string): string[] => namesIn(path).filter((name) => !WORKSPACE.test(name))

  /** Every file with the name of a backup is whole and has all that was acknowledged before. Then it is deleted. */
  function verifyAll(): void {
    for (const path of [nightly, elsewhere])
      for (const name of backupsIn(path)) {
        assert.match(name, /^dealbox-\d{8}T\d{6}Z\.tar$/)
        const file = join(path, name)
        const { manifest } = verifyBackup(file, scratch)
        const madeAt = Date.parse(manifest.made_at)
        const before = writers.acknowledged.findLastIndex(({ at }) => at < madeAt) + 1
        const events = manifest.rows.events ?? 0
        assert.ok(events >= before, `${file} has ${events} events, and ${before} writes were acknowledged before it`)
        made[manifest.reason === 'nightly' ? 'nightly' : 'command']++
        verified.add(file)
        rmSync(file)
      }
    assert.deepEqual(namesIn(scratch), [])
  }

  /** Makes what is temporary old, also the workspace of a backup which is being made: nobody may remove that one. */
  function age(): void {
    const time = (Date.now() - AGE_MS) / SECOND_MS
    abandoned = new Map()
    for (const name of namesIn(dataDir)) if (PART_OF_STATE.test(name)) utimesSync(join(dataDir, name), time, time)
    for (const path of [nightly, elsewhere]) {
      const left = namesIn(path).filter((name) => WORKSPACE.test(name))
      for (const name of left) utimesSync(join(path, name), time, time)
      if (!command.isRunning()) abandoned.set(path, left)
    }
  }

  return {
    ...command,
    /** While no server runs. */
    betweenServers: (): void => {
      verifyAll()
      age()
    },
    /** Makes one more in each folder, while no server runs: then nothing is left of those that were killed. */
    finish: async (): Promise<void> => {
      await command.ended()
      age()
      for (const to of [nightly, elsewhere]) {
        const { code } = await run(to).ended
        assert.equal(code, 0, `the last backup ended with ${code}: see ${log}`)
        completed++
        assert.deepEqual(
          namesIn(to).filter((name) => WORKSPACE.test(name)),
          [],
          'workspaces stay',
        )
      }
      verifyAll()
    },
    /** The audit log has each one that a command said it had made. */
    check(db: Database) {
      const noted = db.prepare("SELECT count(*) FROM audit_log WHERE action = 'backup.made'").pluck().get() as number
      assert.ok(noted >= completed, `${completed} backups were made by commands, and the audit log has ${noted}`)
      return { backups: made.command, backups_of_server: made.nightly, backups_killed: command.killed() }
    },
  }
}
export type Backups = ReturnType<typeof backupsOf>
