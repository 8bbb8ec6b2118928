import type { Database } from '../sqlite/driver.ts'
import type { Vault } from './vault.ts'

/** A stored secret: whose it is, and for which purpose it was sealed. */
type Sealed = { what: string; purpose: string; sealed: string }

/** All secrets that only the key of the vault opens, see `whileNothingIsSealed`. Replays of answers are left out. */
const ALL = [
  `SELECT 'the secret of the webhook ' || webhook_id AS what, 'webhook ' || webhook_id AS purpose, secrets AS sealed
   FROM webhook_states WHERE secrets <> ''`,
  mailboxSecret('SMTP password', 'smtp'),
  mailboxSecret('IMAP password', 'imap'),
  mailboxSecret('client secret', 'oauth'),
  `SELECT 'the sign-in of the mailbox ' || mailbox_id AS what, 'mailbox ' || mailbox_id || ' refresh token' AS purpose,
     refresh_token AS sealed FROM mailbox_grants`,
  `SELECT 'the second factor of the member ' || member_id AS what, 'second factor ' || member_id AS purpose, totp AS sealed
   FROM credentials WHERE totp IS NOT NULL`,
  `SELECT 'a key of the server ' || installation AS what, 'former key ' || installation || ' ' || purpose AS purpose,
     key AS sealed FROM former_signing_keys`,
]

function mailboxSecret(what: string, side: 'smtp' | 'imap' | 'oauth'): string {
  return `SELECT 'the ${what} of the mailbox "' || key || '"' AS what, 'mailbox ' || id || ' ${side}' AS purpose,
     ${side}_secret AS sealed FROM mailboxes WHERE ${side}_secret IS NOT NULL`
}

/** Enough to see whether a key fits. */
const SOME = 1000

/** Some of each kind. An older database has fewer tables and columns. */
export function someSealed(db: Database): Pick<Sealed, 'purpose' | 'sealed'>[] {
  return ALL.flatMap((each) => {
    try {
      return db.prepare(`${each} LIMIT ${SOME}`).all() as Sealed[]
    } catch (error) {
      if ((error as { code?: unknown }).code === 'SQLITE_ERROR') return [] // no such table or column
      throw error
    }
  })
}

/** Opens every stored secret. Returns how many there are, and what cannot be opened. */
export function openAllSealed(db: Database, { open }: Pick<Vault, 'open'>): { count: number; unreadable: string[] } {
  const all = ALL.flatMap((each) => db.prepare(each).all() as Sealed[])
  const unreadable = all.filter(({ purpose, sealed }) => !canOpen(() => open(purpose, sealed)))
  return { count: all.length, unreadable: unreadable.map(({ what }) => what) }
}

function canOpen(open: () => unknown): boolean {
  try {
    open()
    return true
  } catch {
    return false
  }
}
