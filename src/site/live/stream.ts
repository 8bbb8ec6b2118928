import type { ServerResponse } from 'node:http'
import type { Caller } from '../../lib/caller.ts'
import { readableEvents } from '../../webhooks/access.ts'
import type { Frame } from './feed.ts'

/** While so much is unread, no events are written: they wait in the database. */
const PAUSE_BYTES = 262_144
/** Notices have nowhere to wait: a client with so much unread is let go, and reads everything anew. */
const MAX_UNREAD_BYTES = 1_048_576

export type Stream = ReturnType<typeof openStream>

type StreamOptions = {
  who: Caller
  member: string
  session: string
  role: string
  /** The same for all who may see the same. */
  scopeKey: string
  /** The seq after which it starts. */
  after: number
  res: ServerResponse
}

/** One client that reads events: each once, in order, as fast as it takes them. */
export function openStream({ who, member, session, role, scopeKey, after, res }: StreamOptions) {
  const isReadable = readableEvents(who, ['*'])
  let position = after

  /** Whether it would take events now. */
  const isReady = (): boolean => !res.writableEnded && !res.destroyed && res.writableLength < PAUSE_BYTES

  /** Writes the frames that it may read, which start after its position. */
  function advance(frames: readonly Frame[]): void {
    position = frames.at(-1)?.seq ?? position
    const text = frames.reduce((all, frame) => (isReadable(frame.type) ? all + frame.text : all), '')
    if (text !== '') res.write(text)
  }

  /** Writes a message out of sequence, or lets go of a client that does not read. */
  function send(text: string): void {
    if (text === '' || res.writableEnded || res.destroyed) return
    if (res.writableLength + text.length > MAX_UNREAD_BYTES) res.destroy()
    else res.write(text)
  }

  function end(text = ''): void {
    if (!res.writableEnded && !res.destroyed) res.end(text)
  }

  return { who, member, session, role, scopeKey, res, position: () => position, isReady, advance, send, end }
}
