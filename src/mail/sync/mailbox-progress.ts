import { type Deps, once } from '../../deps.ts'
import { type Mailbox, mailboxStore, type State } from '../../inbox/mailboxes/mailboxes.ts'
import { textOf } from '../../store/jobs.ts'
import type { MailIn } from '../mail.ts'
import { incomingStore } from './incoming.ts'

/** A mail in the folder of a mailbox. */
export type FetchedMail = { uid: number; uidValidity: number; arrivedAt: number }

type Known = Partial<Pick<MailIn, 'messageId' | 'from' | 'subject'>>

/**
 * How far the folders of mailboxes were read. A mail and the step behind it are written in one transaction: whatever
 * happens in between, each is taken in once.
 */
export const mailboxProgress = once((deps: Deps) => {
  const { db, clock } = deps
  const { byId, state, saveState, importSince } = mailboxStore(deps)
  const incoming = incomingStore(deps)
  const insert = db.prepare(
    `INSERT INTO rejected_mails (org_id, id, mailbox_id, uid_validity, uid, external_id, sender, subject, error, at)
     VALUES (@org, @id, @mailbox, @uidValidity, @uid, @external_id, @sender, @subject, @error, @at)
     ON CONFLICT (org_id, mailbox_id, uid_validity, uid) DO UPDATE SET error = excluded.error, at = excluded.at`,
  )

  /**
   * Where to go on reading. A folder that numbers its mails anew is read again, from when on mails are taken in.
   * Undefined where the settings have changed meanwhile: what is read by the old ones tells nothing of another folder,
   * and both may have the same UIDVALIDITY.
   */
  function begin(org: number, mailbox: Mailbox, uidValidity: number): State | undefined {
    if (byId(org, mailbox.id)?.version !== mailbox.version) return undefined
    const before = state(org, mailbox.id)
    const since = before.since ?? importSince(org, mailbox) ?? Date.parse(mailbox.created_at)
    if (before.uid_validity === uidValidity && before.since !== null) return before
    saveState(org, mailbox.id, { uid_validity: uidValidity, last_uid: 0, since })
    return state(org, mailbox.id)
  }

  /** Throws what is wrong with the mail; nothing is written then. */
  function take(org: number, mailbox: Mailbox, mail: MailIn, { uid, uidValidity, arrivedAt }: FetchedMail): void {
    const taken = incoming.take(org, mailbox, mail, arrivedAt)
    if (taken.outcome === 'rejected') {
      reject(org, mailbox, mail, { uid, uidValidity, arrivedAt }, taken.error)
      return
    }
    const before = state(org, mailbox.id)
    const isNew = taken.outcome === 'imported'
    step(org, mailbox, uid, {
      imported: before.imported + Number(isNew),
      skipped: before.skipped + Number(!isNew),
      ...(isNew ? { imported_at: clock.now() } : {}),
    })
  }

  /** It could not be taken in: it is on record with its error, and the next one is not held up by it. */
  function reject(org: number, mailbox: Mailbox, mail: Known | undefined, at: FetchedMail, error: unknown): void {
    insert.run({
      org,
      id: clock.id(),
      mailbox: mailbox.id,
      uidValidity: at.uidValidity,
      uid: at.uid,
      external_id: mail?.messageId ?? null,
      sender: mail?.from?.email ?? null,
      subject: mail?.subject ?? null,
      error: textOf(error),
      at: clock.now(),
    })
    step(org, mailbox, at.uid, { rejected: state(org, mailbox.id).rejected + 1 })
  }

  /** There is nothing more of it to take. */
  function pass(org: number, mailbox: Mailbox, uid: number, isSkipped: boolean): void {
    step(org, mailbox, uid, isSkipped ? { skipped: state(org, mailbox.id).skipped + 1 } : {})
  }

  function step(org: number, { id }: Mailbox, uid: number, more: Partial<State>): void {
    const { pending, last_uid } = state(org, id)
    saveState(org, id, { ...more, last_uid: Math.max(last_uid, uid), pending: Math.max(0, pending - 1) })
  }

  /** A look has found so many that are not taken in yet. */
  const found = (org: number, { id }: Mailbox, pending: number): void => saveState(org, id, { pending })

  /** A look has come to its end, with everything taken in. */
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

  return { begin, take, reject, pass, found, looked, failed, isKnown: incoming.isKnown }
})
