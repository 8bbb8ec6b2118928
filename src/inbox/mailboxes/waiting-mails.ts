import { jobQueue } from '../../store/jobs/jobs.ts'
import type { Store } from '../../store/open.ts'

/** The kind of job that sends a message. Its key is the id of the message, its lane that of the mailbox. */
export const MESSAGE_SEND = 'message.send'

/** The mails of a mailbox that wait for their next attempt. */
export function waitingMails({ db, clock }: Pick<Store, 'db' | 'clock'>) {
  const jobs = jobQueue({ db, clock })
  const endPause = db.prepare(
    `UPDATE mailbox_states SET send_pauses = 0, send_paused_until = NULL
     WHERE org_id = ? AND mailbox_id = ? AND send_pauses > 0`,
  )

  /** What they waited for may have come: they are tried at once, also in a pause. */
  function hurry(org: number, mailbox: string): void {
    endPause.run(org, mailbox)
    jobs.hurry(org, MESSAGE_SEND, mailbox)
  }

  return { hurry }
}
