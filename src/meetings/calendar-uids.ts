import type { Database } from '../store/driver.ts'

/** Meetings by the UID that calendars know them by. */
export function calendarUids(db: Database) {
  const ofUid = db.prepare('SELECT id FROM meetings WHERE org_id = ? AND ical_uid = ?').pluck()
  const withoutUid = db.prepare('SELECT id FROM meetings WHERE org_id = ? AND id = ? AND ical_uid IS NULL').pluck()
  const ofSeries = db.prepare('SELECT id, ical_uid FROM meetings WHERE org_id = ? AND ical_uid >= ? AND ical_uid < ?')

  return {
    idOf: (org: number, uid: string) => ofUid.get(org, uid) as string | undefined,
    /** The id itself, where it is that of a meeting no calendar has given a UID to. */
    idWithoutUid: (org: number, id: string) => withoutUid.get(org, id) as string | undefined,
    /** The UID itself, and those that go on behind it up to a "/" and what follows. */
    ofSeries: (org: number, uid: string) => ofSeries.all(org, uid, `${uid}0`) as { id: string; ical_uid: string }[],
  }
}
