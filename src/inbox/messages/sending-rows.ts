import type { RawRow } from '../../store/rows/columns.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import { columns, type Message } from './message.ts'

/** The stored mail headers of a message. */
export type MailRow = {
  message_id: string
  mailbox_id: string | null
  subject: string | null
  refs: string[]
  digest: string | null
  reply_to: string | null
  attempted_at: number | null
  unconfirmed_tries: number
  /** Of single recipients, where they differ. */
  outcomes: Outcome[]
  enrollment_id: string | null
  /** To nobody who is in the conversation, or by somebody who answers such a mail. */
  is_aside: number
  /** Our addresses that it reached us by, and that no mailbox has. */
  delivered_to: string[]
}

/** The same as it is stored: `refs` and `outcomes` are JSON. */
export type StoredMail = Omit<MailRow, 'refs' | 'outcomes' | 'message_id' | 'delivered_to'> &
  Record<'refs' | 'outcomes', string>

/** What became of a mail for one of its recipients; `error` says why they do not have it. */
export type Outcome = { email: string; state: 'accepted' | 'deferred' | 'refused' | 'bounced'; error: string | null }

/** Reads and writes the rows of a message that is being sent. */
export function sendingRows(db: Database) {
  const byId = db.prepare(`SELECT ${columns.select} FROM messages WHERE org_id = ? AND id = ?`).raw()
  const mail = db.prepare('SELECT * FROM message_headers WHERE org_id = ? AND message_id = ?')
  const attempt = db.prepare('UPDATE message_headers SET attempted_at = ? WHERE org_id = ? AND message_id = ?')
  const doubt = db.prepare(
    'UPDATE message_headers SET attempted_at = NULL, unconfirmed_tries = unconfirmed_tries + 1 WHERE org_id = ? AND message_id = ?',
  )

  const setOutcomes = db.prepare('UPDATE message_headers SET outcomes = ? WHERE org_id = ? AND message_id = ?')

  function messageOf(org: number, id: string): Message | undefined {
    const row = byId.get(org, id) as RawRow | undefined
    return row && columns.present(row)
  }

  return {
    messageOf,
    /** Undefined if the message has no mail headers. */
    mailOf: (org: number, id: string) => mail.get(org, id) as StoredMail | undefined,
    /** Stores when the current attempt began; null if none is running. */
    setAttempt: (org: number, id: string, at: number | null): void => void attempt.run(at, org, id),
    setOutcomes: (org: number, id: string, outcomes: readonly Outcome[]): void =>
      void setOutcomes.run(JSON.stringify(outcomes), org, id),
    /** Ends an attempt whose result is unknown. */
    countUnconfirmed: (org: number, id: string): void => void doubt.run(org, id),
  }
}
