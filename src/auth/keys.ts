import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PublicProtocol } from 'paseto'
import { ImportSecretKeyFactory, PublicKeyFromCryptoKey } from 'paseto/v4/public'
import { Problem } from '../lib/problem.ts'
import type { Store } from '../store/open.ts'

const paserk = new PublicProtocol(ImportSecretKeyFactory)

export type KeyInfo = { kid: string; created_at: number; retired_at: number | null }
export type Keyring = ReturnType<typeof keyring>

/**
 * The keys that sign tokens: Ed25519, one file each beside the database (0600), never in it. The database knows
 * which of them count, so that a retirement by a command holds in a running server from its next request on.
 */
export function keyring(dataDir: string, { db, clock, accessChanged }: Pick<Store, 'db' | 'clock' | 'accessChanged'>) {
  const folder = join(dataDir, 'keys')
  const insert = db.prepare('INSERT INTO signing_keys (kid, created_at) VALUES (?, ?)')
  const all = db.prepare('SELECT kid, created_at, retired_at FROM signing_keys ORDER BY created_at, kid')
  const newest = db
    .prepare('SELECT kid FROM signing_keys WHERE retired_at IS NULL ORDER BY created_at DESC, kid LIMIT 1')
    .pluck()
  const active = db.prepare('SELECT count(*) FROM signing_keys WHERE retired_at IS NULL AND kid <> ?').pluck()
  const retirement = db.prepare('UPDATE signing_keys SET retired_at = ? WHERE kid = ? AND retired_at IS NULL')
  const verifying = new Map<string, ReturnType<typeof PublicKeyFromCryptoKey>>()

  const file = (kid: string) => join(folder, `${kid}.pem`)

  /** Adds a key, which signs from now on; the older ones go on verifying until they are retired. */
  function rotate(): string {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { privateKey } = generateKeyPairSync('ed25519')
    const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
    const kid = createHash('sha256').update(spki).digest('hex').slice(0, 16)
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
    writeFileSync(file(kid), pem, { mode: 0o600, flag: 'wx' })
    insert.run(kid, clock.now())
    return kid
  }

  /** Tokens signed by the key stop working, and its file is deleted. */
  function retire(kid: string): void {
    if (!list().some((key) => key.kid === kid))
      throw new Problem(404, 'no_such_key', `There is no key ${kid}; "dealbox keys list" shows all.`)
    if (active.get(kid) === 0)
      throw new Problem(409, 'last_key', 'This is the only key in use; add one with "dealbox keys rotate" first.')
    retirement.run(clock.now(), kid)
    rmSync(file(kid), { force: true })
    accessChanged()
  }

  const list = (): KeyInfo[] => all.all() as KeyInfo[]

  /** The key to sign with; the first use of a data folder makes it. */
  async function signing() {
    const kid = (newest.get() as string | undefined) ?? rotate()
    const key = read(kid)
    if (!key)
      throw new Problem(
        409,
        'key_missing',
        `The key file ${file(kid)} is missing; restore it, or run "dealbox keys rotate" and make new tokens.`,
      )
    return { kid, key: await paserk.ImportSecretKey(secretPaserk(key)) }
  }

  /** The public half of a key, or undefined where there is no such file. */
  async function verification(kid: string) {
    let key = verifying.get(kid)
    if (!key) {
      const secret = /^[0-9a-f]{16}$/.test(kid) ? read(kid) : undefined
      if (!secret) return undefined
      key = PublicKeyFromCryptoKey(createPublicKey(secret).toCryptoKey('Ed25519', true, ['verify']))
      verifying.set(kid, key)
    }
    return key
  }

  function read(kid: string): KeyObject | undefined {
    return existsSync(file(kid)) ? createPrivateKey(readFileSync(file(kid))) : undefined
  }

  return { rotate, retire, list, signing, verification }
}

/** PASERK k4.secret: the private key and the public one, 32 bytes each. */
function secretPaserk(key: KeyObject): `k4.secret.${string}` {
  const { d, x } = key.export({ format: 'jwk' }) as { d: string; x: string }
  return `k4.secret.${Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]).toString('base64url')}`
}

/** The secret that seals cursors: any 32 bytes, kept so that a cursor outlives a restart. */
export function cursorSecret(dataDir: string): Buffer {
  const file = join(dataDir, 'keys', 'cursor.key')
  mkdirSync(join(dataDir, 'keys'), { recursive: true, mode: 0o700 })
  try {
    writeFileSync(file, randomBytes(32), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFileSync(file)
}
