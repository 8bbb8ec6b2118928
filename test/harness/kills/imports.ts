import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../../../src/store/sqlite/driver.ts'
import { beside } from './beside.ts'
import type { Place } from './place.ts'

/** One of so many rows is refused. */
const WRONG = 50

type File = { path: string; kind: 'contacts' | 'companies' | 'deals'; keys: string[]; wrong: number; isDone: boolean }

const COLUMNS = { contacts: 'last_name', companies: 'name', deals: 'title' } as const

/** Imports of CSV files beside the server, each of which is started again after a kill until it is done. */
export function importsOf({ program, random, folder, dataDir, log, org }: Place) {
  const files: File[] = []
  let resumed = 0

  function newFile(): File {
    const kind = random.pick(['contacts', 'companies', 'deals'] as const)
    const path = join(folder, `${kind}-${files.length}.csv`)
    const rows = Array.from({ length: random.between(300, 900) }, (_, row) => `row-${files.length}-${row}`)
    const isWrong = (row: number) => row % WRONG === WRONG - 1
    const line = {
      contacts: (key: string, row: number) => `${key},${isWrong(row) ? 'nobody' : `${key}@import.example`}`,
      companies: (key: string, row: number) => `${key},${isWrong(row) ? 'a lot' : row}`,
      deals: (key: string, row: number) => `${key},${isWrong(row) ? 'a lot' : row}`,
    }[kind]
    const head = { contacts: 'Last name,Email', companies: 'Name,Annual revenue', deals: 'Title,Amount' }[kind]
    writeFileSync(path, [head, ...rows.map(line), ''].join('\n'))
    const keys = rows.filter((_, row) => !isWrong(row))
    return { path, kind, keys, wrong: rows.length - keys.length, isDone: false }
  }

  const open = (): File | undefined => files.find(({ isDone }) => !isDone)

  const command = beside(
    () => {
      const file = open()
      if (!file) return undefined
      return program.run(['import', file.kind, file.path, '--data', dataDir, '--json'], log)
    },
    ({ code, out }) => {
      const file = open() as File
      assert.equal(code, 0, `an import ended with ${code}: see ${log}`)
      const { created, rejected, rejected_file } = JSON.parse(out)
      assert.deepEqual([created, rejected], [file.keys.length, file.wrong], file.path)
      if (file.wrong > 0) {
        const lines = readFileSync(rejected_file ?? file.path.replace('.csv', '.rejected.csv'), 'utf8')
          .trimEnd()
          .split('\r\n')
        assert.equal(lines.length, file.wrong + 1, `${file.path}: the file of rejected rows`)
      }
      file.isDone = true
    },
  )

  /** What an import says it has done is what it has done, and the journal has a line for each row. */
  function checkJournal(db: Database): void {
    const rows = db
      .prepare(
        `SELECT id, position, created, rejected,
           (SELECT count(*) FROM import_rows WHERE org_id = imports.org_id AND import_id = imports.id) AS journal,
           (SELECT count(*) FROM import_rejects WHERE org_id = imports.org_id AND import_id = imports.id) AS refused
         FROM imports WHERE org_id = ?`,
      )
      .all(org.org) as Record<'position' | 'created' | 'rejected' | 'journal' | 'refused', number>[]
    for (const { position, created, rejected, journal, refused } of rows)
      assert.deepEqual([created + rejected, journal, refused], [position, created, rejected], 'progress of an import')
  }

  return {
    ...command,
    begin: (): void => {
      if (!open()) files.push(newFile())
      command.begin()
    },
    /** Imports what is left, without being killed. */
    finish: async (): Promise<void> => {
      for (await command.ended(); open(); await command.ended()) command.begin()
    },
    /** At a start after a kill. */
    checkStarted: (db: Database): void => {
      const partly = db.prepare(
        'SELECT count(*) FROM imports WHERE org_id = ? AND finished_at IS NULL AND position > 0',
      )
      if (!command.isRunning()) resumed += partly.pluck().get(org.org) as number
      checkJournal(db)
    },
    /** Each row of each file is there once, and nothing else is. */
    check(db: Database) {
      checkJournal(db)
      for (const kind of ['contacts', 'companies', 'deals'] as const) {
        const column = COLUMNS[kind]
        const found = db.prepare(`SELECT ${column} FROM ${kind} WHERE org_id = ? AND ${column} LIKE 'row-%'`).pluck()
        const wanted = files.filter((file) => file.kind === kind).flatMap(({ keys }) => keys)
        assert.deepEqual((found.all(org.org) as string[]).sort(), wanted.sort(), `imported ${kind}`)
      }
      const { count, open } = db
        .prepare('SELECT count(*) AS count, sum(finished_at IS NULL) AS open FROM imports WHERE org_id = ?')
        .get(org.org) as Record<'count' | 'open', number>
      assert.deepEqual([count, open ?? 0], [files.length, 0], 'imports')
      return { imports: count, imported: files.reduce((sum, { keys }) => sum + keys.length, 0), resumed }
    },
  }
}
export type Imports = ReturnType<typeof importsOf>
