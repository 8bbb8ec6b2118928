import type { Rec } from './types.ts'

/** An event of the organisation, as GET /app/stream sends it. */
export type StreamEvent = {
  /** Counts up by one in the organisation; events that the session may not read are left out. */
  seq: number
  /** Such as `deal.updated`. */
  type: string
  id: string
  at: string
  actor: { type: 'member' | 'system'; id: string | null }
  /** The Idempotency-Key of the write, by which its author knows it. */
  key: string | null
  data: { object: Rec; changed_fields: string[]; previous: Record<string, unknown> }
}

/** `now` is the time of the server. */
export type Hello = { seq: number; oldest_seq: number; build: string; now: string; members: string[] }

/** What is no event of the organisation, such as who is looking at a record. */
export type Notice = { kind: string; [member: string]: unknown }

/** What a stream brings, however it comes. */
export type StreamHandlers = {
  hello(hello: Hello): void
  /** All that came at once, in order. */
  events(events: readonly StreamEvent[]): void
  notice(notice: Notice): void
  /** The server no longer has all events since then: everything has to be read anew. */
  reset(): void
  signedOut(): void
  up(): void
  /**
   * The connection is gone. `heardAt` is when it last worked, in ms; `front` is the status with which something in front of
   * the server answers in its place, if it is that.
   */
  down(heardAt: number, front?: number): void
}

export type Stream = {
  /** Reads from the event after `after` on; again with another `after` once everything has been read anew. */
  open(after: number): void
  /** The page is visible again, or the network is back: checks that the stream still runs. */
  wake(isNetworkNew: boolean): void
  close(): void
}
