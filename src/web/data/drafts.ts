import { client } from './current.ts'

export type { Draft } from './draft-store.ts'

/** The draft for `key`, such as `note:deals:ID`: `body` is a signal, `set` keeps what was typed, `clear` forgets it. */
export const draft = (key: string) => client().drafts.draft(key)
