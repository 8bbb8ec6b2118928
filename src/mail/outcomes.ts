import type { Message } from '../inbox/messages/message.ts'
import type { Outcome } from '../inbox/messages/sending-rows.ts'
import { emailKey } from '../lib/email.ts'
import type { Refusal } from '../lib/mail/transport/smtp-mail.ts'

// What became of a mail for each of its recipients: a server takes or refuses it for each of them alone (RFC 5321, 3.3). A list
// has them only once they differ. Who has "accepted" never gets it again; who is "deferred", or in no list, still has to.

type Addressed = Pick<Message, 'to' | 'cc' | 'bcc'>

/** Everybody whom a mail goes to. */
export const envelopeOf = ({ to, cc, bcc }: Addressed): string[] => [...to, ...cc, ...bcc].map(({ email }) => email)

/** A refusal for good ends it for that recipient; any other lets them wait. */
export const ofRefusals = (refusals: readonly Refusal[]): Outcome[] =>
  refusals.map(({ email, cause, error }) => ({ email, state: cause === 'refused' ? 'refused' : 'deferred', error }))

/** Those of `newer` take the place of what was known. */
export function withNewer(known: readonly Outcome[], newer: readonly Outcome[]): Outcome[] {
  const keys = new Set(newer.map(keyOf))
  return [...known.filter((each) => !keys.has(keyOf(each))), ...newer]
}

/** Those who do not have it yet, and may. */
export function openOf(message: Addressed, outcomes: readonly Outcome[]): string[] {
  const settled = new Set(outcomes.filter(({ state }) => state !== 'deferred').map(keyOf))
  return envelopeOf(message).filter((email) => !settled.has(emailKey(email)))
}

/** All of whom nothing is known have it. */
export const withOthersAccepted = (message: Addressed, outcomes: readonly Outcome[]): Outcome[] =>
  fill(message, outcomes, (email) => ({ email, state: 'accepted', error: null }))

/** Nobody waits any longer: all who do not have it never get it, with the last words about them, or these. */
export const withNobodyWaiting = (message: Addressed, outcomes: readonly Outcome[], error: string): Outcome[] =>
  fill(
    message,
    outcomes.map((each) => (each.state === 'deferred' ? { ...each, state: 'refused' } : each)),
    (email) => ({ email, state: 'refused', error }),
  )

function fill(message: Addressed, outcomes: readonly Outcome[], make: (email: string) => Outcome): Outcome[] {
  const keys = new Set(outcomes.map(keyOf))
  return [
    ...outcomes,
    ...envelopeOf(message)
      .filter((email) => !keys.has(emailKey(email)))
      .map(make),
  ]
}

export const hasAccepted = (outcomes: readonly Outcome[]): boolean => outcomes.some(({ state }) => state === 'accepted')

/** Whether these recipients only get copies: then the mail has reached whom it was written to. */
export function areCopies(message: Addressed, emails: readonly string[]): boolean {
  const main = new Set(message.to.map(({ email }) => emailKey(email)))
  return main.size > 0 && emails.every((email) => !main.has(emailKey(email)))
}

/** Whether it has failed although others may have it: somebody whom it was written to never gets it. */
export function isLost(message: Addressed, outcomes: readonly Outcome[]): boolean {
  const lost = outcomes.filter(isRefused).map(({ email }) => email)
  return lost.length > 0 && !areCopies(message, lost)
}

/**
 * Sentences about the recipients who never get the mail and why, and that all others have it, so that nobody sends it
 * once more.
 */
export function notesOf(message: Addressed, outcomes: readonly Outcome[]): string[] {
  const isOne = envelopeOf(message).length === 1
  const notes = outcomes.filter(isRefused).map((each) => {
    const { email, state, error } = each
    if (state === 'bounced') return bounceNote(areCopies(message, [email]), error ?? '')
    return isOne ? (error ?? '') : `It was not sent to ${email}: ${error}`
  })
  const isKnown = isLost(message, outcomes) && hasAccepted(outcomes) && openOf(message, outcomes).length === 0
  return [...new Set(notes), ...(isKnown ? ['It was sent to everybody else.'] : [])]
}

/** What a message says while some wait for it: the error of an attempt alone, if it is about all recipients. */
export function waitingNote(message: Addressed, outcomes: readonly Outcome[], error: string): string {
  if (!outcomes.some(({ state }) => state !== 'deferred')) return error
  const open = openOf(message, outcomes).join(', ')
  return inOne(...notesOf(message, outcomes), `It is still to be sent to ${open}: ${error}`)
}

/** Sentences in one text; servers' words may end without a full stop. */
export const inOne = (...notes: readonly (string | false | null)[]): string =>
  notes
    .filter((note) => note !== false && note !== null && note !== '')
    .join('\n')
    .replace(/([^.!?…])\n/g, '$1. ')
    .replaceAll('\n', ' ')

export const bounceNote = (isCopy: boolean, why: string): string => `${isCopy ? 'A copy' : 'It'} bounced: ${why}`

const isRefused = ({ state }: Outcome): boolean => state === 'refused' || state === 'bounced'

const keyOf = ({ email }: Outcome): string => emailKey(email)
