import * as v from 'valibot'
import { command, json, org } from '../../../command/command.ts'
import { askSecret } from '../../../command/prompt.ts'
import { aligned, oneLine } from '../../../command/text.ts'
import { caOption } from '../../../command/trust.ts'
import type { Deps } from '../../../deps.ts'
import * as f from '../../../lib/fields.ts'
import type { MailOut } from '../../../lib/mail/mail.ts'
import { OAuthRefusal } from '../../../lib/mail/oauth/tokens.ts'
import type { Failure } from '../../../lib/mail/transport/error-messages.ts'
import { Problem, usage } from '../../../lib/problem.ts'
import { MINUTE_MS, rfc3339 } from '../../../lib/time.ts'
import type { Store } from '../../../store/open.ts'
import { type Logins, mailLogins } from '../access-tokens.ts'
import type { Mailbox, Side } from '../mailbox.ts'
import { mailboxStore } from '../mailboxes.ts'
import { passwordFault } from '../passwords.ts'
import { plainWarning } from '../plain-text.ts'
import { mailboxSettings } from '../settings.ts'
import { type MailboxReport, mailboxReports } from './mailbox-report.ts'

const mailbox = { mailbox: 'the key of a mailbox, as shown by "dealbox mailbox list"' }

/** The time limit of --send-to; the mail servers have their own timeouts. */
const SEND_MS = MINUTE_MS

export const mailboxList = command({
  name: 'mailbox list',
  summary: 'List the mailboxes of an organisation and their state',
  options: { org, json },
  run: ({ openOrg }) =>
    openOrg((store, org, deps) => {
      const all = mailboxReports(store, org, deps)
      return { json: all, text: all.length === 0 ? 'There are no mailboxes.' : all.map(reportText).join('\n') }
    }),
})

function reportText(report: MailboxReport): string {
  const { key, address, aliases, suggested_aliases, is_default, member, sending, receiving } = report
  const uses = [...(is_default ? ['default'] : []), ...(member === null ? [] : [`of ${member}`])]
  const { imported, skipped, rejected, missing } = receiving
  const left = missing === 0 ? '' : `, ${missing} missing: see "dealbox mailbox errors"`
  const listens = !['not_set_up', 'deactivated'].includes(receiving.status)
  return [
    [key, address, ...uses].join('  '),
    `  sending    ${oneLine(sending.text)}`,
    `  receiving  ${oneLine(receiving.text)}`,
    ...(listens ? [`             ${imported} imported, ${skipped} skipped, ${rejected} rejected${left}`] : []),
    ...(aliases.length === 0 ? [] : [`  aliases    ${oneLine(aliases.join(', '), 500)}`]),
    ...(suggested_aliases.length === 0 ? [] : [`  missing?   ${oneLine(suggestionOf(suggested_aliases), 500)}`]),
    ...[sending, receiving].flatMap(({ warning }) => (warning === null ? [] : [`  warning    ${oneLine(warning)}`])),
  ].join('\n')
}

function suggestionOf(suggested: MailboxReport['suggested_aliases']): string {
  const named = suggested.map(({ address, mails }) => `${address} (${mails} ${mails === 1 ? 'mail' : 'mails'})`)
  return `Mails also come to ${named.join(', ')}. If they are yours, add them to "aliases" in the settings.`
}

export const mailboxErrors = command({
  name: 'mailbox errors',
  summary: 'List the last 100 mails that could not be imported, with the reasons',
  options: { mailbox: { type: 'string', placeholder: 'KEY', help: 'only mails of this mailbox' }, org, json },
  run: ({ options, openOrg }) =>
    openOrg((store, number, deps) => {
      const { all, byKey } = mailboxSettings(store)
      const id = options.mailbox === undefined ? undefined : byKey(number, options.mailbox).id
      const keys = new Map(all(number).map((each) => [each.id, each.key]))
      const rejected = mailboxStore(deps)
        .rejectedMails(number, id)
        .map(({ mailbox_id, at, ...rest }) => ({ ...rest, mailbox: keys.get(mailbox_id) as string, at: rfc3339(at) }))
      const rows = rejected.map(({ at, mailbox, sender, subject, error }) => [
        at,
        mailbox,
        oneLine(sender ?? 'unknown', 40),
        oneLine(subject ?? 'no subject', 40),
        oneLine(error),
      ])
      const text = aligned([['AT', 'MAILBOX', 'FROM', 'SUBJECT', 'ERROR'], ...rows])
      return { json: rejected, text: rows.length === 0 ? 'No mail was rejected.' : text }
    }),
})

type Check = { side: Side | 'mail'; ok: boolean; text: string; warning: string | null }

export const mailboxTest = command({
  name: 'mailbox test',
  summary: 'Check the connection of a mailbox: exit code 0 if it works, otherwise 1',
  args: mailbox,
  options: {
    sendTo: { type: 'string', placeholder: 'ADDRESS', help: 'also send a short test mail to this address' },
    ...caOption,
    org,
    json,
  },
  run: async ({ options, args, openOrg }) => {
    const { sendTo } = options
    if (sendTo !== undefined && !v.is(f.email, sendTo))
      throw usage(`--send-to is "${sendTo}", which is not an email address.`)
    const checks = await openOrg(async (store, org, deps) => {
      const tried = { store, deps, org, mailbox: mailboxSettings(store).byKey(org, args.mailbox) }
      const servers = [await checkSending(tried), await checkReceiving(tried)]
      return sendTo === undefined || !servers[0]?.ok ? servers : [...servers, await trySending(tried, sendTo)]
    })
    const text = checks
      .flatMap(({ side, text, warning }) => [
        `${side.toUpperCase()}: ${oneLine(text)}`,
        ...(warning === null ? [] : [`Warning: ${oneLine(warning)}`]),
      ])
      .join('\n')
    if (checks.every(({ ok }) => ok)) return { json: { checks }, text }
    throw new Problem(502, 'mailbox_fails', text, { more: { checks } })
  },
})

type Tried = { store: Store; deps: Deps; org: number; mailbox: Mailbox }

const loginsOf = ({ store: { write }, deps }: Tried): Logins => mailLogins({ deps, write })

async function checkSending(tried: Tried): Promise<Check> {
  const { checkSmtp } = await import('../../../lib/mail/transport/smtp.ts')
  const { org, mailbox } = tried
  const { host, port } = mailbox.smtp
  const { smtpServer } = loginsOf(tried)
  const checked = await check('smtp', `${host}:${port} accepts mails.`, async () =>
    checkSmtp(await smtpServer(org, mailbox)),
  )
  return withWarning(tried, 'smtp', checked)
}

/** Adds what the connection has shown. */
async function withWarning({ store, deps, org, mailbox }: Tried, side: Side, checked: Check): Promise<Check> {
  await store.write(() => null) // after what the connection has written
  const state = mailboxStore(deps).state(org, mailbox.id)
  return { ...checked, warning: plainWarning(mailbox, side, state) ?? null }
}

async function checkReceiving(tried: Tried): Promise<Check> {
  const { org, mailbox } = tried
  if (!mailbox.imap) return { side: 'imap', ok: true, text: 'not set up: no mail is received.', warning: null }
  const { checkImap } = await import('../../../lib/mail/transport/imap.ts')
  const { host, port, folder } = mailbox.imap
  const { imapServer } = loginsOf(tried)
  const checked = await check('imap', `${host}:${port} shows "${folder}".`, async () =>
    checkImap(await imapServer(org, mailbox)),
  )
  return withWarning(tried, 'imap', checked)
}

async function trySending(tried: Tried, to: string): Promise<Check> {
  const [{ smtpClient }, { composeMail }, { newMessageId }] = await Promise.all([
    import('../../../lib/mail/transport/smtp.ts'),
    import('../../../lib/mail/transport/compose.ts'),
    import('../../../lib/mail/message-id.ts'),
  ])
  const { org, mailbox } = tried
  const { clock } = tried.store
  const { smtpServer } = loginsOf(tried)
  return check('mail', `sent to ${to}.`, async () => {
    const client = smtpClient(await smtpServer(org, mailbox))
    try {
      const source = await composeMail(shortMail(mailbox, to, newMessageId(clock.id(), mailbox.address), clock.now()))
      const sent = await client.send({ from: mailbox.address, to: [to], source }, AbortSignal.timeout(SEND_MS))
      return sent.outcome === 'sent' ? null : sent.error
    } finally {
      client.close()
    }
  })
}

const shortMail = ({ key, name, address }: Mailbox, to: string, messageId: string, date: number): MailOut => ({
  messageId,
  date,
  from: { email: address, name },
  replyTo: null,
  to: [{ email: to, name: null }],
  cc: [],
  bcc: [],
  subject: `Test of the mailbox ${key}`,
  inReplyTo: null,
  references: [],
  text: `This mail shows that Dealbox can send from ${address}. You do not need to do anything.\n`,
  html: null,
  files: [],
  headers: { 'Auto-Submitted': 'auto-generated' },
})

/** Runs a check: `job` returns an error message, or null. A missing password also counts as an error. */
async function check(side: Check['side'], well: string, job: () => Promise<string | null>): Promise<Check> {
  try {
    const fault = await job()
    return { side, ok: fault === null, text: fault ?? well, warning: null }
  } catch (error) {
    const isSaid = error instanceof Problem || error instanceof OAuthRefusal || (error as Failure).isSentence
    if (isSaid) return { side, ok: false, text: (error as Error).message, warning: null }
    throw error
  }
}

export const mailboxPassword = command({
  name: 'mailbox password',
  summary:
    'Store the password of a mailbox, from standard input or a prompt: for SMTP and IMAP, or only for one of them',
  args: mailbox,
  options: {
    smtp: { type: 'boolean', help: 'only for SMTP' },
    imap: { type: 'boolean', help: 'only for IMAP' },
    mailboxPassword: {
      type: 'string',
      secret: true,
      placeholder: 'TEXT',
      help: 'the password, for scripts; better by DEALBOX_MAILBOX_PASSWORD_FILE, since others see command lines',
    },
    org,
    json,
  },
  audit: 'mailbox.password_set',
  run: async ({ options, args, write, openOrg }) => {
    const { smtp, imap } = options
    const only = smtp === imap ? undefined : smtp ? 'smtp' : 'imap'
    return openOrg(async (store, number) => {
      const settings = mailboxSettings(store)
      const sides = settings.passwordSides(settings.byKey(number, args.mailbox), only) // before anyone types
      const names = sides.map((side) => side.toUpperCase()).join(' and ')
      const say = (text: string) => void process.stderr.write(text)
      const question = `Password of "${args.mailbox}" for ${names}: `
      const password = options.mailboxPassword ?? (await askSecret(question, process.stdin, say))
      const fault = passwordFault(password)
      if (fault) throw new Problem(422, 'invalid_password', `The password ${fault}.`)
      return write(store, () => {
        settings.setPassword(number, args.mailbox, password, only)
        return {
          json: { mailbox: args.mailbox, sides },
          text: `The password of "${args.mailbox}" for ${names} is stored. To check it, use "dealbox mailbox test ${args.mailbox}".`,
          audit: { detail: { mailbox: args.mailbox, sides } },
        }
      })
    })
  },
})
