import { MINUTE_MS, rfc3339 } from '../../lib/time.ts'
import type { Mailbox, State } from './mailbox.ts'

/** A server checks every few minutes: without a check for this long, no server is running. */
const STALE_MS = 15 * MINUTE_MS

export const MAILBOX_STATUSES = [
  'deactivated',
  'not_set_up',
  'never_connected',
  'not_connected', // somebody has to sign in at its provider
  'failing',
  'stale',
  'behind',
  'ok',
  'unused', // for sending only: no mail has been sent yet
] as const

export type MailboxHealth = Record<
  'receiving' | 'sending',
  {
    status: (typeof MAILBOX_STATUSES)[number]
    /** Human-readable. */
    text: string
  }
>

/**
 * The health of a mailbox. Receiving is `ok` only if the last check was recent and all mail was imported. `disconnected`
 * is the sentence about the sign-in that it needs first.
 */
export function mailboxHealth(
  state: State,
  mailbox: Pick<Mailbox, 'is_active' | 'imap'>,
  now: number,
  disconnected?: string,
): MailboxHealth {
  if (!mailbox.is_active) {
    const deactivated = { status: 'deactivated', text: 'deactivated' } as const
    return { receiving: deactivated, sending: deactivated }
  }
  const lacking = disconnected === undefined ? undefined : ({ status: 'not_connected', text: disconnected } as const)
  return {
    receiving: mailbox.imap ? (lacking ?? receiving(state, now)) : NOT_SET_UP,
    sending: lacking ?? sending(state, now),
  }
}

const NOT_SET_UP = { status: 'not_set_up', text: 'not set up' } as const

function receiving(state: State, now: number): MailboxHealth['receiving'] {
  const { checked_at, failing_since, last_error, last_error_at, pending, imported_at } = state
  const isLongAgo = (...times: (number | null)[]): boolean => now - Math.max(...times.map((at) => at ?? 0)) >= STALE_MS
  if (failing_since !== null) {
    const idle = isLongAgo(last_error_at) ? `; last attempt ${onWire(last_error_at)}. Is the server running?` : ''
    return {
      status: 'failing',
      text: `failing since ${onWire(failing_since)}: ${last_error ?? 'no reason given'}${idle}`,
    }
  }
  const isBehind = pending > 0
  if (checked_at === null && !isBehind) return { status: 'never_connected', text: 'never connected' }
  const look = checked_at === null ? 'the first check is not complete' : `last check ${onWire(checked_at)}`
  const rest = `behind by ${pending} ${pending === 1 ? 'mail' : 'mails'}`
  // A large import takes long: its progress shows that the server is running.
  if (isLongAgo(checked_at, isBehind ? imported_at : null)) {
    return { status: 'stale', text: `stale, ${look}${isBehind ? `, ${rest}` : ''}. Is the server running?` }
  }
  return isBehind ? { status: 'behind', text: `${rest}, ${look}` } : { status: 'ok', text: `ok, ${look}` }
}

function sending(state: State, now: number): MailboxHealth['sending'] {
  const { sent_at, send_error, send_error_at, send_pauses, send_paused_until } = state
  const last = sent_at === null ? 'nothing has been sent yet' : `last sent ${onWire(sent_at)}`
  if (send_pauses > 0) {
    const isOver = (send_paused_until ?? 0) <= now
    return {
      status: 'failing',
      text: `${isOver ? 'tried again after a pause' : `paused until ${onWire(send_paused_until)}`} (${send_pauses} in a row): ${send_error ?? 'no reason given'}; ${last}`,
    }
  }
  if (send_error !== null && (send_error_at ?? 0) >= (sent_at ?? 0)) {
    return { status: 'failing', text: `failing at ${onWire(send_error_at)}: ${send_error}; ${last}` }
  }
  return sent_at === null ? { status: 'unused', text: last } : { status: 'ok', text: `ok, ${last}` }
}

const onWire = (ms: number | null): string => (ms === null ? 'an unknown time' : rfc3339(ms))
