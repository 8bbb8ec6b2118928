import { type Deps, once } from '../deps.ts'
import type { Mailbox, State } from '../inbox/mailboxes/mailbox.ts'
import { mailboxStore } from '../inbox/mailboxes/mailboxes.ts'
import { rejectedMailWriter } from '../inbox/mailboxes/rejected-mails.ts'
import type { Original } from '../inbox/messages/originals.ts'
import type { MailIn } from '../lib/mail/mail.ts'
import type { Folder } from '../lib/mail/transport/imap.ts'
import { textOf } from '../store/jobs/jobs.ts'
import { type ImportedMail, incomingStore } from './incoming.ts'

/** The position of a mail in the folder of a mailbox. */
export type FetchedMail = {
  uid: number
  uidValidity: number
  arrivedAt: number
  /** It was more than a day old when it was first seen: nobody waits for an answer. */
  isHistory: boolean
}

type MailSummary = Partial<Pick<MailIn, 'messageId' | 'from' | 'subject'>>

/**
 * How far the folder of each mailbox has been read. A mail and the position after it are written in one transaction, so
 * that each mail is imported exactly once.
 */
export const mailboxProgress = once((deps: Deps) => {
  const { db, clock } = deps
  const { byId, state, saveState, importSince } = mailboxStore(deps)
  const incoming = incomingStore(deps)
  const record = rejectedMailWriter(db)

  /**
   * Returns the position to continue from. If the folder has a new UIDVALIDITY, reading restarts at the import start
   * date. Returns undefined if the mailbox settings have changed in the meantime: the position may belong to another
   * folder, even with the same UIDVALIDITY.
   */
  function begin(
    org: number,
    mailbox: Mailbox,
    { uidValidity, uidNext }: Pick<Folder, 'uidValidity' | 'uidNext'>,
  ): State | undefined {
    if (byId(org, mailbox.id)?.version !== mailbox.version) return undefined
    const before = state(org, mailbox.id)
    const since = before.since ?? importSince(org, mailbox) ?? Date.parse(mailbox.created_at)
    if (before.uid_validity === uidValidity && before.since !== null) {
      // A version that did not store what was there at the first look has begun that look.
      if (before.dated_below === 0 && before.checked_at === null) saveState(org, mailbox.id, { dated_below: uidNext })
      return state(org, mailbox.id)
    }
    saveState(org, mailbox.id, { uid_validity: uidValidity, last_uid: 0, dated_below: uidNext, since })
    return state(org, mailbox.id)
  }

  /** Imports one mail. Throws if it cannot be imported; then nothing is written. */
  function take(
    org: number,
    mailbox: Mailbox,
    mail: MailIn,
    at: FetchedMail,
    original?: Original,
  ): ImportedMail['outcome'] {
    const { uid, arrivedAt, isHistory } = at
    const result = incoming.take(org, mailbox, mail, arrivedAt, isHistory, original)
    if (result.outcome === 'rejected') {
      reject(org, mailbox, mail, at, result.error)
      return result.outcome
    }
    const before = state(org, mailbox.id)
    const isNew = result.outcome === 'imported'
    step(org, mailbox, uid, {
      imported: before.imported + Number(isNew),
      skipped: before.skipped + Number(!isNew),
      ...(isNew ? { imported_at: clock.now() } : {}),
    })
    return result.outcome
  }

  /** Records a mail that could not be imported, with its error, and moves past it. */
  function reject(org: number, mailbox: Mailbox, mail: MailSummary | undefined, at: FetchedMail, error: unknown): void {
    list(org, mailbox, mail, at, error)
    step(org, mailbox, at.uid, { rejected: state(org, mailbox.id).rejected + 1 })
  }

  /** Records a mail whose content its server leaves out, and moves past it. */
  function miss(org: number, mailbox: Mailbox, mail: MailSummary, at: FetchedMail, error: unknown): void {
    list(org, mailbox, mail, at, error)
    step(org, mailbox, at.uid, { missing: state(org, mailbox.id).missing + 1 })
  }

  function list(org: number, mailbox: Mailbox, mail: MailSummary | undefined, at: FetchedMail, error: unknown): void {
    record(org, {
      id: clock.id(),
      mailbox_id: mailbox.id,
      uid_validity: at.uidValidity,
      uid: at.uid,
      external_id: mail?.messageId ?? null,
      sender: mail?.from?.email ?? null,
      subject: mail?.subject ?? null,
      error: textOf(error),
      at: clock.now(),
    })
  }

  /** Moves past a mail that needs no import. */
  function pass(org: number, mailbox: Mailbox, uid: number, isSkipped: boolean): void {
    step(org, mailbox, uid, isSkipped ? { skipped: state(org, mailbox.id).skipped + 1 } : {})
  }

  function step(org: number, { id }: Mailbox, uid: number, more: Partial<State>): void {
    const { pending, last_uid } = state(org, id)
    saveState(org, id, { ...more, last_uid: Math.max(last_uid, uid), pending: Math.max(0, pending - 1) })
  }

  /** Stores how many mails the last check found that are not imported yet. */
  const found = (org: number, { id }: Mailbox, pending: number): void => saveState(org, id, { pending })

  /** Records that a check has finished and everything is imported. */
  function looked(org: number, { id }: Mailbox, lastUid: number): void {
    const { last_uid } = state(org, id)
    const fine = { failing_since: null, last_error: null, last_error_at: null, pending: 0 }
    saveState(org, id, { ...fine, checked_at: clock.now(), last_uid: Math.max(last_uid, lastUid) })
  }

  function failed(org: number, { id }: Mailbox, error: string): void {
    const { failing_since } = state(org, id)
    const now = clock.now()
    saveState(org, id, { failing_since: failing_since ?? now, last_error: error, last_error_at: now })
  }

  return { begin, take, reject, miss, pass, found, looked, failed, isKnown: incoming.isKnown }
})
