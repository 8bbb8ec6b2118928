import type { Database } from '../../store/sqlite/driver.ts'

/** A mail that could not be imported. */
export type RejectedMail = {
  id: string
  mailbox_id: string
  uid: number
  external_id: string | null
  sender: string | null
  subject: string | null
  error: string
  at: number
}

const FIELDS = 'id, mailbox_id, uid, external_id, sender, subject, error, at'
const MAX_REJECTED = 100

/** Lists the rejected mails of one mailbox, or of all mailboxes of an organisation, newest first. */
export function rejectedMails(db: Database): (org: number, mailbox?: string) => RejectedMail[] {
  const newest = `SELECT ${FIELDS} FROM rejected_mails WHERE org_id = ?`
  const ofAll = db.prepare(`${newest} ORDER BY id DESC LIMIT ?`)
  const ofOne = db.prepare(`${newest} AND +mailbox_id = ? ORDER BY id DESC LIMIT ?`)

  return (org, mailbox) =>
    (mailbox === undefined ? ofAll.all(org, MAX_REJECTED) : ofOne.all(org, mailbox, MAX_REJECTED)) as RejectedMail[]
}

/** Stores a rejected mail, or the new error of one that is already stored. */
export function rejectedMailWriter(db: Database) {
  const insert = db.prepare(
    `INSERT INTO rejected_mails (org_id, id, mailbox_id, uid_validity, uid, external_id, sender, subject, error, at)
     VALUES (@org, @id, @mailbox_id, @uid_validity, @uid, @external_id, @sender, @subject, @error, @at)
     ON CONFLICT (org_id, mailbox_id, uid_validity, uid) DO UPDATE SET error = excluded.error, at = excluded.at`,
  )
  return (org: number, mail: RejectedMail & { uid_validity: number }): void => void insert.run({ org, ...mail })
}
