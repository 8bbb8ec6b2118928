import * as v from 'valibot'
import { emailKey } from '../lib/email.ts'
import * as f from '../lib/fields.ts'
import { type FieldError, field, invalid } from '../lib/problem.ts'
import type { Email } from '../records/contact-methods.ts'
import { links } from '../store/rows/links.ts'
import { missing } from '../store/rows/references.ts'
import type { Database } from '../store/sqlite/driver.ts'

// The participants of a meeting: contacts, members, and people of whom only an email is known.

export const ROLES = ['organizer', 'attendee'] as const
export const RESPONSES = ['accepted', 'declined', 'tentative', 'pending'] as const
export const MAX_PARTICIPANTS = 500

/** The maximum length of a contact's name. */
const name = f.nullable(f.line(511))
const role = f.oneOf(ROLES)
const response = f.oneOf(RESPONSES)

export const Participant = f.named(
  'MeetingParticipant',
  f.object({
    contact_id: f.nullable(f.id),
    member_id: f.nullable(f.id),
    email: f.nullable(f.email),
    name,
    role,
    response,
  }),
)
export type Participant = v.InferOutput<typeof Participant>

const ParticipantGiven = v.pipe(
  f.named(
    'MeetingParticipantInput',
    f.object({
      contact_id: f.optional(f.nullable(f.id)),
      member_id: f.optional(f.nullable(f.id)),
      email: f.optional(f.nullable(f.email)),
      name: f.optional(name),
      role: v.exactOptional(role, 'attendee'),
      response: v.exactOptional(response, 'pending'),
    }),
  ),
  v.check(
    ({ contact_id, member_id }) => !contact_id || !member_id,
    'contact_and_member|must not have both a contact_id and a member_id',
  ),
)
export type ParticipantGiven = v.InferOutput<typeof ParticipantGiven>

export const ParticipantsGiven = v.pipe(
  f.arrayOf(ParticipantGiven, MAX_PARTICIPANTS),
  v.check(
    (all) => all.filter(({ role }) => role === 'organizer').length <= 1,
    'more_than_one_organizer|must have at most one organizer',
  ),
  v.description(
    'Participants. Each has a `contact_id`, a `member_id` or an `email`; an email is matched with a member or a contact. A PATCH replaces all participants.',
  ),
)

type Person = { id: string; name: string; email: string | null }
type Found = { contact?: Person | undefined; member?: Person | undefined }

export type ParticipantReader = ReturnType<typeof participantReader>

/** Identifies the given participants. */
export function participantReader(db: Database) {
  const memberOfId = db.prepare('SELECT id, name, email FROM members WHERE org_id = ? AND id = ?')
  const memberOfEmail = db.prepare('SELECT id, name, email FROM members WHERE org_id = ? AND email = ?')
  const contactOfId = db.prepare('SELECT id, name, emails FROM contacts WHERE org_id = ? AND id = ?')
  const contactOfEmail = db
    .prepare('SELECT contact_id FROM contact_emails WHERE org_id = ? AND email_key = ? ORDER BY contact_id LIMIT 1')
    .pluck()

  /**
   * Returns the participants to store. Those equal to one of `before` stay unchanged, even if their email would now
   * identify someone else. Throws Problem 422 for a participant without an identity, an unknown reference, and a
   * duplicate.
   */
  function read(org: number, given: readonly ParticipantGiven[], before: readonly Participant[] = []): Participant[] {
    const known = new Set(before.map((each) => JSON.stringify(each)))
    const errors: FieldError[] = []
    const all = given.map((each, index) => {
      const whole = wholeOf(each)
      return known.has(JSON.stringify(whole)) ? whole : identified(org, whole, `/participants/${index}`, errors)
    })
    errors.push(...repeated(all))
    if (errors.length > 0) throw invalid(...errors.slice(0, MAX_ERRORS))
    return withOwnEmails(all)
  }

  /** Adds the contact or the member, and the name. Their own email is added last, when all other emails are known. */
  function identified(org: number, given: Participant, pointer: string, errors: FieldError[]): Identified {
    const { contact_id, member_id, email } = given
    if (contact_id === null && member_id === null && email === null) {
      errors.push(field(pointer, 'nobody', 'must have a contact_id, a member_id or an email'))
      return given
    }
    const { contact, member } = found(org, given)
    if (contact_id !== null && !contact) errors.push(missing(`${pointer}/contact_id`))
    if (member_id !== null && !member) errors.push(missing(`${pointer}/member_id`))
    const person = contact ?? member
    return {
      ...given,
      contact_id: contact?.id ?? null,
      member_id: member?.id ?? null,
      name: given.name ?? person?.name ?? null,
      ownEmail: person?.email ?? null,
    }
  }

  function found(org: number, { contact_id, member_id, email }: Participant): Found {
    if (contact_id !== null) return { contact: contact(org, contact_id) }
    if (member_id !== null) return { member: memberOfId.get(org, member_id) as Person | undefined }
    const key = emailKey(email as string)
    const member = memberOfEmail.get(org, key) as Person | undefined
    if (member) return { member }
    const contactId = contactOfEmail.get(org, key) as string | undefined
    return contactId === undefined ? {} : { contact: contact(org, contactId) }
  }

  /** The identity of the person with the email: the id of the member or the contact, or else the email itself. */
  function whoHas(org: number, email: string): string {
    const { contact, member } = found(org, { ...NOBODY, email })
    return member?.id ?? contact?.id ?? emailKey(email)
  }

  function contact(org: number, id: string): Person | undefined {
    const row = contactOfId.get(org, id) as { id: string; name: string; emails: string } | undefined
    if (!row) return undefined
    const primary = (JSON.parse(row.emails) as Email[]).find(({ is_primary }) => is_primary)
    return { id, name: row.name, email: primary?.email ?? null }
  }

  return { read, whoHas }
}

const MAX_ERRORS = 100
const NOBODY = { contact_id: null, member_id: null, name: null, role: 'attendee', response: 'pending' } as const

type Identified = Participant & { ownEmail?: string | null }

const wholeOf = ({ contact_id, member_id, email, name, role, response }: ParticipantGiven): Participant => ({
  contact_id: contact_id ?? null,
  member_id: member_id ?? null,
  email: email ?? null,
  name: name ?? null,
  role,
  response,
})

/** Two contacts may share an email address; then only the first gets it here. */
function withOwnEmails(all: readonly Identified[]): Participant[] {
  const taken = new Set(all.flatMap(({ email }) => (email === null ? [] : [emailKey(email)])))
  return all.map(({ ownEmail, ...participant }) => {
    if (participant.email !== null || !ownEmail || taken.has(emailKey(ownEmail))) return participant
    taken.add(emailKey(ownEmail))
    return { ...participant, email: ownEmail }
  })
}

/** What identifies a participant, with the field of the body that contains it. */
const MARKS: [member: 'contact_id' | 'member_id' | 'email', keyOf: (value: string) => string][] = [
  ['contact_id', (id) => id],
  ['member_id', (id) => id],
  ['email', emailKey],
]

function repeated(all: readonly Participant[]): FieldError[] {
  const seen = new Set<string>()
  return all.flatMap((participant, index) => {
    const keys = MARKS.flatMap(([member, keyOf]) => {
      const value = participant[member]
      return value === null ? [] : [`${member} ${keyOf(value)}`]
    })
    const known = keys.find((key) => seen.has(key))
    for (const key of keys) seen.add(key)
    return known === undefined ? [] : [field(`/participants/${index}`, 'repeated', 'is already in this list')]
  })
}

export const contactsOf = (participants: readonly Pick<Participant, 'contact_id'>[]): string[] =>
  participants.flatMap(({ contact_id }) => contact_id ?? [])

const membersOf = (participants: readonly Participant[]): string[] =>
  participants.flatMap(({ member_id }) => member_id ?? [])

/** Updates the link tables after a change of participants. */
export function participantRows(db: Database) {
  const setContacts = links(db, 'meeting_contacts', 'meeting_id', 'contact_id')
  const setMembers = links(db, 'meeting_members', 'meeting_id', 'member_id')
  const ofContact = db.prepare('SELECT meeting_id FROM meeting_contacts WHERE org_id = ? AND contact_id = ?').pluck()

  return {
    set: (org: number, id: string, before: readonly Participant[], after: readonly Participant[]): void => {
      setContacts(org, id, contactsOf(before), contactsOf(after))
      setMembers(org, id, membersOf(before), membersOf(after))
    },
    meetingsOf: (org: number, contactId: string) => ofContact.all(org, contactId) as string[],
  }
}

/** Removes the reference to the contact, and keeps email and name; of a participant who has neither, nothing is left. */
export const withoutContact = (participants: readonly Participant[], gone: string): Participant[] =>
  participants.flatMap((each) => {
    if (each.contact_id !== gone) return [each]
    return each.email || each.name ? [{ ...each, contact_id: null }] : []
  })

/** Replaces one contact by the other; if both are participants, the first of the two stays. */
export function swapContact(participants: readonly Participant[], from: string, to: string): Participant[] {
  const first = participants.findIndex(({ contact_id }) => contact_id === from || contact_id === to)
  return participants.flatMap((each, index) => {
    if (each.contact_id !== from && each.contact_id !== to) return [each]
    return index === first ? [{ ...each, contact_id: to }] : []
  })
}

/**
 * Reverses `swapContact` in participants that may have changed since: the participant that stayed gets its former
 * identity back, and the other is the one that now has its email, or else is added at the end.
 */
export function unswapContact(
  now: readonly Participant[],
  before: readonly Participant[],
  from: string,
  to: string,
): Participant[] {
  const [stayed, left] = before.filter(({ contact_id }) => contact_id === from || contact_id === to)
  const back = now.map((each) => (each.contact_id === to ? { ...each, contact_id: stayed?.contact_id ?? from } : each))
  if (!left) return back
  const same = back.findIndex(({ email }) => email && left.email && emailKey(email) === emailKey(left.email))
  const known = back[same]
  if (!known) return [...back, left]
  const isFree = known.contact_id === null && known.member_id === null
  return isFree ? back.with(same, { ...known, contact_id: left.contact_id }) : back
}
