import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '../../src/store/sqlite/driver.ts'

// In what each acknowledged change is: an event, by its id.

export function eventsOf(file: string): Set<string> {
  const db = openSqlite(file, { readonly: true })
  try {
    return new Set(db.prepare('SELECT id FROM events').pluck().all() as string[])
  } finally {
    db.close()
  }
}

/** Whether a database that was sent has an event. */
export function holdsIn(folder: string, content: Buffer, event: string): boolean {
  if (!content.includes(event)) return false
  const file = join(folder, 'seen.db')
  try {
    writeFileSync(file, content)
    return eventsOf(file).has(event)
  } finally {
    for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true })
  }
}

/** What the files say that are left for people: of a primary that was replaced, and of a folder that was restored. */
export function namedEvents(root: string): Set<string> {
  const found = new Set<string>()
  const files = readdirSync(root, { recursive: true }) as string[]
  for (const name of files.filter((file) => /unreplicated-epoch-\d+\.ndjson$/.test(file)))
    for (const line of readFileSync(join(root, name), 'utf8').trim().split('\n')) found.add(JSON.parse(line).event.id)
  for (const name of files.filter((file) => /before-restore-[^/]*\/dealbox\.db$/.test(file)))
    for (const event of eventsOf(join(root, name))) found.add(event)
  return found
}
