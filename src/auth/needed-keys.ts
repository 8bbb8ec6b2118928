import { isSecret, readKeyFile, SECRETS_KEY } from '../store/folder/key-file.ts'
import { someSealed } from '../store/folder/sealed.ts'
import { opensWith } from '../store/folder/vault.ts'
import type { Store } from '../store/open.ts'
import type { Database } from '../store/sqlite/driver.ts'
import { cursorSecret, faultOfPem } from './keys.ts'

// Which key files a database needs, and whether they are there. Without them its tokens end and its secrets cannot be read,
// so a copy of the database alone is none of the data folder.

export type KeyFault = { name: string; fault: 'missing' | 'damaged' | 'not the key that encrypted its secrets' }

/** A key file with the time, in ms, from which the database needs it. */
export type NeededKey = { name: string; since: number }

/** The signing keys of a database, as far as it can be read. */
export function neededKeys(db: Database | undefined): NeededKey[] {
  try {
    const all = db?.prepare('SELECT kid, created_at FROM signing_keys WHERE retired_at IS NULL').all() ?? []
    return (all as { kid: string; created_at: number }[]).map(({ kid, created_at }) => ({
      name: `${kid}.pem`,
      since: created_at,
    }))
  } catch {
    return []
  }
}

/**
 * What is wrong with the keys that a database needs; `read` returns a file of the folder `keys`. Works with every schema that
 * there was. The key of cursors is not needed: a new one only ends those in use.
 */
export function keyFaults(db: Database, read: (name: string) => Buffer | undefined): KeyFault[] {
  const kids = db.prepare('SELECT kid FROM signing_keys WHERE retired_at IS NULL ORDER BY kid').pluck().all()
  const signing = (kids as string[]).flatMap((kid): KeyFault[] => {
    const fault = faultOfPem(kid, read(`${kid}.pem`))
    return fault === null ? [] : [{ name: `${kid}.pem`, fault }]
  })
  const fault = faultOfSecrets(db, read(SECRETS_KEY))
  return fault === undefined ? signing : [...signing, { name: SECRETS_KEY, fault }]
}

/** After a key was lost, secrets are set again one by one: it counts if it opens one of them. */
function faultOfSecrets(db: Database, key: Buffer | undefined): KeyFault['fault'] | undefined {
  const sealed = someSealed(db)
  if (sealed.length === 0) return undefined
  if (!key) return 'missing'
  if (!isSecret(key)) return 'damaged'
  return sealed.some(({ purpose, sealed }) => opensWith(key, purpose, sealed))
    ? undefined
    : 'not the key that encrypted its secrets'
}

export const keyFaultsOf = (db: Database, dataDir: string): KeyFault[] =>
  keyFaults(db, (name) => readKeyFile(dataDir, name))

/** "keys/secrets.key is missing, and keys/a.pem is damaged" */
export const faultsText = (faults: readonly KeyFault[]): string =>
  faults.map(({ name, fault }) => `keys/${name} is ${fault}`).join(', and ')

/** What to do about them, where the database is in use. */
export function howToMendKeys(faults: readonly KeyFault[]): string {
  const kid = faults.find(({ name }) => name.endsWith('.pem'))?.name.replace('.pem', '')
  const ways = [
    kid !== undefined &&
      `replace the key with "dealbox keys rotate" and "dealbox keys retire ${kid}", and create new tokens`,
    faults.some(({ name }) => name === SECRETS_KEY) &&
      'set the passwords of mailboxes, the secrets of webhooks and the second factors of members anew',
  ].filter((each) => each !== false)
  return `Restore the files from an earlier backup; if there is none, ${ways.join(', and ')}.`
}

/**
 * Makes the keys that no server has needed yet, so that whoever copies them has all. A lost one that something was encrypted
 * with is not replaced.
 */
export function makeMissingKeys({ db, vault }: Pick<Store, 'db' | 'vault'>, dataDir: string): void {
  cursorSecret(dataDir)
  if (readKeyFile(dataDir, SECRETS_KEY) || someSealed(db).length > 0) return
  try {
    vault.make()
  } catch {
    // On a full disk it is made when it is first needed.
  }
}
