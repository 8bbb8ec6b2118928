import { hash } from 'node:crypto'
import { rfc3339 } from '../../lib/time.ts'

/** Who acted. `via` is the session, token or invitation of a member, or the account of the machine that ran a command. */
export type Actor =
  | { type: 'member'; member: string; via: string }
  | { type: 'command'; via: string | null }
  /** The server by itself, and somebody who is not signed in. */
  | { type: 'server' | 'stranger' }

/** Facts about what was done: ids, counts and names of settings; never a secret, and nothing about a contact. */
export type Detail = { [name: string]: unknown }

/** What was done. The action has the form `token.created`. */
export type NewEntry = {
  /** The number of the organisation; null for the whole installation. */
  org: number | null
  actor: Actor
  action: string
  /** The id of what was acted upon. */
  record?: string | null
  detail?: Detail
}

/** An entry as it is stored. `org` is the public id of the organisation; '' for the whole installation. */
export type Row = {
  org: string
  seq: number
  at: number
  actor_type: string
  actor_id: string | null
  actor_email: string | null
  via: string | null
  action: string
  record_id: string | null
  /** JSON object. */
  detail: string
  hash: string
}

/** What the hash of the first entry of a chain is computed from. */
export const NO_HASH = '0'.repeat(64)

/** The canonical text of an entry: one JSON object with its members in this order. It has no hash. */
export function textOf(row: Omit<Row, 'hash'>): string {
  const { org, seq, at, actor_type, actor_id, actor_email, via, action, record_id, detail } = row
  const actor = { type: actor_type, id: actor_id, email: actor_email, via }
  const start = JSON.stringify({ org: org || null, seq, at: rfc3339(at), actor, action, record_id })
  return `${start.slice(0, -1)},"detail":${detail}}`
}

/** The entry with its hash, as one line of an export and of `dealbox audit --json`. */
export const lineOf = (row: Row): string => `${textOf(row).slice(0, -1)},"hash":"${row.hash}"}`

/** The hash of an entry: of that of the previous one, a line break and its canonical text. */
export const hashOf = (previous: string, row: Omit<Row, 'hash'>): string =>
  hash('sha256', `${previous}\n${textOf(row)}`)
