import type { Database } from '../store/sqlite/driver.ts'

/** Finds meetings by their iCalendar UID. */
export function calendarUids(db: Database) {
  const ofUid = db.prepare('SELECT id FROM meetings WHERE org_id = ? AND ical_uid = ?').pluck()
  const withoutUid = db.prepare('SELECT id FROM meetings WHERE org_id = ? AND id = ? AND ical_uid IS NULL').pluck()
  const ofSeries = db.prepare('SELECT id, ical_uid FROM meetings WHERE org_id = ? AND ical_uid >= ? AND ical_uid < ?')

  return {
    idOf: (org: number, uid: string) => ofUid.get(org, uid) as string | undefined,
    /** Returns the id if it is that of a meeting without a UID; otherwise undefined. */
    idWithoutUid: (org: number, id: string) => withoutUid.get(org, id) as string | undefined,
    /**
     * Returns the meetings with this UID or one that continues it with "/". May include a few whose UID continues
     * otherwise.
     */
    ofSeries: (org: number, uid: string) => ofSeries.all(org, uid, `${uid}0`) as { id: string; ical_uid: string }[],
  }
}
