import type ICAL from 'ical.js'
import * as v from 'valibot'
import { emailKey } from '../../crm/records/contact-methods.ts'
import * as f from '../../lib/fields.ts'
import type { Participant } from '../../meetings/participants.ts'
import { rawValue } from './moment.ts'

/** A participant, as given in a calendar. */
export type Person = { email: string; name: string | undefined } & Pick<Participant, 'role' | 'response'>

const RESPONSES: Record<string, Participant['response']> = {
  ACCEPTED: 'accepted',
  DECLINED: 'declined',
  TENTATIVE: 'tentative',
}

/**
 * Returns the participants with an email, without duplicates and rooms; the organizer first unless listed among the
 * attendees.
 */
export function peopleIn(event: ICAL.Component): Person[] {
  const organizer = event.getAllProperties('organizer').flatMap((each) => addressOf(each) ?? [])[0]
  const isOrganizer = (email: string): boolean =>
    organizer !== undefined && emailKey(email) === emailKey(organizer.email)
  const all = new Map<string, Person>()
  for (const property of event.getAllProperties('attendee')) {
    const found = addressOf(property)
    if (!found || all.has(emailKey(found.email)) || ROOMS.test(property.getFirstParameter('cutype') ?? '')) continue
    const response = RESPONSES[(property.getFirstParameter('partstat') ?? '').toUpperCase()] ?? 'pending'
    all.set(emailKey(found.email), { ...found, response, role: isOrganizer(found.email) ? 'organizer' : 'attendee' })
  }
  if (!organizer || all.has(emailKey(organizer.email))) return [...all.values()]
  // The organizer takes part even if not listed as an attendee.
  return [{ ...organizer, role: 'organizer', response: 'accepted' }, ...all.values()]
}

const ROOMS = /^(RESOURCE|ROOM)$/i

/** Some programs write the email as a parameter, because the value is an internal address. */
function addressOf(property: ICAL.Property): Pick<Person, 'email' | 'name'> | undefined {
  const value = rawValue(property) ?? ''
  const [, address = value] = /^mailto:(.*)$/i.exec(value) ?? []
  const email = [unescaped(address), property.getFirstParameter('email')].find((each) => v.is(f.email, each))
  if (email === undefined) return undefined
  const name = property.getFirstParameter('cn')?.replace(/\s+/g, ' ').trim()
  return { email, name: name === '' || name?.toLowerCase() === email.toLowerCase() ? undefined : name }
}

function unescaped(address: string): string {
  try {
    return decodeURIComponent(address).trim()
  } catch {
    return address.trim()
  }
}
