import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ReplicaStorage } from './replica/copy.ts'
import { NEW_FILES, numbersOf, SNAPSHOTS } from './replica/ltx.ts'

// Litestream numbers what it sends, and keeps the last files of it beside the database. At a place that does not have what
// comes before them, as after a change of the place, it sends nothing more, and says so in its log alone. So its part of
// the history is compared with that of the place. docs/decisions/067-lone-primaries.md

/** In the data folder: what Litestream knows of the database. */
export const LITESTREAM_FOLDER = '.dealbox.db-litestream'

const levelOf = (dataDir: string): string => join(dataDir, LITESTREAM_FOLDER, 'ltx', String(NEW_FILES))
const nameOf = (number: number): string =>
  `${[number, number].map((each) => each.toString(16).padStart(16, '0')).join('-')}.ltx`

/** The number of the oldest file that Litestream has beside the database; undefined if it has none. */
function oldestLocal(dataDir: string): number | undefined {
  const folder = levelOf(dataDir)
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.reduce<number | undefined>((least, name) => {
    const [from] = numbersOf(name) ?? []
    return from === undefined || (least !== undefined && least <= from) ? least : from
  }, undefined)
}

const newestOf = (names: readonly string[]): number => Math.max(0, ...names.map((name) => numbersOf(name)?.[1] ?? 0))

/**
 * Says of the new files of a place whether Litestream cannot go on there. What it has beside the database is looked at
 * now, before the place is asked: it sends a file before it deletes that.
 */
export function compare(dataDir: string): (names: readonly string[]) => boolean {
  const oldest = oldestLocal(dataDir)
  return (names) => oldest !== undefined && newestOf(names) < oldest - 1
}

/**
 * Where Litestream has sent the whole database and nothing since, it lacks one file there: it goes on by itself after the
 * newest of the new files that it finds. Resolves with whether that is done. Rejects with what is in the way.
 */
export async function link(dataDir: string, copy: ReplicaStorage): Promise<boolean> {
  const levels = Array.from({ length: SNAPSHOTS + 1 }, (_, level) => level)
  const newest = (await Promise.all(levels.map((level) => copy.files(level)))).map(newestOf)
  const last = Math.max(...newest)
  if (last === newest[NEW_FILES]) return false
  const missing = join(levelOf(dataDir), nameOf(last))
  if (!existsSync(missing)) throw new Error(`${copy.name} has files of another history`)
  await copy.putFile(NEW_FILES, nameOf(last), readFileSync(missing))
  return true
}

/**
 * Lets Litestream begin anew, with the whole database and a number after the newest of the new files of a place. It must
 * not have the database open.
 */
export const beginAnew = (dataDir: string): void =>
  rmSync(join(dataDir, LITESTREAM_FOLDER), { recursive: true, force: true })
