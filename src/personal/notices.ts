import { type Deps, once } from '../deps.ts'

/** A hint for open screens: it says what to read anew, and may be sent for a write that was rolled back. */
export type Notice = { kind: string } & Record<string, unknown>

/** For one member, or with null for everyone in the organisation. */
export type Addressed = { org: number; member: string | null; notice: Notice }

/** Without screens nobody takes them: the oldest are dropped. */
const MAX_KEPT = 1000

/** Notices of writes, until their commit. They are never stored. */
export const noticeQueue = once((_: Deps) => {
  let queued: Addressed[] = []

  function put(org: number, member: string | null, notice: Notice): void {
    if (queued.length >= MAX_KEPT) queued.shift()
    queued.push({ org, member, notice })
  }

  /** Returns the notices since the last call; call it after each commit. */
  function take(): Addressed[] {
    const taken = queued
    queued = []
    return taken
  }

  return { put, take }
})
