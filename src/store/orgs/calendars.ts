import { countryOfZone } from '../../lib/country.ts'
import type { Weekday } from '../../lib/written/days/periods.ts'
import { firstWeekdayOf } from '../../lib/written/days/weeks.ts'
import type { Database } from '../sqlite/driver.ts'

/** By what "today" and "this week" are found. */
export type Calendar = { timezone: string; firstWeekday: Weekday }

type Row = { timezone: string; own: string; country: string | null }

/**
 * Returns the calendar by which a member reads days: in the time zone in which the screens show them times, or for nobody, in that
 * of the organisation. Weeks are those of the organisation's country for all of them: what it calls a week is no matter of
 * where somebody travels.
 */
export function calendarOf(db: Database): (org: number, member: string | null) => Calendar {
  const row = db.prepare(
    `SELECT coalesce(preferences.body ->> '$.timezone', members.timezone, orgs.timezone) AS timezone,
       orgs.timezone AS own, orgs.country
     FROM orgs LEFT JOIN members ON members.org_id = orgs.id AND members.id = ?
       LEFT JOIN preferences ON preferences.org_id = orgs.id AND preferences.member_id = members.id
     WHERE orgs.id = ?`,
  )
  return (org, member) => {
    const { timezone, own, country } = row.get(member, org) as Row
    return { timezone, firstWeekday: firstWeekdayOf(country ?? countryOfZone(own)) }
  }
}
