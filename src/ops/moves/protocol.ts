import type { Value } from './moved-rows.ts'

// What two servers say to each other when an organisation moves. All requests are POST below this path of the API listener,
// with the one-time key as bearer token; docs/decisions/042-moving-organisations.md says why in this order.

export const MOVES = '/moves/'

/** The largest request: one row at least, and each has room. */
export const MAX_REQUEST_BYTES = 48 * 1_048_576

/** Both servers have to run with the same tables. */
export type Hello = {
  move: string
  public_id: string
  name: string
  host: string | null
  schema: string
  dealbox_version: string
  /** The clock of the source, in milliseconds. */
  now: number
}

/** The last entry of the audit log of the organisation that is there, if it was there before. */
export type Begun = { audit: { seq: number; hash: string } | null }

/** Rows of one table to write, and then keys of rows that are gone. */
export type Piece = { table: string; rows: readonly Value[][]; gone: readonly Value[][] }

/** `check` asks for the sum of these rows as they are stored now, and that those that are gone are. */
export type Rows = { move: string; pieces: readonly Piece[]; audit: readonly Value[][]; check: boolean }
export type RowsStored = { rows: number; sum: string }

export type Count = { move: string; table: string; after: readonly Value[] | null }
export type Counted = { rows: number; sum: string; next: readonly Value[] | null }

/** What is set at the end: of the organisation itself, and the ends of its chain in the audit log. */
export type Prepare = {
  move: string
  now: number
  org: { [column: string]: Value }
  chain: { anchor_seq: number; anchor_hash: string; last_seq: number; last_hash: string } | null
}

export type Outcome = { outcome: 'committed' | 'none' }

/** Columns of the organisation that move; its number and state do not. */
export const ORG_COLUMNS = [
  'name',
  'timezone',
  'currency',
  'country',
  'public_base_url',
  'keep_originals_days',
  'keep_originals_mib',
  'last_seq',
  'last_conversation',
  'created_at',
  'host',
] as const
