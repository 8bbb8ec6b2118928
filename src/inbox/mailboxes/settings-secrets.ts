import { type FieldError, field } from '../../lib/problem.ts'
import type { Store } from '../../store/open.ts'
import { type Endpoint, type Mailbox, type Side, secretPurpose } from './mailboxes.ts'
import { readPassword } from './passwords.ts'

export const SIDES = ['smtp', 'imap'] as const

/** The passwords of a mailbox, sealed; null where there is none. */
export type Secrets = Record<Side, string | null>

/** What the sources of a mailbox hold; without the sides that have none, or none any more. */
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
   * Reads the sources. One that is gone is no fault where its password is stored already: that stays, also where the
   * settings are applied by hand on a machine that knows nothing of it.
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

  /** What is to be kept: what was read, else what is there; and nothing where nobody logs in. */
  function renewed(id: string, wanted: Sides, passwords: Passwords, stored: Secrets): Secrets {
    const of = (side: Side): string | null => {
      if (!wanted[side] || wanted[side].user === null) return null
      const password = passwords[side]
      return password === undefined ? stored[side] : sealed(id, side, password, stored[side])
    }
    return { smtp: of('smtp'), imap: of('imap') }
  }

  /** What is stored already where it is the same password: sealed anew it would look like another one. */
  function sealed(id: string, side: Side, password: string, stored: string | null): string {
    const purpose = secretPurpose(id, side)
    return stored !== null && opened(purpose, stored) === password ? stored : vault.seal(purpose, password)
  }

  /** Undefined where the key is lost, which a password that is given again mends. */
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

/** What a change tells of the passwords: that there is one, and that it is another one. */
export const SECRET_FIELDS = ['smtp.password', 'imap.password']

/** Both sides of such a change, for `changesOf`. */
export function shownSecrets(before: Secrets, after: Secrets): { from: object; to: object } {
  const told = (side: Side): string | null =>
    after[side] === null ? null : before[side] === null || before[side] === after[side] ? 'stored' : 'another one'
  return {
    from: { 'smtp.password': before.smtp && 'stored', 'imap.password': before.imap && 'stored' },
    to: { 'smtp.password': told('smtp'), 'imap.password': told('imap') },
  }
}
