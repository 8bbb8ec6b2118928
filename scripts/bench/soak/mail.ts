import { startDovecot } from '../../../test/support/dovecot.ts'
import { type Ends, startSmtp } from '../../../test/support/smtp.ts'
import type { ShortDays } from './clock.ts'

const ADDRESS = 'team@example.com'
const PEOPLE = 300
const ANSWERED = 0.3
const WEEK_MS = 7 * 86_400_000

/** A mailbox on Dovecot and a server that takes the mails out, some of which are answered; and mails that come in. */
export async function startMail(ends: Ends, clock: ShortDays) {
  const dovecot = await startDovecot(ends)
  const counts = { taken: 0, delivered: 0 }
  const smtp = await startSmtp(ends, { data: take })

  function take(source: Buffer): undefined {
    counts.taken++
    const head = source.toString('latin1', 0, 8192)
    const field = (name: string) => new RegExp(`^${name}: *(.+)$`, 'im').exec(head)?.[1]?.trim()
    const from = /[^\s<>,]+@[^\s<>,]+/.exec(field('to') ?? '')?.[0]
    const [id, subject] = [field('message-id'), field('subject')]
    if (from && id && Math.random() < ANSWERED)
      setTimeout(
        () => deliver({ from, subject: `Re: ${subject}`, text: 'Yes, please go on.', more: [`In-Reply-To: ${id}`] }),
        2000 + Math.random() * 20_000,
      ).unref()
  }

  type Mail = { from: string; subject: string; text: string; more?: string[]; parts?: string[][] }

  function deliver({ from, subject, text, more = [], parts = [] }: Mail): void {
    const isWhole = parts.length === 0
    const n = ++counts.delivered
    const type = isWhole ? 'text/plain; charset=utf-8' : 'multipart/mixed; boundary=part'
    const body = isWhole
      ? [text]
      : [['Content-Type: text/plain', '', text], ...parts].flatMap((part) => ['--part', ...part]).concat('--part--')
    const lines = [
      `From: ${from}`,
      `To: ${ADDRESS}`,
      `Subject: ${subject}`,
      `Date: ${new Date(clock.now()).toUTCString()}`,
      `Message-ID: <soak${n}@people.example>`,
      'MIME-Version: 1.0',
      `Content-Type: ${type}`,
      ...more,
      '',
      ...body,
      '',
    ]
    dovecot.deliver(lines.join('\r\n'))
  }

  let count = 0
  /** Of a customer: mostly text; some with a file, and some an invitation, which a thread of the server reads. */
  function write(): void {
    const n = ++count
    const mail = {
      from: `Person ${n % PEOPLE} <person${n % PEOPLE}@people.example>`,
      subject: `Question ${n}`,
      text: `Hello, this is about order ${n}. When will it arrive?`,
    }
    const parts = n % 15 === 0 ? [file(n)] : n % 12 === 0 ? [invitation(n, clock.now() + WEEK_MS)] : []
    deliver({ ...mail, parts })
  }

  const { host, port } = smtp.server
  return {
    counts,
    write,
    /** SMTP keeps what it took. */
    forget: () => smtp.mails.splice(0),
    mailbox: {
      ...{ key: 'team', name: 'Team', address: ADDRESS, is_default: true },
      smtp: { host, port, tls: 'none' },
      imap: {
        ...{ host: dovecot.host, port: dovecot.port, tls: 'none', user: dovecot.user },
        ...{ password_env: 'DEALBOX_BENCH_IMAP', import_since: '2020-01-01' },
      },
    },
    env: { DEALBOX_BENCH_IMAP: dovecot.password },
  }
}

/** One of few files, which the server keeps once each. */
const file = (n: number): string[] => [
  'Content-Type: application/pdf; name=plan.pdf',
  'Content-Disposition: attachment; filename=plan.pdf',
  'Content-Transfer-Encoding: base64',
  '',
  ...(Buffer.alloc(90_000, `plan ${n % 5} `)
    .toString('base64')
    .match(/.{1,76}/g) as string[]),
]

/** Few meetings, which change again and again. */
function invitation(n: number, at: number): string[] {
  const time = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
  const from = `mailto:person${n % PEOPLE}@people.example`
  return [
    'Content-Type: text/calendar; charset=utf-8; method=REQUEST',
    '',
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Soak//EN',
    'METHOD:REQUEST',
    'BEGIN:VEVENT',
    `UID:meeting${n % PEOPLE}@people.example`,
    `DTSTAMP:${time(at - WEEK_MS)}`,
    `DTSTART:${time(at)}`,
    `DTEND:${time(at + 3_600_000)}`,
    `SEQUENCE:${n}`,
    `ORGANIZER:${from}`,
    `ATTENDEE;PARTSTAT=ACCEPTED:${from}`,
    `ATTENDEE;RSVP=TRUE:mailto:${ADDRESS}`,
    `SUMMARY:Meeting ${n % PEOPLE}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ]
}
