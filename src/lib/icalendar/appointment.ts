import * as v from 'valibot'
import * as f from '../fields.ts'
import type { Person } from './people.ts'
import type { Occurrence } from './series.ts'

/** An occurrence as plain data, without the calendar that it is from; times are milliseconds. */
export type Appointment = {
  uid: string
  starts: number
  ends: number
  /** IANA name; null if unknown. */
  timezone: string | null
  title: string
  description: string | undefined
  location: string | undefined
  conferenceUrl: string | undefined
  people: Person[]
}

export function appointmentOf({ uid, event, starts, ends, zone }: Occurrence): Appointment {
  const { title, description, location, conferenceUrls, people } = event
  const conferenceUrl = conferenceUrls.find((each) => v.is(f.url, each) && !/\s/.test(each))
  return { uid, starts, ends, timezone: zone.name, title, description, location, conferenceUrl, people }
}
