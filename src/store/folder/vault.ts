import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { type Stats, statSync } from 'node:fs'
import { Problem } from '../../lib/problem.ts'
import type { Connection, Database } from '../sqlite/driver.ts'
import { isSecret, keyPath, makeKeyFile, readKeyFile, replaceKeyFile, SECRET_BYTES, SECRETS_KEY } from './key-file.ts'

const IV_BYTES = 12
const TAG_BYTES = 16
/** Short enough for the subject of a mail, and too long to guess. */
const SIGNATURE_BYTES = 16
const NAME = SECRETS_KEY
/** In the data folder, whose path is not shown to every client. */
const FILE = `keys/${NAME}`

export type Vault = ReturnType<typeof vault>

/**
 * Encrypts secrets in the database, so that the database alone does not reveal them: AES-256-GCM with a key in a file
 * beside it (0600), made at the first use. `purpose` is the owner of a secret, such as `webhook <id>`: a secret
 * encrypted for one purpose cannot be decrypted for another. A damaged key is replaced within `whileUnused`, which does
 * not call back while anything depends on the key.
 */
export function vault(
  dataDir: string,
  whileUnused: (replace: () => void) => void = () => undefined,
  makeFile: typeof makeKeyFile = makeKeyFile,
) {
  const file = keyPath(dataDir, NAME)
  let cached: { bytes: Buffer; stats: Stats } | undefined
  const signing = new Map<string, { from: Buffer; own: Buffer }>()

  /**
   * Encrypted secrets have to be readable after a restart, so the key is always that of the file, even when it changes.
   */
  function key(): Buffer {
    let stats = statSync(file, { throwIfNoEntry: false })
    if (cached && stats && isSame(cached.stats, stats)) return cached.bytes
    cached = undefined
    // Written before the first secret: the commit of the secret survives a power cut, so the key has to as well.
    if (!stats) makeFile(dataDir, NAME, randomBytes(SECRET_BYTES))
    else if (!isUsable()) {
      whileUnused(() => {
        if (!isUsable()) replaceKeyFile(dataDir, NAME, randomBytes(SECRET_BYTES)) // else another process was faster
      })
    }
    stats = statSync(file)
    const bytes = readKeyFile(dataDir, NAME)
    if (!bytes || !isSecret(bytes)) throw unreadable(damage(bytes?.length ?? 0))
    cached = { bytes, stats }
    return bytes
  }

  function isUsable(): boolean {
    const bytes = readKeyFile(dataDir, NAME)
    return bytes !== undefined && isSecret(bytes)
  }

  function seal(purpose: string, secret: string): string {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', key(), iv).setAAD(Buffer.from(purpose))
    const sealed = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final()])
    return Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64')
  }

  /** Throws Problem 409 `secret_unreadable` if the key is missing or has been replaced. */
  function open(purpose: string, sealed: string): string {
    if (!statSync(file, { throwIfNoEntry: false })) throw unreadable(`${FILE} is missing; ${RESTORE}.`)
    try {
      return openWith(key(), purpose, sealed)
    } catch (error) {
      if (error instanceof Problem) throw error
      cached = undefined // so that the right key is read once it is restored
      throw unreadable(`${FILE} is not the key that encrypted it; ${RESTORE}.`)
    }
  }

  /**
   * Signs a text that untrusted clients return, such as a link or an address: only the key can produce it. Signatures
   * of the same text for different purposes differ. To verify, sign again and compare in constant time.
   */
  function sign(purpose: string, text: string): string {
    return signWith(signingKey(purpose), text)
  }

  /** Derived from the encryption key; cached by purpose and key. */
  function signingKey(purpose: string): Buffer {
    const from = key()
    const derived = signing.get(purpose)
    if (derived?.from === from) return derived.own
    const own = Buffer.from(hkdfSync('sha256', from, '', `sign ${purpose}`, SECRET_BYTES))
    signing.set(purpose, { from, own })
    return own
  }

  return {
    seal,
    open,
    sign,
    signingKey,
    /** Makes the key if it is missing. */
    make: (): void => void key(),
  }
}

function openWith(key: Buffer, purpose: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES))
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-TAG_BYTES))
  const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES))
  return Buffer.concat([text, decipher.final()]).toString('utf8')
}

/** Whether a secret was encrypted with a key. */
export function opensWith(key: Buffer, purpose: string, sealed: string): boolean {
  try {
    openWith(key, purpose, sealed)
    return true
  } catch {
    return false
  }
}

/** The signature of a text by the key of a purpose. */
export const signWith = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest().subarray(0, SIGNATURE_BYTES).toString('base64url')

/**
 * Whether something depends on the key: secrets of webhooks, passwords and tokens of mailboxes, second factors of members, keys
 * of servers that organisations were at, and mails, whose links and addresses are signed.
 */
export const isKeyUsed = (db: Database): boolean =>
  db
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM webhook_states WHERE secrets <> '') OR EXISTS (SELECT 1 FROM message_headers)
       OR EXISTS (SELECT 1 FROM mailboxes WHERE coalesce(smtp_secret, imap_secret, oauth_secret) IS NOT NULL)
       OR EXISTS (SELECT 1 FROM mailbox_grants) OR EXISTS (SELECT 1 FROM former_signing_keys)
       OR EXISTS (SELECT 1 FROM credentials WHERE totp IS NOT NULL)`,
    )
    .pluck()
    .get() === 1

/** Calls back in an exclusive transaction, unless something depends on the key. */
export function whileNothingIsSealed(db: Connection): (job: () => void) => void {
  return (job) =>
    db
      .transaction(() => {
        if (!isKeyUsed(db)) job()
      })
      .immediate()
}

const isSame = (one: Stats, other: Stats): boolean =>
  one.ino === other.ino && one.mtimeMs === other.mtimeMs && one.size === other.size

const RESTORE = 'restore it from a backup of the data folder'

const damage = (bytes: number): string =>
  `${FILE} is damaged (${bytes === SECRET_BYTES ? 'it contains only zeros' : `${bytes} bytes instead of ${SECRET_BYTES}`}); ${RESTORE}. Without a backup, delete it, rotate the secrets of all webhooks and set the passwords of all mailboxes again, or connect them.`

const unreadable = (why: string): Problem =>
  new Problem(409, 'secret_unreadable', `A stored secret cannot be read: ${why}`)
