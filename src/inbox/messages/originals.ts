import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createGunzip, gzip } from 'node:zlib'
import { type Deps, once } from '../../deps.ts'
import { MIB } from '../../lib/size.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { Store } from '../../store/open.ts'
import { allOrgs } from '../../store/orgs/orgs.ts'
import { type Content, contentOf, contentStore } from './contents.ts'

// Mails as they came in, and as they were handed to the mail server: what a dispute, a filter or a broken program is judged
// by. They are packed, and kept beside the messages, so that no list reads them; the oldest go when there is no more room.

/** How long and how much of an organisation is kept, unless its settings say otherwise. */
export const KEPT = { days: 365, mib: 2048 }
export const MAX_KEPT = { days: 3650, mib: 1_048_576 }
/** Of one that is larger when it is packed, only its head is kept: its files are those of the message anyway. */
const MAX_PACKED_BYTES = 25 * MIB
/** How much of a mail is looked at for the end of its head. */
export const MAX_HEAD_BYTES = 65_536
const PURGED_AT_ONCE = 10

/** A mail to store: the size of the whole, how many of its bytes are kept, and these packed. */
export type Original = { size_bytes: number; kept_bytes: number; content: Content }

type Row = { sha256: string; size_bytes: number; kept_bytes: number; packed_bytes: number }

const pack = promisify(gzip)

/** Packs a mail, on another thread. `size_bytes` is that on its server, of which `source` may be only the beginning. */
export async function packed(source: Buffer, size_bytes = source.length): Promise<Original> {
  const whole = await pack(source)
  if (whole.length <= MAX_PACKED_BYTES) return original(whole, source.length, size_bytes)
  const head = headIn(source)
  return original(await pack(head), head.length, size_bytes)
}

// A server may name a smaller size than it sends.
const original = (bytes: Buffer, kept_bytes: number, size_bytes: number): Original => ({
  size_bytes: Math.max(size_bytes, kept_bytes),
  kept_bytes,
  content: contentOf(bytes),
})

/** The header of a mail with its last line break, as far as it is looked at. */
function headIn(source: Buffer): Buffer {
  const start = source.subarray(0, MAX_HEAD_BYTES)
  const end = /\r?\n(?=\r?\n)/.exec(start.toString('latin1'))
  return end ? start.subarray(0, end.index + end[0].length) : start
}

export const originalStore = once(({ db, clock }: Pick<Deps, 'db' | 'clock'>) => {
  const contents = contentStore(db)
  const limits = limitsOf(db)
  const removeOldest = oldestOf(db)
  const lastSum = db.prepare('SELECT max(sum_bytes) FROM mail_originals WHERE org_id = ?').pluck()
  const known = db.prepare('SELECT 1 FROM mail_originals WHERE org_id = ? AND message_id = ?').pluck()
  const insert = db.prepare(
    `INSERT INTO mail_originals (org_id, message_id, sha256, size_bytes, kept_bytes, stored_at, sum_bytes)
     VALUES (@org, @message, @sha256, @size_bytes, @kept_bytes, @at, @sum)`,
  )
  const one = db.prepare(
    `SELECT mail.sha256, mail.size_bytes, mail.kept_bytes, content.size_bytes AS packed_bytes
     FROM mail_originals AS mail JOIN file_contents AS content
       ON content.org_id = mail.org_id AND content.sha256 = mail.sha256
     WHERE mail.org_id = ? AND mail.message_id = ?`,
  )
  const removeOne = db.prepare('DELETE FROM mail_originals WHERE org_id = ? AND message_id = ?')
  const removeAll = db.prepare(
    `DELETE FROM mail_originals WHERE org_id = @org AND message_id IN
       (SELECT id FROM messages WHERE org_id = @org AND conversation_id = @conversation)`,
  )

  /** Whether any are kept: whoever asks first need not pack a mail for nothing. */
  const areKept = (org: number): boolean => limits(org).days > 0

  /** Stores the bytes of a message; of one that has some already, these stay. */
  function add(org: number, message: string, { content, size_bytes, kept_bytes }: Original): void {
    if (!areKept(org) || known.get(org, message) !== undefined) return
    contents.put(org, content)
    const sum = ((lastSum.get(org) as number | null) ?? 0) + content.size_bytes
    insert.run({ org, message, sha256: content.sha256, size_bytes, kept_bytes, at: clock.now(), sum })
    removeOldest(org, { before: 0, below: sum - limits(org).mib * MIB })
  }

  /** Undefined if there is none, or none any more. */
  const find = (org: number, message: string): Row | undefined => one.get(org, message) as Row | undefined

  /** The bytes that are kept. The stream fails if they are deleted while they are read. */
  function read(org: number, { sha256, packed_bytes }: Row): Readable {
    const source = Readable.from(contents.read(org, sha256, 0, packed_bytes))
    const bytes = source.pipe(createGunzip())
    source.on('error', (error) => bytes.destroy(error))
    bytes.on('close', () => source.destroy())
    return bytes
  }

  /** The header as it is, up to 64 KiB. */
  async function headOf(org: number, row: Row): Promise<Buffer> {
    const parts: Buffer[] = []
    let length = 0
    for await (const part of read(org, row)) {
      parts.push(part as Buffer)
      length += (part as Buffer).length
      if (length >= MAX_HEAD_BYTES) break
    }
    return headIn(Buffer.concat(parts))
  }

  return {
    areKept,
    limits,
    add,
    find,
    read,
    headOf,
    remove: (org: number, message: string) => void removeOne.run(org, message),
    removeOf: (org: number, conversation: string) => void removeAll.run({ org, conversation }),
  }
})

/** For how many days and how many MiB an organisation keeps originals; no days: none. */
function limitsOf(db: Deps['db']): (org: number) => { days: number; mib: number } {
  const set = db.prepare('SELECT keep_originals_days AS days, keep_originals_mib AS mib FROM orgs WHERE id = ?')
  return (org) => {
    const { days, mib } = set.get(org) as { days: number | null; mib: number | null }
    return { days: days ?? KEPT.days, mib: mib ?? KEPT.mib }
  }
}

/** Removes some of the oldest originals if they are older than a time, or what was stored since comes to too much. */
function oldestOf(db: Deps['db']): (org: number, until: { before: number; below: number }) => number {
  const remove = db.prepare(
    `DELETE FROM mail_originals WHERE org_id = @org AND message_id IN (
       SELECT message_id FROM (
         SELECT message_id, stored_at, sum_bytes - size_bytes AS behind FROM (
           SELECT org_id, message_id, sha256, stored_at, sum_bytes FROM mail_originals INDEXED BY mail_originals_order
           WHERE org_id = @org ORDER BY sum_bytes LIMIT ${PURGED_AT_ONCE}) JOIN file_contents USING (org_id, sha256))
       WHERE stored_at < @before OR behind < @below)`,
  )
  return (org, until) => remove.run({ org, ...until }).changes
}

/** Removes originals that are kept no longer, as after the settings have changed. */
export function purgeOriginals({ db, clock }: Store): 'more' | undefined {
  const limits = limitsOf(db)
  const removeOldest = oldestOf(db)
  const lastSum = db.prepare('SELECT max(sum_bytes) FROM mail_originals WHERE org_id = ?').pluck()
  let isMore = false
  for (const { id } of allOrgs(db)) {
    const { days, mib } = limits(id)
    const before = days === 0 ? Number.MAX_SAFE_INTEGER : clock.now() - days * DAY_MS
    const below = ((lastSum.get(id) as number | null) ?? 0) - mib * MIB
    if (removeOldest(id, { before, below }) === PURGED_AT_ONCE) isMore = true
  }
  return isMore ? 'more' : undefined
}
