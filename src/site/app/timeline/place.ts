/** Entries are ordered by time, then by id, both descending. */
export type TimelinePosition = { at: number; id: string }

/** An entry that only says where its contents are; `source` is its row, for the kinds that have no other. */
export type Found = TimelinePosition & { kind: string; source: Source }
export type Source = { [column: string]: string | number | null }

/** Whether a place comes after another in a timeline, which begins with the newest. */
export const isAfter = (one: TimelinePosition, other: TimelinePosition): boolean =>
  one.at < other.at || (one.at === other.at && one.id < other.id)
