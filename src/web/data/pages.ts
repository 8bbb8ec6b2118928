import type { Client } from './client.ts'
import { client } from './current.ts'
import { type KeysetList, keysetList } from './keyset-list.ts'
import type { Query } from './rows.ts'
import type { Kind } from './types.ts'

export type { KeysetList } from './keyset-list.ts'
export type { Query } from './rows.ts'

/** A list of the server; `more()` loads the first page, too. Call `dispose()` when it leaves the screen. */
export const list = (kind: Kind, query: Query = {}): KeysetList => listOf(client(), kind, query)

export const listOf = ({ events: { onEvent }, ...parts }: Client, kind: Kind, query: Query = {}): KeysetList =>
  keysetList({ ...parts, onEvent }, kind, query)
