import * as v from 'valibot'
import type { Segment, Speaker as Voice } from '../lib/captions/captions.ts'
import * as f from '../lib/fields.ts'
import { type FieldError, field } from '../lib/problem.ts'
import { fold } from '../lib/pure/fold.ts'
import { missing } from '../store/rows/references.ts'
import type { Database } from '../store/sqlite/driver.ts'
import type { Meeting } from './meeting.ts'

// The speakers of a transcript: contacts, members, and unidentified voices.

export const MAX_SPEAKERS = 1000
const MAX_NAME_LENGTH = 255
const key = f.doc(f.title, 'Key by which segments refer to the speaker, for example "speaker_1".')
const ids = {
  member_id: f.doc(f.nullable(f.id), 'The member who speaks.'),
  contact_id: f.doc(f.nullable(f.id), 'The contact who speaks.'),
}
const name = f.doc(f.nullable(f.title), 'Name of the speaker; null if unknown.')

export const Speaker = f.named(
  'TranscriptSpeaker',
  f.object({
    key,
    name,
    ...ids,
    talk_ms: f.doc(f.count(), 'Speaking time. Overlapping segments of the same speaker count once.'),
  }),
)
export type Speaker = v.InferOutput<typeof Speaker>

export const SpeakerGiven = v.pipe(
  f.named(
    'TranscriptSpeakerInput',
    f.object({
      key,
      name: v.exactOptional(name, null),
      member_id: v.exactOptional(ids.member_id, null),
      contact_id: v.exactOptional(ids.contact_id, null),
    }),
  ),
  v.check(
    ({ contact_id, member_id }) => !contact_id || !member_id,
    'contact_and_member|must not have both a contact_id and a member_id',
  ),
)
export type SpeakerGiven = v.InferOutput<typeof SpeakerGiven>

/** Returns the speakers to store; if none are given, those that the segments name. */
export function speakersOf(given: readonly SpeakerGiven[] | undefined, segments: readonly Segment[]): Speaker[] {
  const named = new Set(segments.flatMap(({ speaker }) => speaker ?? []))
  const all = given ?? [...named].map((key): SpeakerGiven => ({ key, ...UNKNOWN }))
  const talks = talkTimes(segments)
  return all.map((speaker) => ({ ...speaker, talk_ms: talks.get(speaker.key) ?? 0 }))
}
const UNKNOWN = { name: null, member_id: null, contact_id: null }

/** The talk time of each speaker, by key. Segments must be in the order of their start. */
function talkTimes(segments: readonly Segment[]): Map<string | null, number> {
  const talks = new Map<string | null, number>()
  const heardUntil = new Map<string | null, number>()
  for (const { speaker, start_ms, end_ms } of segments) {
    const until = heardUntil.get(speaker) ?? 0
    if (end_ms <= until) continue
    talks.set(speaker, (talks.get(speaker) ?? 0) + end_ms - Math.max(start_ms, until))
    heardUntil.set(speaker, end_ms)
  }
  return talks
}

type Person = Pick<Speaker, 'member_id' | 'contact_id'>

/** Identifies speakers. */
export function speakerReader(db: Database) {
  const memberName = db.prepare('SELECT name FROM members WHERE org_id = ? AND id = ?').pluck()
  const contactName = db.prepare('SELECT name FROM contacts WHERE org_id = ? AND id = ?').pluck()

  /** Returns the faults in the given speakers. */
  function errorsIn(org: number, speakers: readonly SpeakerGiven[]): FieldError[] {
    const seen = new Set<string>()
    return speakers.flatMap(({ key, member_id, contact_id }, index) => {
      const errors: FieldError[] = []
      if (seen.has(key))
        errors.push(field(`/speakers/${index}/key`, 'repeated', 'must not be the key of another speaker'))
      seen.add(key)
      if (member_id !== null && memberName.get(org, member_id) === undefined)
        errors.push(missing(`/speakers/${index}/member_id`))
      if (contact_id !== null && contactName.get(org, contact_id) === undefined)
        errors.push(missing(`/speakers/${index}/contact_id`))
      return errors
    })
  }

  /**
   * The names of the participants of a meeting, each with the person: as in the meeting, and as in the contact or the
   * member. The owner of the meeting is a participant.
   */
  function peopleOf(org: number, { participants, owner_id }: Meeting): [name: string, person: Person][] {
    const all = [...participants, { name: null, contact_id: null, member_id: owner_id }]
    return all.flatMap(({ name, contact_id, member_id }) => {
      const own = contact_id !== null ? contactName.get(org, contact_id) : memberName.get(org, member_id)
      const names = [name, own as string | undefined].filter((each) => each && each.length <= MAX_NAME_LENGTH)
      return names.map((each): [string, Person] => [each as string, { contact_id, member_id }])
    })
  }

  return { errorsIn, peopleOf }
}

/** Matches the speakers of a file with people by name. A name that two people share matches nobody. */
export function recognized(
  speakers: readonly Voice[],
  people: readonly [name: string, person: Person][],
): SpeakerGiven[] {
  const byName = new Map<string, Person | undefined>()
  for (const [name, person] of people) {
    const key = fold(name.trim())
    const other = byName.has(key) ? byName.get(key) : person
    byName.set(
      key,
      other?.contact_id === person.contact_id && other.member_id === person.member_id ? person : undefined,
    )
  }
  return speakers.map(({ key, name }) => ({ key, ...UNKNOWN, name, ...byName.get(fold(name ?? '')) }))
}

export const contactsOf = (speakers: readonly Speaker[]): string[] => [
  ...new Set(speakers.flatMap(({ contact_id }) => contact_id ?? [])),
]

export const membersOf = (speakers: readonly Speaker[]): string[] => [
  ...new Set(speakers.flatMap(({ member_id }) => member_id ?? [])),
]

/** Replaces the contact by another one, or by none. */
export const swapContact = (speakers: readonly Speaker[], from: string, to: string | null): Speaker[] =>
  speakers.map((each) => (each.contact_id === from ? { ...each, contact_id: to } : each))

/** Reverses `swapContact` for speakers that referred to `from` before, and refer to `to` now. */
export function unswapContact(
  now: readonly Speaker[],
  before: readonly Speaker[],
  from: string,
  to: string,
): Speaker[] {
  const keys = new Set(before.filter(({ contact_id }) => contact_id === from).map(({ key }) => key))
  return now.map((each) => (each.contact_id === to && keys.has(each.key) ? { ...each, contact_id: from } : each))
}
