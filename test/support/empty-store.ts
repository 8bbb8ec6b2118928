import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DATABASE, type OpenOptions, openStore } from '../../src/store/open.ts'
import type { Database, Statement } from '../../src/store/sqlite/driver.ts'

let template: { bytes: Buffer; idAt: number } | undefined

/** Opens a new data folder. Its database is a copy of one made earlier in this process, with an installation id of its own. */
export function openEmptyStore(dataDir: string, options: OpenOptions = {}): ReturnType<typeof openStore> {
  template ??= makeTemplate()
  template.bytes.write(randomUUID(), template.idAt)
  writeFileSync(join(dataDir, DATABASE), template.bytes, { mode: 0o600 })
  const store = openStore(dataDir, { ...options, create: true })
  prepareLate(store.db)
  return store
}

function makeTemplate(): { bytes: Buffer; idAt: number } {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-template-'))
  try {
    const store = openStore(folder, { create: true })
    store.close()
    const bytes = readFileSync(join(folder, DATABASE))
    return { bytes, idAt: bytes.indexOf(store.installation) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const prepared = new Set<string>()

/**
 * A server prepares hundreds of statements before it listens, to refuse a wrong one; a test uses a few. What this process
 * has prepared before is known to be right, and prepared again when it is first used.
 */
function prepareLate(db: Database): void {
  const { prepare } = db
  db.prepare = (sql) => {
    if (prepared.has(sql)) return lateStatement(() => prepare.call(db, sql))
    const statement = prepare.call(db, sql)
    prepared.add(sql)
    return statement
  }
}

function lateStatement(make: () => Statement): Statement {
  const modes: ('pluck' | 'raw' | 'safeIntegers')[] = []
  let made: Statement | undefined
  const statement = () => {
    made ??= modes.reduce((made, mode) => made[mode](), make())
    return made
  }
  const inMode = (mode: (typeof modes)[number]) => () => {
    if (made) made[mode]()
    else modes.push(mode)
    return late
  }
  const late: Statement = {
    run: (...values) => statement().run(...values),
    get: (...values) => statement().get(...values),
    all: (...values) => statement().all(...values),
    iterate: (...values) => statement().iterate(...values),
    pluck: inMode('pluck'),
    raw: inMode('raw'),
    safeIntegers: inMode('safeIntegers'),
  }
  return late
}
