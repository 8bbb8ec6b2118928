import { randomUUID } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Problem } from '../lib/problem.ts'

/** A response. `headers` is a flat list of names and values, the form that node:http processes fastest. */
export type Answer = {
  status: number
  headers: string[]
  body: Whole | Streamed
  type?: string
  /** Instead of SECURITY_HEADERS. */
  security?: readonly string[]
}

/** A body that is complete in memory, perhaps in several pieces: joining those of a page takes longer than sending them. */
export type Whole = string | Buffer | readonly Buffer[]

/** A body too large to build at once: its parts are made one by one, as the client reads them. */
export type Streamed = { bytes: number; parts: () => Iterable<Buffer | string> }

export const isWhole = (body: Answer['body']): body is Whole =>
  typeof body === 'string' || Buffer.isBuffer(body) || Array.isArray(body)

export const sizeOf = (body: Whole): number =>
  Array.isArray(body)
    ? (body as Buffer[]).reduce((sum, piece) => sum + piece.length, 0)
    : Buffer.byteLength(body as string | Buffer)

export const JSON_TYPE = 'application/json'
export const PROBLEM_TYPE = 'application/problem+json'

/** On every response. */
export const SECURITY_HEADERS = [
  'X-Content-Type-Options',
  'nosniff',
  'Cache-Control',
  'private, no-cache',
  'Content-Security-Policy',
  "default-src 'none'",
]

/** The client's request id if it is safe to log, or a new one. */
export function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(given) ? given : randomUUID()
}

/**
 * A header of every response, refusals too, by which a client tells them from what a proxy, a sign-in gate or a firewall
 * answers in our place.
 */
export const ECHO = 'Dealbox-Echo'

/**
 * What the client sent as this header, so that a response which was kept for another request differs; `none` if it sent
 * nothing of use.
 */
export function echoOf({ headers }: IncomingMessage): string {
  const given = headers['dealbox-echo']
  return typeof given === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(given) ? given : 'none'
}

/** The problem document of RFC 9457. */
export function problemBody(problem: Problem, requestId: string): string {
  const { status, code, message, errors, more } = problem
  return JSON.stringify({
    type: `urn:dealbox:problem:${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: message,
    code,
    request_id: requestId,
    ...(errors ? { errors } : {}),
    ...more,
  })
}

export function problemAnswer(problem: Problem, requestId: string): Answer {
  return {
    status: problem.status,
    headers: Object.entries(problem.headers ?? {}).flat(),
    body: problemBody(problem, requestId),
    type: PROBLEM_TYPE,
  }
}
