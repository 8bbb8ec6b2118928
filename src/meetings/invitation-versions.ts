import { hash } from 'node:crypto'
import type { Appointment } from '../lib/icalendar/appointment.ts'
import * as c from '../store/rows/columns.ts'
import type { Database } from '../store/sqlite/driver.ts'

/** Hashes of texts, by their field. */
export type Texts = Record<string, string>

/** The newest version of an event that a mail contained, or of an answer to it: see invitations in schema.sql. */
export type KnownVersion = {
  uid: string
  recurrence: string
  attendee: string
  sequence: number
  stamp: number
  senders: string[]
  texts: Texts
  until: number | null
}

export const columns = c.columns<KnownVersion>({
  uid: c.text('uid'),
  recurrence: c.text('recurrence'),
  attendee: c.text('attendee'),
  sequence: c.integer('sequence'),
  stamp: c.integer('stamp'),
  senders: c.json('senders'),
  texts: c.json('texts'),
  until: c.integer('until'),
})

export function invitationVersions(db: Database) {
  const { names, values, select } = columns
  const ofUid = db.prepare(`SELECT ${select} FROM invitations WHERE org_id = ? AND uid = ?`).raw()
  const put = db.prepare(
    `INSERT OR REPLACE INTO invitations (org_id, ${names.join(', ')}) VALUES (?, ${names.map(() => '?').join(', ')})`,
  )
  const remove = db.prepare("DELETE FROM invitations WHERE org_id = ? AND uid = ? AND recurrence = ? AND attendee = ''")

  return {
    of: (org: number, uid: string) => (ofUid.all(org, uid) as c.RawRow[]).map((row) => columns.present(row)),
    keep: (org: number, version: KnownVersion): void => void put.run(org, ...values(version)),
    /** Removes the version of an occurrence that is as in its series again. */
    forget: (org: number, uid: string, recurrence: string): void => void remove.run(org, uid, recurrence),
  }
}

/** The texts that people like to edit. */
export function textsOf({
  title,
  description,
  location,
  conferenceUrl,
}: Pick<Appointment, 'title' | 'description' | 'location' | 'conferenceUrl'>): Texts {
  const texts = { title, description, location, conference_url: conferenceUrl }
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, hash('sha256', text, 'base64url').slice(0, 16)]],
    ),
  )
}
