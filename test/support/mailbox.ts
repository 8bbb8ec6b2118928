import { createHash } from 'node:crypto'
import { applySettings } from '../../src/app/settings/document.ts'
import type { Mailbox } from '../../src/inbox/mailboxes/mailbox.ts'
import { mailboxStore } from '../../src/inbox/mailboxes/mailboxes.ts'
import type { MailIn } from '../../src/lib/mail/mail.ts'
import type { TestServer } from './server.ts'

export const SUPPORT = {
  key: 'support',
  name: 'Acme Support',
  address: 'support@acme.example',
  is_default: true,
  smtp: { host: '127.0.0.1', port: 25, tls: 'none' },
  imap: { host: '127.0.0.1', port: 143, tls: 'none', user: 'support', password_env: 'DEALBOX_TEST_PASSWORD' },
}

/** Replaces the mailboxes of org A; returns them by key. */
export function setMailboxes(
  { store, deps, a }: Pick<TestServer, 'store' | 'deps' | 'a'>,
  mailboxes: Record<string, unknown>[] = [SUPPORT],
): Record<string, Mailbox> {
  process.env.DEALBOX_TEST_PASSWORD ??= 'secret'
  applySettings(store, a.org, { mailboxes })
  return Object.fromEntries(
    mailboxStore(deps)
      .active()
      .filter(({ org }) => org === a.org)
      .map(({ mailbox }) => [mailbox.key, mailbox]),
  )
}

let count = 0

/** Returns a parsed mail, by default from a new sender. */
export function mailIn(given: Partial<MailIn> = {}): MailIn {
  const n = ++count
  const mail: Omit<MailIn, 'digest'> = {
    messageId: `<mail${n}@firm.example>`,
    inReplyTo: [],
    references: [],
    from: { email: `writer${n}@firm.example`, name: `Writer ${n}` },
    replyTo: null,
    to: [{ email: SUPPORT.address, name: null }],
    cc: [],
    deliveredTo: [],
    subject: `Question ${n}`,
    date: null,
    text: `Hello, this is question ${n}.`,
    html: null,
    files: [],
    automatic: null,
    lists: [],
    isPassedOn: false,
    report: null,
    hasNoSender: null,
    forwarded: null,
    isFromServer: false,
    invitations: [],
    trace: [],
    notes: [],
    ...given,
  }
  const digest = createHash('sha256')
    .update(JSON.stringify([mail.from, mail.subject, mail.text]))
    .digest('base64url')
  return { digest, ...mail, ...(given.digest ? { digest: given.digest } : {}) }
}
