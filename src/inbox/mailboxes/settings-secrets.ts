import { type FieldError, field } from '../../lib/problem.ts'
import type { Store } from '../../store/open.ts'
import { type Mailbox, type Side, secretPurpose } from './mailbox.ts'
import { readSecret, type Source } from './passwords.ts'

export const SIDES = ['smtp', 'imap'] as const

/** What a mailbox has secrets for: the passwords of its servers, or its client at a provider of OAuth. */
type Owner = Side | 'oauth'
export const OWNERS = [...SIDES, 'oauth'] as const

/** The sealed secrets of a mailbox; null if there is none. */
export type Secrets = Record<Owner, string | null>

/** The secrets that the sources contain; without the owners that have no source, or whose source is gone. */
export type Read = Partial<Record<Owner, string>>

type Owners = Pick<Mailbox, Owner>

const NONE: Secrets = { smtp: null, imap: null, oauth: null }

export function mailboxSecrets({ db, vault }: Pick<Store, 'db' | 'vault'>) {
  const select = db.prepare(
    `SELECT smtp_secret AS smtp, imap_secret AS imap, oauth_secret AS oauth FROM mailboxes WHERE org_id = ? AND id = ?`,
  )
  const update = db.prepare(
    'UPDATE mailboxes SET smtp_secret = ?, imap_secret = ?, oauth_secret = ? WHERE org_id = ? AND id = ?',
  )

  const of = (org: number, id: string | undefined): Secrets =>
    id === undefined ? NONE : ((select.get(org, id) as Secrets | undefined) ?? NONE)

  const keep = (org: number, id: string, { smtp, imap, oauth }: Secrets): void =>
    void update.run(smtp, imap, oauth, org, id)

  /** The secret of a mailbox's client; null for a public one. Throws Problem if it cannot be read. */
  function clientSecret(org: number, { id }: Mailbox): string | null {
    const { oauth } = of(org, id)
    return oauth === null ? null : vault.open(secretPurpose(id, 'oauth'), oauth)
  }

  /**
   * Reads the sources. A missing source is not a fault if its secret is already stored: the stored one stays, even if the
   * settings are applied on a machine that does not have the source.
   */
  function read(
    wanted: Owners,
    before: Mailbox | undefined,
    stored: Secrets,
    pointer: string,
  ): { secrets: Read; errors: FieldError[] } {
    const secrets: Read = {}
    const errors: FieldError[] = []
    for (const owner of OWNERS) {
      const source = sourceOf(wanted, owner)
      const found = source && readSecret(source, owner === 'oauth' ? 'a client secret' : 'a password')
      if (!found) continue
      if ('secret' in found) secrets[owner] = found.secret
      else if (stored[owner] === null || !isSameSource(before && sourceOf(before, owner), source)) {
        const name = `${owner === 'oauth' ? 'client_secret' : 'password'}_${found.from}`
        errors.push(field(`${pointer}/${owner}/${name}`, 'no_password', found.fault))
      }
    }
    return { secrets, errors }
  }

  /** Returns what to store: the secret that was read, else the stored one; null if none is needed. */
  function renewed(id: string, wanted: Owners, secrets: Read, stored: Secrets): Secrets {
    const of = (owner: Owner): string | null => {
      if (!needsSecret(wanted, owner)) return null
      const secret = secrets[owner]
      return secret === undefined ? stored[owner] : sealed(id, owner, secret, stored[owner])
    }
    return { smtp: of('smtp'), imap: of('imap'), oauth: of('oauth') }
  }

  /** Keeps the stored value if the secret is the same: sealed again, it would look different. */
  function sealed(id: string, owner: Owner, secret: string, stored: string | null): string {
    const purpose = secretPurpose(id, owner)
    return stored !== null && opened(purpose, stored) === secret ? stored : vault.seal(purpose, secret)
  }

  /** Returns undefined if the key is lost; setting the password again repairs that. */
  function opened(purpose: string, stored: string): string | undefined {
    try {
      return vault.open(purpose, stored)
    } catch {
      return undefined
    }
  }

  return { of, keep, read, renewed, clientSecret }
}

function sourceOf({ smtp, imap, oauth }: Owners, owner: Owner): Source | undefined {
  if (owner === 'oauth') return oauth ? { env: oauth.client_secret_env, file: oauth.client_secret_file } : undefined
  const endpoint = owner === 'smtp' ? smtp : imap
  return endpoint ? { env: endpoint.password_env, file: endpoint.password_file } : undefined
}

/** The secret of a client comes from a source only; a password may also be typed. */
function needsSecret(wanted: Owners, owner: Owner): boolean {
  if (owner === 'oauth') return (wanted.oauth?.client_secret_env ?? wanted.oauth?.client_secret_file ?? null) !== null
  return wanted.oauth === null && wanted[owner] !== null && wanted[owner].user !== null
}

const isSameSource = (before: Source | undefined, wanted: Source | undefined): boolean =>
  before?.env === wanted?.env && before?.file === wanted?.file

/** What a change shows of secrets: that one is stored, or that it was replaced. */
export const SECRET_FIELDS = ['smtp.password', 'imap.password', 'oauth.client_secret']

/** Both sides of a change of secrets, for `changesOf`. */
export function shownSecrets(before: Secrets, after: Secrets): { from: object; to: object } {
  const told = (owner: Owner): string | null =>
    after[owner] === null ? null : before[owner] === null || before[owner] === after[owner] ? 'stored' : 'another one'
  const shown = (read: (owner: Owner) => string | null) =>
    Object.fromEntries(OWNERS.map((owner, index) => [SECRET_FIELDS[index], read(owner)]))
  return { from: shown((owner) => before[owner] && 'stored'), to: shown(told) }
}
