import type * as v from 'valibot'
import { type Deps, once } from '../../deps.ts'
import type { UploadedFile } from '../../http/body/form-parts.ts'
import type { StoredFile } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import { field, invalid, notFound } from '../../lib/problem.ts'
import { MIB } from '../../lib/size.ts'
import { DAY_MS, HOUR_MS } from '../../lib/time.ts'
import type { Store } from '../../store/open.ts'
import { type AttachmentShown, MAX_BYTES, MAX_FILES } from './attachments.ts'
import { contentStore } from './contents.ts'

// Files of what a member is writing. They wait on the server, as the text does, and are of this member only. A message takes
// them over by their contents, so no byte is sent or stored twice.

export const DraftFile = f.object({
  id: f.id,
  name: f.title,
  content_type: f.line(127),
  size_bytes: f.count(),
})
export type DraftFile = v.InferOutput<typeof DraftFile>

/** Of one member, in all drafts: ten of the largest mails. */
const MAX_OF_MEMBER = { files: 500, bytes: 10 * MAX_BYTES }
/** A draft that nobody has touched for so long is forgotten, and a discarded one as soon as nobody can want it back. */
const KEPT_MS = 90 * DAY_MS
const DISCARDED_MS = HOUR_MS

type Row = DraftFile & { sha256: string }
type Sum = { files: number; bytes: number }

export const draftFileStore = once((deps: Deps) => {
  const { db, clock } = deps
  const contents = contentStore(db)
  const ofMember = 'org_id = @org AND member_id = @member'
  const ofDraft = `${ofMember} AND key = @key AND is_discarded = 0`
  const shown = 'id, name, content_type, size_bytes'
  const all = db.prepare(`SELECT ${shown} FROM draft_files WHERE ${ofDraft} ORDER BY id`)
  const one = db.prepare(`SELECT ${shown}, sha256 FROM draft_files WHERE ${ofDraft} AND id = @id`)
  const sums = 'SELECT count(*) AS files, coalesce(sum(size_bytes), 0) AS bytes FROM draft_files'
  const sumOfDraft = db.prepare(`${sums} WHERE ${ofDraft}`)
  const sumOfMember = db.prepare(`${sums} WHERE ${ofMember}`)
  const insert = db.prepare(
    `INSERT INTO draft_files (org_id, id, member_id, key, name, content_type, size_bytes, sha256, source_id, expires_at)
     VALUES (@org, @id, @member, @key, @name, @content_type, @size_bytes, @sha256, @source, @expires_at)
     ON CONFLICT DO NOTHING`,
  )
  const ofMessage = db.prepare('SELECT attachments FROM messages WHERE org_id = ? AND id = ?').pluck()
  const copyOf = db.prepare(`SELECT 1 FROM draft_files WHERE ${ofDraft} AND source_id = @id`).pluck()
  const sha256Of = db.prepare('SELECT sha256 FROM attachments WHERE org_id = ? AND id = ?').pluck()
  const ofKey = db.prepare(
    `SELECT member_id, name, content_type, size_bytes, sha256, source_id FROM draft_files
     WHERE org_id = ? AND key = ? AND is_discarded = 0 ORDER BY id`,
  )
  const removeOne = db.prepare(`DELETE FROM draft_files WHERE ${ofDraft} AND id = @id`)
  const setDiscarded = db.prepare(
    `UPDATE draft_files SET is_discarded = @is, expires_at = @expires_at
     WHERE ${ofMember} AND key = @key AND is_discarded <> @is`,
  )
  const forgetDiscardedOf = db.prepare(`DELETE FROM draft_files WHERE ${ofMember} AND key = @key AND is_discarded = 1`)
  const forgetDiscarded = db.prepare(`DELETE FROM draft_files WHERE ${ofMember} AND is_discarded = 1`)

  const of = ({ org, member }: Caller, key: string) => ({ org, member, key })

  const list = (who: Caller, key: string): DraftFile[] => all.all(of(who, key)) as DraftFile[]

  /** Throws 422 if the draft, or the member, would have too much. */
  function checkRoom(who: Caller, key: string, { files, bytes }: Sum): void {
    const draft = sumOfDraft.get(of(who, key)) as Sum
    if (draft.files + files > MAX_FILES)
      throw invalid(field('/file', 'too_many', `must not be more than ${MAX_FILES} files of one message`))
    if (draft.bytes + bytes > MAX_BYTES)
      throw invalid(
        field('/file', 'too_large', `must be at most ${MAX_BYTES / MIB} MiB with the others of the message`),
      )
    const isFull = () => {
      const mine = sumOfMember.get(of(who, key)) as Sum
      return mine.files + files > MAX_OF_MEMBER.files || mine.bytes + bytes > MAX_OF_MEMBER.bytes
    }
    if (!isFull()) return
    forgetDiscarded.run(of(who, key))
    if (isFull())
      throw invalid(
        field(
          '/file',
          'too_many',
          `must not be more than ${MAX_OF_MEMBER.files} files or ${MAX_OF_MEMBER.bytes / MIB} MiB in all drafts of one member`,
        ),
      )
  }

  function insertRow(who: Caller, key: string, file: Omit<Row, 'id'>, source: string | null): DraftFile {
    const id = clock.id()
    const expires_at = clock.now() + KEPT_MS
    insert.run({ ...of(who, key), ...file, id, source, expires_at })
    return { id, name: file.name, content_type: file.content_type, size_bytes: file.size_bytes }
  }

  /** Adds a file that was uploaded. Throws 422. */
  function add(who: Caller, key: string, file: UploadedFile): DraftFile {
    const { name, content_type, size_bytes, sha256 } = file
    checkRoom(who, key, { files: 1, bytes: size_bytes })
    contents.put(who.org, file)
    return insertRow(who, key, { name, content_type, size_bytes, sha256 }, null)
  }

  /** Adds the files of a message, each once, however often it is asked for. What is taken back has to come, also where it is too much. Throws 422. */
  function copy(who: Caller, key: string, message: string, { isBack = false } = {}): DraftFile[] {
    const isThere = (id: string) => copyOf.get({ ...of(who, key), id }) !== undefined
    const all = JSON.parse((ofMessage.get(who.org, message) as string | undefined) ?? '[]') as AttachmentShown[]
    const files = all.filter(({ id }) => !isThere(id))
    const bytes = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
    if (!isBack) checkRoom(who, key, { files: files.length, bytes })
    forgetDiscardedOf.run(of(who, key)) // or what was copied before would stay away
    for (const { id, name, content_type, size_bytes } of files) {
      const sha256 = sha256Of.get(who.org, id) as string
      insertRow(who, key, { name, content_type, size_bytes, sha256 }, id)
    }
    return list(who, key)
  }

  /** The files of all members' drafts for one thing come to what they write for another, whatever that comes to; the former stay. */
  function carry(org: number, from: string, to: string): void {
    type Carried = Omit<Row, 'id'> & { member_id: string; source_id: string | null }
    for (const { member_id: member, source_id, ...file } of ofKey.all(org, from) as Carried[])
      insertRow({ org, member }, to, file, source_id)
  }

  /**
   * The files of a draft for the message that is about to be written, in this order; they are no longer of the draft. Throws 422
   * for one that is not there.
   */
  function take(who: Caller, key: string, ids: readonly string[]): UploadedFile[] {
    return ids.map((id, at) => {
      const { name, content_type, size_bytes, sha256 } = found(who, key, id, () =>
        invalid(field(`/draft_files/ids/${at}`, 'not_found', 'must be a file of this draft')),
      )
      return { name, content_type, size_bytes, sha256, slice: isStored }
    })
  }

  /** After the message has them: a content goes with the last row that has it. */
  function drop(who: Caller, key: string, ids: readonly string[]): void {
    for (const id of ids) removeOne.run({ ...of(who, key), id })
  }

  function found(who: Caller, key: string, id: string, problem: () => Error = notFound): Row {
    const row = one.get({ ...of(who, key), id }) as Row | undefined
    if (!row) throw problem()
    return row
  }

  /** Throws 404. */
  function remove(who: Caller, key: string, id: string): void {
    found(who, key, id)
    drop(who, key, [id])
  }

  /** The draft was discarded: for a while it can be brought back. */
  const discard = (who: Caller, key: string): void => mark(who, key, 1, DISCARDED_MS)
  const restore = (who: Caller, key: string): void => mark(who, key, 0, KEPT_MS)

  function mark(who: Caller, key: string, is: 0 | 1, ms: number): void {
    setDiscarded.run({ ...of(who, key), is, expires_at: clock.now() + ms })
  }

  /** Throws 404. */
  function file(who: Caller, key: string, id: string): StoredFile {
    const { name, content_type, size_bytes, sha256 } = found(who, key, id)
    return { name, content_type, size_bytes, sha256, read: (from, to) => contents.read(who.org, sha256, from, to) }
  }

  return { carry, list, add, copy, take, drop, remove, discard, restore, file, find: found }
})

/** Whoever stores a content that is there already reads none of its bytes. */
const isStored = (): never => {
  throw new Error('The content of a draft file is not stored.')
}

const PURGED_AT_ONCE = 10

/** Forgets files of drafts that nobody has sent. */
export function purgeDraftFiles({ db, clock }: Store): 'more' | undefined {
  const { changes } = db
    .prepare(
      `DELETE FROM draft_files WHERE (org_id, id) IN
         (SELECT org_id, id FROM draft_files INDEXED BY draft_files_expired WHERE expires_at <= ? LIMIT ${PURGED_AT_ONCE})`,
    )
    .run(clock.now())
  return changes === PURGED_AT_ONCE ? 'more' : undefined
}
