import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import { type PostForm, providerPost } from '../../lib/mail/oauth/post-form.ts'
import { OAuthRefusal, refreshed } from '../../lib/mail/oauth/tokens.ts'
import type { ImapServer, MailServer } from '../../lib/mail/transport/server.ts'
import { Problem } from '../../lib/problem.ts'
import type { Write } from '../../store/commit.ts'
import { type AccessToken, type Claim, grantStore } from './grants.ts'
import type { Mailbox, Side } from './mailbox.ts'
import { mailboxStore } from './mailboxes.ts'
import { clientOf } from './oauth.ts'
import { mailboxSecrets } from './settings-secrets.ts'

export type LoginOptions = {
  deps: Deps
  write: Write
  post?: PostForm
  /** Waits for another process that renews the same grant. */
  wait?: (ms: number) => Promise<unknown>
}

export type Logins = ReturnType<typeof mailLogins>

/** Longer than the provider has to answer. */
const LEASE_MS = 60_000
const WAIT_MS = 250
/** A token that is rejected so soon was not revoked: the server refuses for another reason, and a new one would not help. */
const FRESH_MS = 300_000

/** The servers of mailboxes with all that a login needs; access tokens are renewed in time. */
export function mailLogins({ deps, write, post = providerPost(), wait = pause }: LoginOptions) {
  const { clock } = deps
  const mailboxes = mailboxStore(deps)
  const grants = grantStore(deps)
  const secrets = mailboxSecrets(deps)
  const renewals = new Map<string, Promise<AccessToken>>()
  /** By mailbox, the token that its server rejected. */
  const rejected = new Map<string, string>()
  let isStopping = false

  /** Rejects with Problem if there is no password, or if somebody has to sign in first: see `isNotConnected`. */
  async function smtpServer(org: number, mailbox: Mailbox): Promise<MailServer> {
    return withLogin(org, mailbox, 'smtp', mailboxes.smtpServer(org, mailbox))
  }

  async function imapServer(org: number, mailbox: Mailbox): Promise<ImapServer> {
    return withLogin(org, mailbox, 'imap', mailboxes.imapServer(org, mailbox))
  }

  async function withLogin<Server extends MailServer>(
    org: number,
    mailbox: Mailbox,
    side: Side,
    { accessToken, ...server }: Server,
  ): Promise<Server> {
    const onPlain = (offersTls: boolean) => notePlain(org, mailbox, side, offersTls)
    const login = accessToken && { accessToken: await loginOf(org, mailbox) }
    return { ...server, ...login, onPlain } as Server
  }

  /** Stores whether a server offers to encrypt; a failure to do so must not end the connection. */
  function notePlain(org: number, { id }: Mailbox, side: Side, offersTls: boolean): void {
    const name = `${side}_offers_tls` as const
    if (mailboxes.state(org, id)[name] === Number(offersTls)) return
    write(() => void mailboxes.saveState(org, id, { [name]: Number(offersTls) })).catch(() => undefined)
  }

  async function loginOf(org: number, mailbox: Mailbox): Promise<NonNullable<MailServer['accessToken']>> {
    const { text, renewAt, issuedAt } = await tokenOf(org, mailbox)

    function onRejected(): void {
      if (clock.now() - issuedAt >= FRESH_MS) rejected.set(keyOf(org, mailbox), text)
    }
    return { text, renewAt, onRejected }
  }

  async function tokenOf(org: number, mailbox: Mailbox): Promise<AccessToken> {
    const known = usable(org, mailbox)
    if (known && clock.now() < known.renewAt) return known
    const key = keyOf(org, mailbox)
    const renewal = renewals.get(key) ?? renew(org, mailbox).finally(() => renewals.delete(key))
    renewals.set(key, renewal)
    try {
      return await renewal
    } catch (error) {
      const still = usable(org, mailbox)
      if (still && clock.now() < still.endsAt) return still // the provider has a while to come back
      throw error
    }
  }

  function usable(org: number, mailbox: Mailbox): AccessToken | undefined {
    const token = grants.accessToken(org, mailbox)
    return token && token.text !== rejected.get(keyOf(org, mailbox)) ? token : undefined
  }

  async function renew(org: number, mailbox: Mailbox): Promise<AccessToken> {
    for (let waited_ms = 0; waited_ms < LEASE_MS; waited_ms += WAIT_MS) {
      if (isStopping) throw new Problem(503, 'stopping', 'The server is shutting down.')
      const claim = await claimed(org, mailbox)
      if (claim !== 'busy') return 'text' in claim ? claim : renewBy(claim, org, mailbox)
      await wait(WAIT_MS)
    }
    throw new Problem(503, 'renewal_busy', `Another process renews the access to "${mailbox.key}". Try again later.`)
  }

  /** The token if another process has renewed it meanwhile, else the claim. */
  async function claimed(org: number, mailbox: Mailbox): Promise<AccessToken | Claim> {
    let claim: AccessToken | Claim = 'busy'
    await write(() => {
      const now = usable(org, mailbox)
      claim = now && clock.now() < now.renewAt ? now : grants.claim(org, mailbox, LEASE_MS)
      return null
    })
    return claim
  }

  async function renewBy(claim: Exclude<Claim, 'busy'>, org: number, mailbox: Mailbox): Promise<AccessToken> {
    try {
      const tokens = await refreshed(clientOf(mailbox, secrets.clientSecret(org, mailbox)), claim.refresh, post)
      await write(() => void grants.renewed(org, mailbox, claim, tokens))
    } catch (error) {
      if (!(error instanceof OAuthRefusal)) {
        await write(() => void grants.release(org, mailbox, claim))
        throw error
      }
      await write(() => {
        if (error.isFinal) grants.refused(org, mailbox, claim, error.said)
        else grants.release(org, mailbox, claim)
        return null
      })
      grants.check(org, mailbox) // throws if it was final
      throw error
    }
    rejected.delete(keyOf(org, mailbox))
    const token = grants.accessToken(org, mailbox)
    if (token) return token
    throw new Problem(409, 'settings_changed', `The settings of the mailbox "${mailbox.key}" have changed.`)
  }

  /**
   * Begins no further renewal, and waits for the running ones, for as long as a provider has to answer: a new refresh
   * token that is not stored would be lost.
   */
  async function stop(): Promise<void> {
    isStopping = true
    await Promise.allSettled(renewals.values())
  }

  return { smtpServer, imapServer, stop }
}

const keyOf = (org: number, { id }: Mailbox): string => `${org} ${id}`
