import { readdirSync } from 'node:fs'
import { join } from 'node:path'

export type Backup = { path: string; at: number }

const NAME = /^dealbox-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar(\.age)?$/

/** The backups in a folder, the newest first, by their names alone: "dealbox verify" reads them. */
export function backupsIn(folder: string): Backup[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return [] // there is none yet, or nobody may read it: the check says that there is no backup
  }
  return names
    .flatMap((name) => {
      const [, ...parts] = NAME.exec(name) ?? []
      if (parts.length === 0) return []
      const [year, month, day, hour, minute, second] = parts.slice(0, 6).map(Number) as [
        number,
        number,
        number,
        number,
        number,
        number,
      ]
      return { path: join(folder, name), at: Date.UTC(year, month - 1, day, hour, minute, second) }
    })
    .sort((a, b) => b.at - a.at)
}
