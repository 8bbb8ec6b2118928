import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Problem } from '../lib/problem.ts'

/** Memory in KiB; one hash takes some 70 ms. Each password is stored with the cost that it was hashed with. */
export type Cost = { memory: number; passes: number }

const COST: Cost = { memory: 47_104, passes: 1 }
const SALT_BYTES = 16
const TAG_BYTES = 32
/** Node hashes in its four threads for files, too: more at once would only use more memory. */
const MAX_RUNNING = 4
const MAX_WAITING = 64

/** The PHC string format, which is what other programs store, too. */
const STORED = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

export type Passwords = ReturnType<typeof passwords>

const run = promisify(argon2)

/** Hashes and verifies passwords with argon2id, a few at once. Both throw Problem 503 if too many wait already. */
export function passwords({ cost = COST, maxWaiting = MAX_WAITING }: { cost?: Cost; maxWaiting?: number } = {}) {
  const waiting: (() => void)[] = []
  let running = 0
  let count = 0
  const nobody = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=1$${base64(randomBytes(SALT_BYTES))}$${base64(randomBytes(TAG_BYTES))}`

  async function derive(password: string, salt: Buffer, { memory, passes }: Cost): Promise<Buffer> {
    if (running >= MAX_RUNNING) {
      if (waiting.length >= maxWaiting) throw overloaded()
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    count++
    try {
      const message = normalForm(password)
      return await run('argon2id', { message, nonce: salt, parallelism: 1, tagLength: TAG_BYTES, memory, passes })
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }

  async function hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES)
    const tag = await derive(password, salt, cost)
    return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=1$${base64(salt)}$${base64(tag)}`
  }

  /** Without a stored password it takes the same time, and returns false. */
  async function verify(password: string, stored: string = nobody): Promise<boolean> {
    const [, memory, passes, salt = '', tag = ''] = STORED.exec(stored) ?? []
    if (memory === undefined) throw new TypeError('not a stored password')
    const wanted = Buffer.from(tag, 'base64')
    const given = await derive(password, Buffer.from(salt, 'base64'), {
      memory: Number(memory),
      passes: Number(passes),
    })
    return given.length === wanted.length && timingSafeEqual(given, wanted)
  }

  return { hash, verify, /** How many hashes were made so far. */ count: () => count }
}

/** One form for a password, however a keyboard composes its letters. */
export const normalForm = (password: string): string => password.normalize('NFKC')

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

const overloaded = (): Problem =>
  new Problem(503, 'overloaded', 'Too many people are signing in at this moment. Try again in a few seconds.', {
    headers: { 'Retry-After': '5' },
  })
