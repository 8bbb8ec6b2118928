import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '../lib/problem.ts'

const IV_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32
/** Short enough for the subject of a mail, and more than anyone can try. */
const SIGNATURE_BYTES = 16
/** In the data folder; where that is, is not for every caller to know. */
const NAME = 'keys/secrets.key'

export type Vault = ReturnType<typeof vault>

/**
 * Keeps secrets in the database that the database alone does not give away: AES-256-GCM with a key that is a file
 * beside it (0600), made at the first use. `purpose` says what a secret is of, such as `webhook <id>`: sealed for one
 * thing, it does not open for another.
 */
export function vault(dataDir: string) {
  const folder = join(dataDir, 'keys')
  const file = join(folder, 'secrets.key')
  let known: Buffer | undefined
  const signing = new Map<string, { from: Buffer; own: Buffer }>()

  function key(): Buffer {
    const isThere = existsSync(file)
    if (!known || !isThere) known = isThere ? readFileSync(file) : made() // what is sealed has to open after a restart
    if (known.length === KEY_BYTES) return known
    known = undefined
    throw unreadable(`${NAME} is damaged; restore it, or delete it where there is no copy.`)
  }

  function made(): Buffer {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      // On the disk before the first secret is: that commit survives a power cut, and the key has to as well.
      writeFileSync(file, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx', flush: true })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EEXIST') throw unwritable(code)
    }
    return readFileSync(file)
  }

  function seal(purpose: string, secret: string): string {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', key(), iv).setAAD(Buffer.from(purpose))
    const sealed = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final()])
    return Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64')
  }

  /** Throws Problem 409 `secret_unreadable` where the key is missing or another one. */
  function open(purpose: string, sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64')
    if (!existsSync(file)) throw unreadable(`${NAME} is missing; restore it.`)
    try {
      const decipher = createDecipheriv('aes-256-gcm', key(), bytes.subarray(0, IV_BYTES))
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-TAG_BYTES))
      const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    } catch (error) {
      if (error instanceof Problem) throw error
      known = undefined // so that the right one is found once it is restored
      throw unreadable(`${NAME} is not the key that it was sealed with; restore that one.`)
    }
  }

  /**
   * What nobody without the key can work out: for links and addresses that strangers bring back. The same text signed
   * for another purpose gives another signature. Whoever checks one signs again, and compares in constant time.
   */
  function sign(purpose: string, text: string): string {
    return createHmac('sha256', signingKey(purpose))
      .update(text)
      .digest()
      .subarray(0, SIGNATURE_BYTES)
      .toString('base64url')
  }

  /** Never the one that seals; worked out once for a purpose and a key. */
  function signingKey(purpose: string): Buffer {
    const from = key()
    const made = signing.get(purpose)
    if (made?.from === from) return made.own
    const own = Buffer.from(hkdfSync('sha256', from, '', `sign ${purpose}`, KEY_BYTES))
    signing.set(purpose, { from, own })
    return own
  }

  return { seal, open, sign }
}

const unreadable = (why: string): Problem =>
  new Problem(409, 'secret_unreadable', `A stored secret cannot be read: ${why}`)

const unwritable = (code: string | undefined): Problem =>
  new Problem(503, 'storage_failed', `${NAME} cannot be written (${code}); nothing was written.`, {
    headers: { 'Retry-After': '5' },
  })
