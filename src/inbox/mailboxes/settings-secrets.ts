import { type FieldError, field } from '../../lib/problem.ts'
import type { Store } from '../../store/open.ts'
import { type Endpoint, type Mailbox, type Side, secretPurpose } from './mailboxes.ts'
import { readPassword } from './passwords.ts'

export const SIDES = ['smtp', 'imap'] as const

/** The sealed passwords of a mailbox; null if there is none. */
export type Secrets = Record<Side, string | null>

/** The passwords that the sources contain; without the sides that have no source, or whose source is gone. */
export type Passwords = Partial<Record<Side, string>>

type Sides = Pick<Mailbox, Side>

const NONE: Secrets = { smtp: null, imap: null }

export function mailboxSecrets({ db, vault }: Pick<Store, 'db' | 'vault'>) {
  const select = db.prepare(
    'SELECT smtp_secret AS smtp, imap_secret AS imap FROM mailboxes WHERE org_id = ? AND id = ?',
  )
  const update = db.prepare('UPDATE mailboxes SET smtp_secret = ?, imap_secret = ? WHERE org_id = ? AND id = ?')

  const of = (org: number, id: string | undefined): Secrets =>
    id === undefined ? NONE : ((select.get(org, id) as Secrets | undefined) ?? NONE)

  const keep = (org: number, id: string, { smtp, imap }: Secrets): void => void update.run(smtp, imap, org, id)

  /**
   * Reads the sources. A missing source is not a fault if its password is already stored: the stored one stays, even if
   * the settings are applied on a machine that does not have the source.
   */
  function read(
    wanted: Sides,
    before: Mailbox | undefined,
    stored: Secrets,
    pointer: string,
  ): { passwords: Passwords; errors: FieldError[] } {
    const passwords: Passwords = {}
    const errors: FieldError[] = []
    for (const side of SIDES) {
      const found = wanted[side] && readPassword(wanted[side])
      if (!found) continue
      if ('password' in found) passwords[side] = found.password
      else if (stored[side] === null || !isSameSource(before?.[side], wanted[side])) {
        errors.push(field(`${pointer}/${side}/${found.field}`, 'no_password', found.fault))
      }
    }
    return { passwords, errors }
  }

  /** Returns what to store: the password that was read, else the stored one; null if no login is needed. */
  function renewed(id: string, wanted: Sides, passwords: Passwords, stored: Secrets): Secrets {
    const of = (side: Side): string | null => {
      if (!wanted[side] || wanted[side].user === null) return null
      const password = passwords[side]
      return password === undefined ? stored[side] : sealed(id, side, password, stored[side])
    }
    return { smtp: of('smtp'), imap: of('imap') }
  }

  /** Keeps the stored value if the password is the same: sealed again, it would look different. */
  function sealed(id: string, side: Side, password: string, stored: string | null): string {
    const purpose = secretPurpose(id, side)
    return stored !== null && opened(purpose, stored) === password ? stored : vault.seal(purpose, password)
  }

  /** Returns undefined if the key is lost; setting the password again repairs that. */
  function opened(purpose: string, stored: string): string | undefined {
    try {
      return vault.open(purpose, stored)
    } catch {
      return undefined
    }
  }

  return { of, keep, read, renewed }
}

function isSameSource(before: Endpoint | null | undefined, wanted: Endpoint | null): boolean {
  return before?.password_env === wanted?.password_env && before?.password_file === wanted?.password_file
}

/** What a change shows of passwords: that one is stored, or that it was replaced. */
export const SECRET_FIELDS = ['smtp.password', 'imap.password']

/** Both sides of a change of passwords, for `changesOf`. */
export function shownSecrets(before: Secrets, after: Secrets): { from: object; to: object } {
  const told = (side: Side): string | null =>
    after[side] === null ? null : before[side] === null || before[side] === after[side] ? 'stored' : 'another one'
  return {
    from: { 'smtp.password': before.smtp && 'stored', 'imap.password': before.imap && 'stored' },
    to: { 'smtp.password': told('smtp'), 'imap.password': told('imap') },
  }
}
