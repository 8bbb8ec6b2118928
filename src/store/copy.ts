import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type CommandStore, DATABASE, openStore } from './open.ts'
import { connection } from './sqlite/driver.ts'

const FOLDER = 'dry-run-'

/**
 * Runs the job on a temporary copy of the database: a dry run in the database itself would hold its write lock to the
 * end. The copy is made in the data folder, the likeliest place with enough space.
 */
export async function onCopy<T>({ db, clock }: CommandStore, job: (copy: CommandStore) => Promise<T>): Promise<T> {
  const dataDir = dirname(connection(db).name)
  removeAbandoned(dataDir)
  const folder = mkdtempSync(join(dataDir, `${FOLDER}${process.pid}-`))
  try {
    db.prepare('VACUUM INTO ?').run(join(folder, DATABASE))
    const copy = openStore(folder, { wall: clock.now })
    copy.db.pragma('synchronous = OFF')
    try {
      return await job(copy)
    } finally {
      copy.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Removes copies of processes that were killed. */
function removeAbandoned(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const [, pid] = name.match(/^dry-run-(\d+)-/) ?? []
    if (pid && !isAlive(Number(pid))) rmSync(join(dataDir, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
