import type { Database } from './driver.ts'
import type { Vault } from './vault.ts'

/** A stored secret: whose it is, and for which purpose it was sealed. */
type Sealed = { what: string; purpose: string; sealed: string }

/** All secrets that only the key of the vault opens, see `whileNothingIsSealed`. Replays of answers are left out. */
const ALL = `
  SELECT 'the secret of the webhook ' || webhook_id AS what, 'webhook ' || webhook_id AS purpose, secrets AS sealed
    FROM webhook_states WHERE secrets <> ''
  UNION ALL SELECT 'the SMTP password of the mailbox "' || key || '"', 'mailbox ' || id || ' smtp', smtp_secret
    FROM mailboxes WHERE smtp_secret IS NOT NULL
  UNION ALL SELECT 'the IMAP password of the mailbox "' || key || '"', 'mailbox ' || id || ' imap', imap_secret
    FROM mailboxes WHERE imap_secret IS NOT NULL
  UNION ALL SELECT 'the client secret of the mailbox "' || key || '"', 'mailbox ' || id || ' oauth', oauth_secret
    FROM mailboxes WHERE oauth_secret IS NOT NULL
  UNION ALL SELECT 'the sign-in of the mailbox ' || mailbox_id, 'mailbox ' || mailbox_id || ' refresh token', refresh_token
    FROM mailbox_grants
  UNION ALL SELECT 'the second factor of the member ' || member_id, 'second factor ' || member_id, totp
    FROM credentials WHERE totp IS NOT NULL`

/** Opens every stored secret. Returns how many there are, and what cannot be opened. */
export function openAllSealed(db: Database, { open }: Pick<Vault, 'open'>): { count: number; unreadable: string[] } {
  const all = db.prepare(ALL).all() as Sealed[]
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
