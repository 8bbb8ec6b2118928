import { setTimeout as pause } from 'node:timers/promises'
import { command, json, org } from '../../../command/command.ts'
import { askSecret, type Input } from '../../../command/prompt.ts'
import { oneLine } from '../../../command/text.ts'
import { caOption } from '../../../command/trust.ts'
import { tokensOfVisit, visitOf } from '../../../lib/mail/oauth/browser.ts'
import { askForCode, type DeviceOptions, tokensOfDevice } from '../../../lib/mail/oauth/device.ts'
import { providerPost } from '../../../lib/mail/oauth/post-form.ts'
import type { OAuthClient } from '../../../lib/mail/oauth/provider.ts'
import { OAuthRefusal, type Tokens } from '../../../lib/mail/oauth/tokens.ts'
import type { Failure } from '../../../lib/mail/transport/error-messages.ts'
import { Problem } from '../../../lib/problem.ts'
import { DAY_MS } from '../../../lib/time.ts'
import type { Mailbox } from '../mailbox.ts'
import { clientOf } from '../oauth.ts'
import { mailboxSettings } from '../settings.ts'
import { mailboxSecrets } from '../settings-secrets.ts'

/** What the person has to open, for programs. */
type Task = { verification_url: string; user_code: string; expires_in_s: number } | { authorization_url: string }

type SignIn = DeviceOptions & { tell: (task: Task) => void; input: Input; say: (text: string) => void }

export const mailboxConnect = command({
  name: 'mailbox connect',
  summary: 'Sign in at the provider of a mailbox with OAuth: prints what to open there, and waits until it is done',
  args: { mailbox: 'the key of a mailbox, as shown by "dealbox mailbox list"' },
  options: {
    ...caOption,
    org,
    json: { ...json, help: 'print what to open as a line of JSON, and the result as another one' },
  },
  audit: 'mailbox.connected',
  run: async ({ options, args, write, open, openOrg }) => {
    // The store is closed while a person is at work, for up to a quarter of an hour.
    const { number, mailbox, client } = await openOrg((store, number) => {
      const mailbox = mailboxSettings(store).withOAuth(number, args.mailbox)
      return { number, mailbox, client: clientOf(mailbox, mailboxSecrets(store).clientSecret(number, mailbox)) }
    })
    const say = (text: string) => void (options.json || process.stderr.write(text))
    const tell = (task: Task) => void (options.json && process.stdout.write(`${JSON.stringify(task)}\n`))
    const tokens = await untilCanceled((signal) =>
      signIn(client, mailbox, {
        ...{ post: providerPost(), clock: { now: Date.now }, signal, tell, say, input: process.stdin },
        wait: (ms, signal) => pause(ms, undefined, { signal }),
      }),
    )
    const note = endOf(mailbox, tokens)
    return open((store) =>
      write(store, () => {
        mailboxSettings(store).connect(number, mailbox, tokens)
        return {
          json: { mailbox: mailbox.key, connected: true, access_ends_in_s: tokens.refreshLifetime_s },
          text: `"${mailbox.key}" is connected. To check it, use "dealbox mailbox test ${mailbox.key}".`,
          ...(note === undefined ? {} : { note }),
          audit: { detail: { mailbox: mailbox.key } },
        }
      }),
    )
  },
})

/** Has a person sign in; stores nothing. Rejects with Problem. */
export async function signIn(client: OAuthClient, mailbox: Mailbox, options: SignIn): Promise<Tokens> {
  try {
    return await (client.flow === 'device' ? byCode(client, options) : byAddress(client, mailbox, options))
  } catch (error) {
    if (options.signal.aborted) throw new Problem(400, 'canceled', 'The sign-in was canceled, and nothing was stored.')
    if (error instanceof OAuthRefusal) throw new Problem(502, error.code, oneLine(error.message))
    if ((error as Failure).isSentence) throw new Problem(502, 'no_provider', oneLine((error as Error).message))
    throw error
  }
}

async function byCode(client: OAuthClient, options: SignIn): Promise<Tokens> {
  const code = await askForCode(client, options)
  const { verificationUrl, userCode, lifetime_s } = code
  options.tell({ verification_url: verificationUrl, user_code: userCode, expires_in_s: lifetime_s })
  options.say(
    `Open this page on any device, and sign in as the owner of the mailbox:\n\n  ${verificationUrl}\n\nType this code there:\n\n  ${userCode}\n\nWaiting, for up to ${Math.ceil(lifetime_s / 60)} minutes. Ctrl-C cancels, and leaves nothing behind.\n`,
  )
  return tokensOfDevice(client, code, options)
}

async function byAddress(client: OAuthClient, mailbox: Mailbox, options: SignIn): Promise<Tokens> {
  const visit = visitOf(client, mailbox.imap?.user ?? mailbox.smtp.user ?? mailbox.address)
  options.tell({ authorization_url: visit.url })
  options.say(
    `Open this page in any browser, and sign in as the owner of the mailbox:\n\n  ${visit.url}\n\nThe last page will not open, since nobody listens there: that is intended. Copy its whole\naddress from the address bar of the browser.\n\n`,
  )
  const nothing = 'No address was entered, and nothing was stored.'
  const pasted = await askSecret(
    'Paste it here (it is not shown), and press Enter: ',
    options.input,
    options.say,
    nothing,
  )
  return tokensOfVisit(client, visit, pasted, options.post)
}

/** The first SIGINT or SIGTERM aborts. */
async function untilCanceled<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const cut = new AbortController()
  const cancel = () => cut.abort()
  process.once('SIGINT', cancel).once('SIGTERM', cancel)
  try {
    return await work(cut.signal)
  } finally {
    process.off('SIGINT', cancel).off('SIGTERM', cancel)
  }
}

/** What is known about the end of the access. */
function endOf({ oauth }: Mailbox, { refreshLifetime_s }: Tokens): string | undefined {
  const remedy = 'Publish your project there ("In production"), then connect again.'
  if (refreshLifetime_s !== null) {
    const days = Math.floor((refreshLifetime_s * 1000) / DAY_MS)
    return `The provider ends this access in ${days < 1 ? 'less than a day' : `about ${days} ${days === 1 ? 'day' : 'days'}`}.${oauth?.provider === 'google' ? ` ${remedy}` : ''}`
  }
  if (oauth?.provider !== 'google') return undefined
  return `If your project at Google is in testing, this access ends after seven days. ${remedy}`
}
