import * as v from 'valibot'

// What a server did about its backups, for people who look back: the last fifty runs.

export const MAX_RUNS = 50

export const RUN_KINDS = ['backup', 'copy', 'drill'] as const

/** All times are RFC 3339. `error` is a sentence, or null if it went well. */
export const Run = v.object({
  kind: v.picklist(RUN_KINDS),
  at: v.string(),
  error: v.nullable(v.string()),
  duration_ms: v.optional(v.number()),
  bytes: v.optional(v.number()),
  /** Of a copy: the name of the place. */
  place: v.optional(v.string()),
  /** The member who has asked for it; the server did it by itself otherwise. */
  by: v.optional(v.string()),
  /** How often it failed so in a row, and since when: that is one line. */
  times: v.optional(v.number()),
  since: v.optional(v.string()),
})
export type Run = v.InferOutput<typeof Run>

/** With runs that have just ended, the first one first. */
export function withRuns(known: readonly Run[], ended: readonly Run[]): Run[] {
  const all = [...known]
  for (const run of ended) {
    const at = all.findIndex(({ kind, place }) => kind === run.kind && place === run.place)
    const last = all[at]
    const isSame = last !== undefined && run.error !== null && last.error === run.error
    if (isSame) all.splice(at, 1)
    all.unshift(isSame ? { ...run, times: (last.times ?? 1) + 1, since: last.since ?? last.at } : run)
  }
  return all.slice(0, MAX_RUNS)
}
