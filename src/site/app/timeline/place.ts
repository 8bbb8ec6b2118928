/** Entries are ordered by time, then by id, both descending. */
export type Place = { at: number; id: string }

/** An entry that only says where its contents are; `source` is its row, for the kinds that have no other. */
export type Found = Place & { kind: string; source: Source }
export type Source = { [column: string]: string | number | null }

/** Whether a place comes after another in a timeline, which begins with the newest. */
export const isAfter = (one: Place, other: Place): boolean =>
  one.at < other.at || (one.at === other.at && one.id < other.id)
