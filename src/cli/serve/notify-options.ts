import type { Options, Values } from '../../command/config/options.ts'
import { EMAIL_FORM } from '../../lib/email.ts'
import { usage } from '../../lib/problem.ts'

const OWNERS = 'owners'
const MOST_ADDRESSES = 20

/** The options of `serve` about who is told that the server needs somebody. */
export const notifyOptions = {
  notifyMail: {
    type: 'string',
    placeholder: 'WHO',
    default: OWNERS,
    help: 'who gets a mail when the server needs somebody, by a mailbox of the organisation: owners, addresses separated by commas, or off',
  },
  notifyUrl: {
    type: 'string',
    placeholder: 'URL',
    secret: true,
    help: 'a URL that is called then, such as a topic of ntfy; better by DEALBOX_NOTIFY_URL_FILE, since whoever knows it can often write there',
  },
  notifyToken: {
    type: 'string',
    placeholder: 'TOKEN',
    secret: true,
    help: 'a token that --notify-url wants, sent as a bearer token; better by DEALBOX_NOTIFY_TOKEN_FILE',
  },
} as const satisfies Options

export type NotifyOptions = { [Name in keyof typeof notifyOptions]?: Values<typeof notifyOptions>[Name] | undefined }

export type Notify = {
  /** Null if nobody gets mails. */
  mail: 'owners' | readonly string[] | null
  url: { url: string; token: string | undefined } | undefined
}

/** Throws a usage Problem. No message has the URL, which may be a secret. */
export function readNotify({ notifyMail = OWNERS, notifyUrl, notifyToken: token }: NotifyOptions): Notify {
  if (token !== undefined && !/^[\x21-\x7e]{1,4096}$/.test(token))
    throw usage('--notify-token must have letters, digits and signs only, without spaces.')
  if (token !== undefined && notifyUrl === undefined)
    throw usage('--notify-token is for --notify-url, which is missing.')
  return { mail: readMail(notifyMail), url: notifyUrl === undefined ? undefined : { url: readUrl(notifyUrl), token } }
}

function readMail(text: string): Notify['mail'] {
  if (text.trim() === 'off') return null
  if (text.trim() === OWNERS) return OWNERS
  const all = text.split(',').map((each) => each.trim())
  const wrong = all.find((each) => !EMAIL_FORM.is(each))
  if (wrong !== undefined)
    throw usage(`--notify-mail: "${wrong}" is not an email address. Use owners, addresses separated by commas, or off.`)
  if (all.length > MOST_ADDRESSES) throw usage(`--notify-mail may have ${MOST_ADDRESSES} addresses at most.`)
  return all
}

function readUrl(text: string): string {
  const parsed = URL.parse(text)
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol) || parsed.port === '0')
    throw usage('--notify-url must be a URL such as https://ntfy.example.com/dealbox.')
  if (parsed.username !== '' || parsed.password !== '')
    throw usage('--notify-url must not contain a user name or a password. Use --notify-token.')
  return parsed.href
}
