import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { rmSync } from 'node:fs'
import { PublicProtocol } from 'paseto'
import { ImportSecretKeyFactory, PublicKeyFromCryptoKey } from 'paseto/v4/public'
import { Problem } from '../lib/problem.ts'
import {
  isSecret,
  keyPath,
  makeKeyFile,
  readKeyFile,
  removeStaleFiles,
  replaceKeyFile,
  SECRET_BYTES,
} from '../store/folder/key-file.ts'
import type { Store } from '../store/open.ts'

const paserk = new PublicProtocol(ImportSecretKeyFactory)

export type KeyInfo = { kid: string; created_at: number; retired_at: number | null }
export type FormerKey = Pick<KeyInfo, 'kid' | 'created_at'>
export type Keyring = ReturnType<typeof keyring>

/**
 * The keys that sign tokens: Ed25519, one file each beside the database (0600), never in it. The database lists the
 * keys in use, so that retiring one by a command takes effect in a running server with its next request.
 */
export function keyring(dataDir: string, { db, clock, accessChanged }: Pick<Store, 'db' | 'clock' | 'accessChanged'>) {
  const insert = db.prepare('INSERT INTO signing_keys (kid, created_at) VALUES (?, ?)')
  const all = db.prepare('SELECT kid, created_at, retired_at FROM signing_keys ORDER BY created_at, kid')
  const newest = db
    .prepare('SELECT kid FROM signing_keys WHERE retired_at IS NULL ORDER BY created_at DESC, kid LIMIT 1')
    .pluck()
  const active = db.prepare('SELECT count(*) FROM signing_keys WHERE retired_at IS NULL AND kid <> ?').pluck()
  const retirement = db.prepare('UPDATE signing_keys SET retired_at = ? WHERE kid = ? AND retired_at IS NULL')
  const former = db.prepare(
    `SELECT kid, min(created_at) AS created_at FROM former_token_keys
     WHERE kid NOT IN (SELECT kid FROM signing_keys) GROUP BY kid ORDER BY 2, kid`,
  )
  const forget = db.prepare('DELETE FROM former_token_keys WHERE kid = ? AND kid NOT IN (SELECT kid FROM signing_keys)')
  const verifying = new Map<string, ReturnType<typeof PublicKeyFromCryptoKey>>()

  const nameOf = (kid: string) => `${kid}.pem`

  /** Adds a key, which signs from now on; older ones still verify until they are retired. */
  function rotate(): string {
    const { privateKey } = generateKeyPairSync('ed25519')
    const kid = kidOf(privateKey)
    makeKeyFile(dataDir, nameOf(kid), privateKey.export({ type: 'pkcs8', format: 'pem' }))
    insert.run(kid, clock.now())
    return kid
  }

  /**
   * Invalidates the tokens signed by the key, also by one of a server that an organisation came from. Its file is deleted
   * after the commit, by `removeFile`.
   */
  function retire(kid: string): void {
    if (forget.run(kid).changes > 0) {
      accessChanged()
      return
    }
    if (!list().some((key) => key.kid === kid))
      throw new Problem(404, 'no_such_key', `There is no key ${kid}. "dealbox keys list" shows all keys.`)
    if (active.get(kid) === 0)
      throw new Problem(
        409,
        'last_key',
        'This is the only active key. Add another one with "dealbox keys rotate" first.',
      )
    retirement.run(clock.now(), kid)
    accessChanged()
  }

  const removeFile = (kid: string): void => rmSync(keyPath(dataDir, nameOf(kid)), { force: true })

  const list = (): KeyInfo[] => all.all() as KeyInfo[]

  /** Keys of servers that organisations came from: tokens that these brought along are signed by them. */
  const listFormer = (): FormerKey[] => former.all() as FormerKey[]

  /** Returns the key to sign with; the first call for a data folder makes it. */
  async function signing() {
    const kid = (newest.get() as string | undefined) ?? rotate()
    const key = read(kid)
    if (key === 'missing' || key === 'damaged') throw unusable(kid, key)
    return { kid, key: await paserk.ImportSecretKey(secretPaserk(key)) }
  }

  /** The public half of a key, or undefined if its file is missing or damaged. */
  async function verification(kid: string) {
    let key = verifying.get(kid)
    if (!key) {
      const secret = /^[0-9a-f]{16}$/.test(kid) ? read(kid) : 'missing'
      if (secret === 'missing' || secret === 'damaged') return undefined
      key = verifier(createPublicKey(secret))
      verifying.set(kid, key)
    }
    return key
  }

  const read = (kid: string) => readPem(kid, readKeyFile(dataDir, nameOf(kid)))

  /** What is wrong with the file of a key, or null. */
  const faultOf = (kid: string) => faultOfPem(kid, readKeyFile(dataDir, nameOf(kid)))

  /** Throws Problem 409 if the file of a key in use is missing or damaged. */
  function check(): void {
    removeStaleFiles(dataDir)
    for (const { kid, retired_at } of list()) {
      const fault = retired_at === null ? faultOf(kid) : null
      if (fault) throw unusable(kid, fault)
    }
  }

  const unusable = (kid: string, fault: 'missing' | 'damaged'): Problem =>
    new Problem(
      409,
      `key_${fault}`,
      `The key file ${keyPath(dataDir, nameOf(kid))} is ${fault}; restore it from a backup of the data folder, or replace the key with "dealbox keys rotate" and "dealbox keys retire ${kid}" and create new tokens.`,
    )

  /** The public halves of the keys in use, as far as their files are there. */
  const publicKeys = (): { kid: string; key: string }[] =>
    list().flatMap(({ kid, retired_at }) => {
      const key = retired_at === null ? read(kid) : 'missing'
      if (key === 'missing' || key === 'damaged') return []
      return [{ kid, key: createPublicKey(key).export({ type: 'spki', format: 'pem' }) as string }]
    })

  return { rotate, retire, removeFile, list, listFormer, signing, verification, faultOf, check, publicKeys }
}

function readPem(kid: string, pem: Buffer | undefined): KeyObject | 'missing' | 'damaged' {
  if (!pem) return 'missing'
  try {
    const key = createPrivateKey(pem)
    return kidOf(key) === kid ? key : 'damaged'
  } catch {
    return 'damaged'
  }
}

/** What is wrong with the content of a key file, or null. */
export function faultOfPem(kid: string, pem: Buffer | undefined): 'missing' | 'damaged' | null {
  const key = readPem(kid, pem)
  return key === 'missing' || key === 'damaged' ? key : null
}

/** The name of a key: the first digits of the hash of its public half. Throws if it is not an Ed25519 key. */
function kidOf(key: KeyObject): string {
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError('not an Ed25519 key')
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(spki).digest('hex').slice(0, 16)
}

/** The form of a public key that verifies tokens. */
export function verifier(key: KeyObject): ReturnType<typeof PublicKeyFromCryptoKey> {
  // The types of browsers, which tests of the screens are checked with, know fewer usages of keys than those of Node.
  const known = key.toCryptoKey('Ed25519', true, ['verify'])
  return PublicKeyFromCryptoKey(known as Parameters<typeof PublicKeyFromCryptoKey>[0])
}

/** PASERK k4.secret: the private and the public key, 32 bytes each. */
function secretPaserk(key: KeyObject): `k4.secret.${string}` {
  const { d, x } = key.export({ format: 'jwk' }) as { d: string; x: string }
  return `k4.secret.${Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]).toString('base64url')}`
}

/**
 * The secret that signs cursors, stored so that cursors outlive a restart. An invalid file is replaced: that only
 * invalidates cursors in use. On a full disk the secret lasts as long as the process.
 */
export function cursorSecret(dataDir: string): Buffer {
  const name = 'cursor.key'
  const stored = readKeyFile(dataDir, name)
  if (stored && isSecret(stored)) return stored
  const secret = randomBytes(SECRET_BYTES)
  try {
    const write = stored ? replaceKeyFile : makeKeyFile
    write(dataDir, name, secret)
  } catch (error) {
    if ((error as Problem).code !== 'storage_full') throw error
    return secret
  }
  return readKeyFile(dataDir, name) as Buffer
}
