import { statSync } from 'node:fs'

// What stands beside a database that must not be opened: a copy, which Litestream writes, or one that is being promoted.

/** How far Litestream has brought a copy: a file that it replaces after each round. */
export const positionOf = (file: string): string => `${file}-txid`

/** Whether a database is a copy. */
export const isCopy = (file: string): boolean => statSync(positionOf(file), { throwIfNoEntry: false }) !== undefined

/** Instead of it, while a copy becomes a database of its own: nobody may follow with it or open it. */
export const promotingOf = (file: string): string => `${file}-promoting`

/** Whether such a promotion was interrupted. */
export const isPromoting = (file: string): boolean =>
  statSync(promotingOf(file), { throwIfNoEntry: false }) !== undefined
