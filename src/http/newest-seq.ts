import type { Changes } from '../store/sqlite/changes.ts'

/**
 * Returns the seq of the newest event of an organisation, for the header of what is read after the call. It may be older than
 * what is read, and never newer: so who reads the stream of events from it misses no change. It stays in memory until the
 * next commit, by any process, so that a GET needs no statement for it. Undefined for an organisation that is gone.
 */
export function newestSeqs(
  read: (org: number) => number | undefined,
  { byOthers, commits }: Pick<Changes, 'byOthers' | 'commits'>,
): (org: number) => number | undefined {
  const known = new Map<number, number>()
  let others: unknown
  let ours: unknown

  return function newest(org) {
    const [nowOthers, nowOurs] = [byOthers(), commits()]
    if (nowOthers !== others || nowOurs !== ours) known.clear()
    others = nowOthers
    ours = nowOurs
    const seq = known.get(org) ?? read(org)
    if (seq !== undefined) known.set(org, seq)
    return seq
  }
}
