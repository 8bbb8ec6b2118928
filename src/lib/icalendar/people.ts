import type ICAL from 'ical.js'
import * as v from 'valibot'
import { emailKey } from '../email.ts'
import * as f from '../fields.ts'
import { rawValue } from './moment.ts'

/** A participant, as given in a calendar. */
export type Person = {
  email: string
  name: string | undefined
  role: 'organizer' | 'attendee'
  response: 'accepted' | 'declined' | 'tentative' | 'pending'
}

const RESPONSES: Record<string, Person['response']> = {
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

/** Returns the keys of the emails that speak for the organizer: their own, and the one that sends for them. */
export function organizersIn(event: ICAL.Component): string[] {
  const found = event.getAllProperties('organizer').flatMap((each) => {
    const sentBy = mailIn(each.getFirstParameter('sent-by') ?? '')
    return [addressOf(each)?.email ?? [], v.is(f.email, sentBy) ? sentBy : []].flat()
  })
  return [...new Set(found.map(emailKey))].slice(0, MAX_ORGANIZERS)
}

const MAX_ORGANIZERS = 10

/** Some programs write the email as a parameter, because the value is an internal address. */
function addressOf(property: ICAL.Property): Pick<Person, 'email' | 'name'> | undefined {
  const email = [mailIn(rawValue(property) ?? ''), property.getFirstParameter('email')].find((each) =>
    v.is(f.email, each),
  )
  if (email === undefined) return undefined
  const name = property.getFirstParameter('cn')?.replace(/\s+/g, ' ').trim()
  return { email, name: name === '' || name?.toLowerCase() === email.toLowerCase() ? undefined : name }
}

function mailIn(value: string): string {
  const [, address = value] = /^mailto:(.*)$/i.exec(value) ?? []
  try {
    return decodeURIComponent(address).trim()
  } catch {
    return address.trim()
  }
}
