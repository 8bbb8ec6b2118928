import { createHmac, timingSafeEqual } from 'node:crypto'
import { Problem } from '../lib/problem.ts'
import type { Position } from '../store/page.ts'

const MAC_BYTES = 16

/**
 * Cursors say where a page ended. A MAC over the position and over what the list was asked for (org, path, sort,
 * filters) keeps them from being altered and from being used with another question.
 */
export function cursors(secret: Buffer) {
  const mac = (question: string, body: Buffer): Buffer =>
    createHmac('sha256', secret).update(`${question}\n`).update(body).digest().subarray(0, MAC_BYTES)

  function seal({ key, id }: Position, question: string): string {
    const body = Buffer.from(JSON.stringify([key, id]))
    return Buffer.concat([mac(question, body), body]).toString('base64url')
  }

  /** Throws Problem 400 for a cursor that is not ours, was altered, or belongs to another question. */
  function open(cursor: string, question: string): Position {
    const bytes = Buffer.from(cursor, 'base64url')
    const body = bytes.subarray(MAC_BYTES)
    const genuine =
      bytes.length > MAC_BYTES &&
      bytes.toString('base64url') === cursor &&
      timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(question, body))
    if (!genuine) {
      throw new Problem(
        400,
        'invalid_cursor',
        'This cursor does not belong to this list with this sort and these filters; start again without a cursor.',
      )
    }
    const [key, id] = JSON.parse(body.toString())
    return { key, id }
  }

  return { seal, open }
}

export type Cursors = ReturnType<typeof cursors>
