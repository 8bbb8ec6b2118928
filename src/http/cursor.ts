import { createHmac, timingSafeEqual } from 'node:crypto'
import { UUID } from '../lib/id.ts'
import { invalidCursor } from '../store/list/position.ts'
import type { Position } from '../store/list/query.ts'

const MAC_BYTES = 16

/**
 * Cursors contain the position at which a page ended. A MAC over the position and the query (org, path, sort, filters)
 * protects them from being altered and from being used with another query.
 */
export function cursors(secret: Buffer) {
  const mac = (question: string, body: Buffer): Buffer =>
    createHmac('sha256', secret).update(`${question}\n`).update(body).digest().subarray(0, MAC_BYTES)

  function seal({ key, id }: Position, question: string): string {
    const body = Buffer.from(JSON.stringify([key, id]))
    return Buffer.concat([mac(question, body), body]).toString('base64url')
  }

  /** Throws Problem 400 if the cursor is not ours, was altered, belongs to another query, or is not a position. */
  function open(cursor: string, question: string): Position {
    const bytes = Buffer.from(cursor, 'base64url')
    const body = bytes.subarray(MAC_BYTES)
    const genuine =
      bytes.length > MAC_BYTES &&
      bytes.toString('base64url') === cursor &&
      timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(question, body))
    const position = genuine ? positionIn(body) : undefined
    if (!position) throw invalidCursor()
    return position
  }

  /** The same for numbered positions: the key is a whole number. */
  function openCounted(cursor: string, question: string): Position & { key: number } {
    const { key, id } = open(cursor, question)
    if (typeof key !== 'number' || !Number.isSafeInteger(key) || key < 0) throw invalidCursor()
    return { key, id }
  }

  return { seal, open, openCounted }
}

/** Undefined if the body is not a position, whoever sealed it. Only streams have no ids. */
function positionIn(body: Buffer): Position | undefined {
  let read: unknown
  try {
    read = JSON.parse(body.toString())
  } catch {
    return undefined
  }
  if (!Array.isArray(read) || read.length !== 2) return undefined
  const [key, id] = read
  if (key !== null && typeof key !== 'string' && !Number.isFinite(key)) return undefined
  return typeof id === 'string' && (id === '' || UUID.test(id)) ? { key, id } : undefined
}

export type Cursors = ReturnType<typeof cursors>
