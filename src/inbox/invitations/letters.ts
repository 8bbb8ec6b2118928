import { emailKey } from '../../lib/email.ts'
import { same } from '../../lib/merge.ts'
import { type Method, uidOf } from '../../meetings/calendar.ts'
import type { Meeting } from '../../meetings/meeting.ts'
import type { Participant } from '../../meetings/participants.ts'

// Whom a change of a meeting is sent to: docs/decisions/029-invitations.md has the rules.

/** A participant who can be written to. */
export type Invitee = Participant & { email: string }

export type Kind = 'invitation' | 'update' | 'cancellation' | 'removal'

/** `isForAll`: it goes to everybody whose calendar has the meeting, who then all have the same version. */
export type Letter = { kind: Kind; meeting: Meeting; to: Invitee[]; isForAll: boolean }

export const METHODS: Record<Kind, Method> = {
  invitation: 'REQUEST',
  update: 'REQUEST',
  cancellation: 'CANCEL',
  removal: 'CANCEL',
}

type Known = {
  now: number
  isOurs: (email: string) => boolean
  /** Whether the meeting before the change is in the calendars of its participants. */
  isSent: boolean
}

/** What a calendar shows of a meeting, besides its participants. */
const SHOWN = ['title', 'description', 'starts_at', 'ends_at', 'timezone', 'location', 'conference_url'] as const

const isMoved = (before: Meeting, after: Meeting): boolean =>
  before.starts_at !== after.starts_at || before.ends_at !== after.ends_at

const isRevised = (before: Meeting, after: Meeting): boolean => SHOWN.some((name) => !same(before[name], after[name]))

/**
 * The mails of a change; without `before`, the meeting is new, and without `after` it is deleted. Nobody is in two of them. To
 * whom a meeting is over, nothing is sent.
 */
export function lettersOf(before: Meeting | undefined, after: Meeting | undefined, known: Known): Letter[] {
  if (isOver(before, known) !== false && isOver(after, known) !== false) return []
  const had = before && known.isSent ? inviteesOf(before, known) : []
  const have = after ? inviteesOf(after, known) : []
  if (before && after && uidOf(before) !== uidOf(after))
    return letters([
      ['cancellation', before, had],
      ['invitation', after, have],
    ])
  const isCanceled = !after || after.status === 'canceled'
  const fresh = without(have, had)
  const kept = without(have, fresh)
  return letters([
    [isCanceled ? 'cancellation' : 'removal', after ?? before, without(had, have)],
    ['update', after, before && after && isRevised(before, after) ? kept : []],
    ['invitation', after, fresh, kept.length === 0],
  ])
}

/** Undefined if there is no meeting. */
const isOver = (meeting: Meeting | undefined, { now }: Known): boolean | undefined =>
  meeting && Date.parse(meeting.ends_at) <= now

type Drafted = [kind: Kind, meeting: Meeting | undefined, to: Invitee[], isForAll?: boolean]

const letters = (all: Drafted[]): Letter[] =>
  all.flatMap(([kind, meeting, to, isForAll = kind !== 'removal']) =>
    meeting && to.length > 0 ? [{ kind, meeting, to, isForAll }] : [],
  )

/** Whose calendars have the meeting, by email: our own mailboxes have none. */
function inviteesOf({ send_invitations, status, participants }: Meeting, { isOurs }: Known): Invitee[] {
  if (!send_invitations || status === 'canceled') return []
  return participants.filter((each): each is Invitee => each.email !== null && !isOurs(each.email))
}

function without(all: readonly Invitee[], others: readonly Invitee[]): Invitee[] {
  const keys = new Set(others.map(({ email }) => emailKey(email)))
  return all.filter(({ email }) => !keys.has(emailKey(email)))
}

/** Who has agreed to another time has not agreed to this one: their responses are open again, unless they are given. */
export function askedAgain(before: Meeting, after: Meeting, letters: readonly Letter[]): Meeting {
  if (!isMoved(before, after) || !same(before.participants, after.participants)) return after
  const asked = new Set(letters.filter(({ kind }) => kind === 'update').flatMap(({ to }) => to as Participant[]))
  const participants = after.participants.map((each) =>
    asked.has(each) && each.role !== 'organizer' ? { ...each, response: 'pending' as const } : each,
  )
  return { ...after, participants }
}
