import { jobQueue } from '../../store/jobs.ts'
import type { Store } from '../../store/open.ts'

/** The kind of job that sends a message. Its key is the id of the message, its lane that of the mailbox. */
export const MESSAGE_SEND = 'message.send'

/** The mails of a mailbox that wait for their next attempt. */
export function waitingMails(store: Pick<Store, 'db' | 'clock'>) {
  const { hurry } = jobQueue(store)
  return { hurry: (mailbox: string): void => hurry(MESSAGE_SEND, mailbox) }
}
