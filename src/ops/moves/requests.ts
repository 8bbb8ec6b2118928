import { Problem } from '../../lib/problem.ts'
import { ORG_COLUMNS } from './protocol.ts'

// The form of what another server sends: whoever has a key could send anything. Written by hand, since a move checks
// millions of values.

type Check = (value: unknown) => boolean

const text: Check = (value) => typeof value === 'string'
const whole: Check = Number.isSafeInteger
/** In milliseconds: one that a date can have. */
const time: Check = (value) => whole(value) && Math.abs(value as number) <= 8.64e15
const flag: Check = (value) => typeof value === 'boolean'
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const tuple =
  (...checks: Check[]): Check =>
  (value) =>
    Array.isArray(value) && value.length === checks.length && checks.every((check, at) => check(value[at]))

function members(checks: Record<string, Check>): Check {
  const all = Object.entries(checks)
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    all.every(([name, check]) => check((value as Record<string, unknown>)[name]))
}

const INTEGER = /^-?\d{1,19}$/

/** See `Value` of moved-rows.ts. */
function isValue(value: unknown): boolean {
  if (value === null || typeof value === 'string') return true
  if (typeof value === 'number') return Number.isSafeInteger(value)
  if (typeof value !== 'object') return false
  const { i, r, b, s } = value as Record<string, unknown>
  if (typeof i === 'string') return INTEGER.test(i) && BigInt.asIntN(64, BigInt(i)) === BigInt(i)
  return typeof r === 'number' || typeof b === 'string' || typeof s === 'string'
}

const row = listOf(isValue)
const piece = members({ table: text, rows: listOf(row), gone: listOf(row) })
const textOrNull = orNull(text)
/** The columns of the audit log, in their order. */
const entry = tuple(...[text, whole, time, text, textOrNull, textOrNull, textOrNull], ...[text, textOrNull, text, text])
const chain = members({ anchor_seq: whole, anchor_hash: text, last_seq: whole, last_hash: text })
const org = members(Object.fromEntries(ORG_COLUMNS.map((name) => [name, isValue])))

const REQUESTS: Record<string, Check> = {
  begin: members({
    ...{ move: text, public_id: text, name: text, host: textOrNull },
    ...{ schema: text, dealbox_version: text, now: whole },
  }),
  rows: members({ move: text, pieces: listOf(piece), audit: listOf(entry), check: flag }),
  count: members({ move: text, table: text, after: orNull(row) }),
  prepare: members({ move: text, now: whole, org, chain: orNull(chain) }),
  commit: members({ move: text }),
  abort: members({ move: text }),
}

/** Reads the body of a request. Throws Problem 400. */
export function readRequest(name: string, bytes: Buffer): object {
  let body: unknown
  try {
    body = JSON.parse(bytes.toString())
  } catch {
    throw malformed('The body is not JSON.')
  }
  if (!REQUESTS[name]?.(body)) throw malformed(`The body has not the form of "${name}".`)
  return body as object
}

const malformed = (detail: string): Problem => new Problem(400, 'malformed_request', detail)
