import { signWith, type Vault } from '../store/folder/vault.ts'
import type { Store } from '../store/open.ts'
import type { Database } from '../store/sqlite/driver.ts'

// What servers that an organisation was at have signed stays valid: links and addresses in mails, recovery codes and
// tokens. For that, the server that it leaves passes on the keys for these purposes, each derived from its own, and the
// public halves of the keys of its tokens.

/** What is signed by the vault and read years later; recovery codes have a purpose for each member. */
export const LASTING_PURPOSES = ['reply tag', 'unsubscribe', 'rating']

export const recoveryPurpose = (member: string): string => `recovery code ${member}`

const sealedFor = (installation: string, purpose: string): string => `former key ${installation} ${purpose}`

/** All signatures of a text that count for an organisation: that of this server, and of those that it was at. */
export function signatures({ db, vault }: { db: Database; vault: Vault }) {
  const former = db.prepare('SELECT installation, key FROM former_signing_keys WHERE org_id = ? AND purpose = ?')

  return (org: number, purpose: string, text: string): string[] => {
    const keys = former.all(org, purpose) as { installation: string; key: string }[]
    const opened = keys.map(({ installation, key }) =>
      Buffer.from(vault.open(sealedFor(installation, purpose), key), 'base64'),
    )
    return [vault.sign(purpose, text), ...opened.map((key) => signWith(key, text))]
  }
}

/** The public keys of tokens of servers that an organisation was at, and the installations those are bound to. */
export function formerTokenKeys(db: Database) {
  const one = db.prepare(
    `SELECT former_token_keys.key, installation FROM orgs
       JOIN former_token_keys ON former_token_keys.org_id = orgs.id AND kid = ? WHERE public_id = ?`,
  )
  return (publicId: string, kid: string) => one.get(kid, publicId) as { key: string; installation: string } | undefined
}

type TokenKey = { kid: string; key: string }

/** Adds this server to those that the organisation was at, before it leaves. Call it in a transaction. */
export function keepFormerKeys(
  { db, vault, installation, clock }: Pick<Store, 'db' | 'vault' | 'installation' | 'clock'>,
  org: number,
  tokenKeys: readonly TokenKey[],
): void {
  const members = db.prepare("SELECT member_id FROM credentials WHERE org_id = ? AND recovery_codes <> '[]'").pluck()
  const sign = db.prepare(
    'INSERT OR REPLACE INTO former_signing_keys (org_id, installation, purpose, key) VALUES (?, ?, ?, ?)',
  )
  const keep = db.prepare(
    'INSERT OR REPLACE INTO former_token_keys (org_id, kid, installation, key, created_at) VALUES (?, ?, ?, ?, ?)',
  )
  for (const purpose of [...LASTING_PURPOSES, ...(members.all(org) as string[]).map(recoveryPurpose)]) {
    const key = vault.signingKey(purpose).toString('base64')
    sign.run(org, installation, purpose, vault.seal(sealedFor(installation, purpose), key))
  }
  for (const { kid, key } of tokenKeys) keep.run(org, kid, installation, key, clock.now())
}

/** Undoes that when it stays, so that retiring a key of this server ends its tokens. Call it in a transaction. */
export function dropFormerKeys({ db, installation }: Pick<Store, 'db' | 'installation'>, org: number): void {
  db.prepare('DELETE FROM former_signing_keys WHERE org_id = ? AND installation = ?').run(org, installation)
  db.prepare('DELETE FROM former_token_keys WHERE org_id = ? AND installation = ?').run(org, installation)
}
