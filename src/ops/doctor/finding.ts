import type { CommandStore } from '../../store/open.ts'

export type Status = 'pass' | 'warn' | 'fail'

/**
 * What --fix may do about a finding: only what loses nothing. Returns what was done, in a sentence; undefined if nothing.
 * `isAlone`: not beside a running server, to which what it removes may belong.
 * `isOfSearch`: it mends the search, so it is also for a database in which nothing but that is damaged.
 */
export type Fix = { isAlone?: boolean; isOfSearch?: boolean } & (
  | { run: () => string | undefined }
  /** Writes to the database, so it is left out for one that is damaged. */
  | { runOn: (store: CommandStore) => string | undefined }
)

/** The result of one check, in sentences for people. `advice` says what to do; a passed check needs none. */
export type Finding = { status: Status; detail: string; advice?: string; fixes?: readonly Fix[] }

export const pass = (detail: string): Finding => ({ status: 'pass', detail })

export const warn = (detail: string, advice: string, ...fixes: Fix[]): Finding => ({
  ...{ status: 'warn', detail, advice },
  ...(fixes.length > 0 && { fixes }),
})

export const fail = (detail: string, advice: string, ...fixes: Fix[]): Finding => ({
  ...warn(detail, advice, ...fixes),
  status: 'fail',
})

const RANK = { pass: 0, warn: 1, fail: 2 }

export const worst = (all: readonly Status[]): Status =>
  all.reduce((one, other) => (RANK[other] > RANK[one] ? other : one), 'pass')

/** Several findings of one check as one; `well` is said if there are none. */
export function together(all: readonly Finding[], well: string): Finding {
  const found = all.filter(({ status }) => status !== 'pass')
  if (found.length === 0) return pass(well)
  const advice = [...new Set(found.flatMap(({ advice }) => advice ?? []))]
  const fixes = found.flatMap(({ fixes }) => fixes ?? [])
  return {
    status: worst(found.map(({ status }) => status)),
    detail: found.map(({ detail }) => detail).join(' '),
    advice: advice.join(' '),
    ...(fixes.length > 0 && { fixes }),
  }
}

/** Some of many names for a sentence: "a, b and 3 more". */
export function some(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most)
  if (names.length > shown.length) return `${shown.join(', ')} and ${names.length - shown.length} more`
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

/** "1 job" or "2 jobs". */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
