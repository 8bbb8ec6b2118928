import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE } from '../../src/store/open.ts'

/** What a process has read and computed, from /proc: counts, which do not depend on how busy the machine is. */
export type Used = { cpuS: number; readMb: number }

const TICKS_PER_S = 100

/** `readMb` is what it has asked the system for, be it in memory or on the disk. */
export function used(pid: number | 'self' | undefined): Used {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    const read = /rchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]
    return { cpuS: (Number(stat[11]) + Number(stat[12])) / TICKS_PER_S, readMb: Number(read) / 1e6 }
  } catch {
    return { cpuS: Number.NaN, readMb: Number.NaN }
  }
}

export const databaseMb = (folder: string): number => statSync(join(folder, DATABASE)).size / 1e6

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
