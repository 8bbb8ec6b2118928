import assert from 'node:assert/strict'
import type { Random } from '../../../src/demo/story/random.ts'
import type { Database } from '../../../src/store/sqlite/driver.ts'
import { startDovecot } from '../../support/dovecot.ts'
import { type Ends, startSmtp } from '../../support/smtp.ts'
import type { Place } from './place.ts'

/** The environment variable in which servers find the password of the mailbox. */
const PASSWORD = 'DEALBOX_KILLS_PASSWORD'

const LONGEST_PAUSE_MS = 300
/** Of so many mails, one has a file of some 300 KB. */
const WITH_FILE = 15

export type MailServers = Awaited<ReturnType<typeof mailServers>>

/** An IMAP server, to which mails come all the time, also while nobody fetches them, and an SMTP server. */
export async function mailServers(ends: Ends, random: Random) {
  const imap = await startDovecot(ends)
  const smtp = await startSmtp(ends)
  const user = imap.user
  const delivered: string[] = []
  let timer: NodeJS.Timeout | undefined
  process.env[PASSWORD] = imap.password

  function deliver(): void {
    const id = `<in-${delivered.length}@firm.example>`
    imap.deliver(source(id, user, delivered.length), { user })
    delivered.push(id)
    timer = setTimeout(deliver, random.int(LONGEST_PAUSE_MS))
  }

  return {
    delivered,
    sent: smtp.mails,
    settings: {
      ...{ key: 'main', name: 'Acme', address: user, is_default: true },
      smtp: { host: '127.0.0.1', port: smtp.server.port, tls: 'none' },
      imap: {
        ...{ host: '127.0.0.1', port: imap.port, tls: 'none', user, save_sent: true },
        password_env: PASSWORD,
      },
    },
    begin: deliver,
    end: () => clearTimeout(timer),
  }
}

function source(id: string, to: string, n: number): string {
  const head = [
    `From: Writer ${n % 50} <writer${n % 50}@firm.example>`,
    `To: ${to}`,
    `Message-ID: ${id}`,
    `Date: ${new Date().toUTCString()}`,
    `Subject: Question ${n}`,
    'MIME-Version: 1.0',
  ]
  if (n % WITH_FILE !== 0) return [...head, '', `Where is order ${n}?`, ''].join('\r\n')
  const file = Buffer.alloc(300_000, `order ${n} `).toString('base64').replace(/.{76}/g, '$&\r\n')
  const parts = [
    ['Content-Type: text/plain', '', `Where is order ${n}?`],
    [`Content-Type: application/pdf; name="order-${n}.pdf"`, 'Content-Transfer-Encoding: base64', '', file],
  ]
  const body = parts.flatMap((part) => ['--part', ...part])
  return [...head, 'Content-Type: multipart/mixed; boundary=part', '', ...body, '--part--', ''].join('\r\n')
}

/** How many mails are left to fetch and to send. */
export function mailsLeft(db: Database, { org }: Place, { delivered }: MailServers): [number, number] {
  const count = (condition: string) =>
    db.prepare(`SELECT count(*) FROM messages WHERE org_id = ? AND ${condition}`).pluck().get(org.org) as number
  return [delivered.length - count("direction = 'inbound'"), count("status = 'queued'")]
}

type Message = { id: string; direction: string; status: string; error: string | null; external_id: string }

/**
 * Each mail that came is there once, and each that was to be sent was sent: twice only if the message says so. After
 * three attempts with an unknown result it is not sent again, and says so.
 */
export function checkMail(db: Database, { org }: Place, { delivered, sent }: MailServers) {
  const all = db
    .prepare('SELECT id, direction, status, error, external_id FROM messages WHERE org_id = ?')
    .all(org.org) as Message[]
  const inbound = all.filter(({ direction }) => direction === 'inbound')
  assert.deepEqual(inbound.map((each) => each.external_id).sort(), delivered.toSorted(), 'received mails')
  const state = db.prepare('SELECT imported, rejected, pending FROM mailbox_states WHERE org_id = ?').get(org.org)
  assert.deepEqual({ ...(state as object) }, { imported: delivered.length, rejected: 0, pending: 0 })

  const came = Map.groupBy(
    sent.map(({ source }) => /^message-id: (<.+>)/im.exec(String(source))?.[1] ?? ''),
    (id) => id,
  )
  let givenUp = 0
  for (const { id, status, error, external_id } of all.filter(({ direction }) => direction === 'outbound')) {
    const times = came.get(external_id)?.length ?? 0
    came.delete(external_id)
    if (status === 'failed' && /^It may have arrived: 3 times/.test(error ?? '')) givenUp++
    else {
      assert.equal(status, 'sent', `${id}: ${error}`)
      assert.ok(times >= 1, `message ${id} is on record as sent, and never came`)
      if (times > 1) assert.match(error ?? '', /may have arrived twice/, `message ${id} came ${times} times`)
    }
  }
  assert.deepEqual([...came.keys()], [], 'nothing came that is not on record')
  return { received: inbound.length, sent: all.length - inbound.length, sent_twice: twiceIn(sent), given_up: givenUp }
}

const twiceIn = (sent: MailServers['sent']): number =>
  sent.length - new Set(sent.map(({ source }) => /^message-id: (<.+>)/im.exec(String(source))?.[1])).size
