import { type Deps, once } from '../deps.ts'
import type { Mailbox } from '../inbox/mailboxes/mailbox.ts'
import { mailboxStore } from '../inbox/mailboxes/mailboxes.ts'
import { waitingMails } from '../inbox/mailboxes/waiting-mails.ts'
import { emailKey } from '../lib/email.ts'
import type { Cause } from '../lib/mail/transport/refusals.ts'
import { HOUR_MS, MINUTE_MS } from '../lib/time.ts'
import type { Waiting } from './sending.ts'

// A provider that refuses us, since a limit of the day or of the hour is used up, would refuse the next mail as well. So the whole
// mailbox waits, longer each time, and no mail fails. But providers' words may be misread, and a mail that is refused with the
// words of a limit must not stop the others: each pause is ended by whatever is accepted.

const FIRST_PAUSE_MS = MINUTE_MS
const MAX_PAUSE_MS = 4 * HOUR_MS
/**
 * What somebody writes during a pause is tried once: the limit may be over, and a wrong address shows at once. But so many
 * only: to go on would make the limit last.
 */
const MAX_FRESH = 10
/** After an answer that may be about the mail or about us, it waits so long for how other mails fare; then so long that a limit of an hour is over. */
const UNCLEAR_MS = [10 * MINUTE_MS, HOUR_MS] as const
/** So many times others must be accepted after it before a refusal with the words of a limit counts as that of the mail. */
const MAX_STRIKES = 3

/** What an attempt began with: several at a time make one pause. */
export type Begun = { pauses: number; isPaused: boolean }

/** A mail that was refused for what may be about us. */
type Suspect = { recipient: string; words: string; othersSent: boolean; strikes: number; refusals: number }

export const senderLimits = once((deps: Deps) => {
  const { clock } = deps
  const { state, saveState } = mailboxStore(deps)
  const { hurry } = waitingMails(deps)
  const fresh = new Map<string, { until: number; count: number }>()
  const suspects = new Map<string, Map<string, Suspect>>()

  /** Until when a pause lasts, in milliseconds; 0 if there is none. A clock that was set back does not make it longer. */
  function pausedUntil(org: number, { id }: Mailbox): number {
    const until = state(org, id).send_paused_until ?? 0
    const left = until - clock.now()
    return left > 0 && left <= MAX_PAUSE_MS ? until : 0
  }

  /** Until when a mail has to wait; 0 if it may be tried. */
  function waitsUntil(org: number, { message, mail }: Waiting, mailbox: Mailbox): number {
    const until = pausedUntil(org, mailbox)
    const isFresh = message.error === null && mail.enrollment_id === null
    return until > 0 && isFresh && takeFresh(mailbox.id, until) ? 0 : until
  }

  function takeFresh(mailbox: string, until: number): boolean {
    const known = fresh.get(mailbox)
    const taken = known?.until === until ? known : { until, count: 0 }
    fresh.set(mailbox, taken)
    return taken.count++ < MAX_FRESH
  }

  /** Call this in the transaction that begins an attempt. */
  const begin = (org: number, mailbox: Mailbox): Begun => ({
    pauses: state(org, mailbox.id).send_pauses,
    isPaused: pausedUntil(org, mailbox) > 0,
  })

  /** Pauses the mailbox; returns until when, and whether this is a new pause. Call this in a transaction. */
  function pause(org: number, mailbox: Mailbox, begun: Begun, error: string): { until: number; isNew: boolean } {
    const { send_pauses: before } = state(org, mailbox.id)
    const known = pausedUntil(org, mailbox)
    if (known > 0 && (begun.isPaused || before !== begun.pauses)) return { until: known, isNew: false }
    const until = clock.now() + Math.min(FIRST_PAUSE_MS * 2 ** Math.min(before, 20), MAX_PAUSE_MS)
    saveState(org, mailbox.id, {
      send_pauses: before + 1,
      send_paused_until: until,
      send_error: error,
      send_error_at: clock.now(),
    })
    return { until, isNew: true }
  }

  /** The provider accepts mails of the mailbox. Call this in a transaction. */
  function accepted(org: number, mailbox: Mailbox): void {
    if (state(org, mailbox.id).send_pauses > 0) hurry(org, mailbox.id)
  }

  /** Whose an answer is, by how the other mails of the mailbox fared. */
  function judge(
    { id: mailbox }: Mailbox,
    { id, to }: Waiting['message'],
    outcome: Cause | 'sent',
    error: string,
  ): Cause {
    const all = suspects.get(mailbox) ?? new Map<string, Suspect>()
    suspects.set(mailbox, all)
    const known = all.get(id)
    if (outcome !== 'limited' && outcome !== 'unclear') {
      all.delete(id)
      if (outcome === 'sent') for (const each of all.values()) each.othersSent = true
      return outcome as Cause
    }
    const recipient = emailKey(to[0]?.email ?? '')
    const words = sayingOf(error)
    const strikes = (known?.strikes ?? 0) + Number(known?.othersSent ?? false)
    const refusals = (known?.refusals ?? 0) + 1
    all.set(id, { recipient, words, othersSent: false, strikes, refusals })
    if (outcome === 'limited') return strikes < MAX_STRIKES ? 'limited' : 'deferred'
    const isAlike = (each: Suspect) => each.words === words && each.recipient !== recipient && !each.othersSent
    if (strikes === 0 && all.values().some(isAlike)) return 'limited'
    if (strikes === 0 && refusals <= UNCLEAR_MS.length) return 'unclear'
    all.delete(id)
    return 'refused'
  }

  /** How long a mail waits after an answer that was not clear. */
  const unclearMs = ({ id: mailbox }: Mailbox, { id }: Waiting['message']): number =>
    UNCLEAR_MS[(suspects.get(mailbox)?.get(id)?.refusals ?? 1) - 1] ?? HOUR_MS

  return { waitsUntil, begin, pause, accepted, judge, unclearMs }
})

/** What a server said, without what differs from mail to mail: addresses, numbers, and ids. */
const sayingOf = (error: string): string => error.replace(/\S*[@\d]\S*/g, ' ').replace(/\s+/g, ' ')
