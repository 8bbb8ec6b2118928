import { SEARCHED_TABLES } from '../../../store/orgs/erase.ts'
import { IS_WHOLE } from '../../../store/orgs/staged.ts'
import { indexEntries, KINDS, type Kind } from '../../../store/search/search.ts'
import type { Database } from '../../../store/sqlite/driver.ts'

/** Not of an organisation that is being restored, or that has moved: its rest is erased some time. */
const IS_DONE = `org_id IN (SELECT id FROM orgs WHERE ${IS_WHOLE} AND state <> 'moved')`

// Rows that nothing refers to any more, and rows whose work nobody does. Constraints cannot see them.

/** Contents of files that neither a message nor a draft nor an original has. A server that writes one has marked it as staged. */
export const unusedContents = (db: Database): number =>
  db.prepare(`SELECT count(*) FROM file_contents AS content WHERE is_staged = 0 AND ${UNUSED}`).pluck().get() as number

const UNUSED = `${IS_DONE} AND NOT EXISTS (SELECT 1 FROM attachments
  WHERE attachments.org_id = content.org_id AND attachments.sha256 = content.sha256)
  AND NOT EXISTS (SELECT 1 FROM draft_files
  WHERE draft_files.org_id = content.org_id AND draft_files.sha256 = content.sha256)
  AND NOT EXISTS (SELECT 1 FROM mail_originals
  WHERE mail_originals.org_id = content.org_id AND mail_originals.sha256 = content.sha256)`

export const stagedContents = (db: Database): number =>
  db.prepare('SELECT count(*) FROM file_contents WHERE is_staged = 1').pluck().get() as number

export const removeUnusedContents = (db: Database): number =>
  db.prepare(`DELETE FROM file_contents AS content WHERE is_staged = 0 AND ${UNUSED}`).run().changes

/** Contents of files with fewer or more bytes than they should have. */
export const brokenContents = (db: Database): number =>
  db
    .prepare(
      `SELECT count(*) FROM file_contents AS content WHERE is_staged = 0 AND ${IS_DONE} AND size_bytes <>
         (SELECT coalesce(sum(length(data)), 0) FROM file_chunks
          WHERE file_chunks.org_id = content.org_id AND file_chunks.sha256 = content.sha256)`,
    )
    .pluck()
    .get() as number

type Doc = { docid: bigint; words: string }

/** Documents in the search index whose record does not exist. */
export function strayDocs(db: Database): Doc[] {
  const stray = (Object.keys(KINDS) as Kind[]).map(
    (kind) =>
      `SELECT docid, words FROM search_docs AS doc WHERE kind = ${KINDS[kind]} AND NOT EXISTS
         (SELECT 1 FROM ${SEARCHED_TABLES[kind]} AS record WHERE record.org_id = doc.org_id AND record.id = doc.record_id)`,
  )
  return db.prepare(stray.join(' UNION ALL ')).safeIntegers().all() as Doc[]
}

export function removeStrayDocs(db: Database): number {
  const { removeEntry } = indexEntries(db)
  const remove = db.prepare('DELETE FROM search_docs WHERE docid = ?')
  const removePending = db.prepare('DELETE FROM search_pending WHERE docid = ?')
  const all = strayDocs(db)
  for (const { docid, words } of all) {
    removeEntry(docid, words)
    remove.run(docid)
    removePending.run(docid)
  }
  return all.length
}

type Owned = { org: number; id: string }

/** Queued messages that no job sends. */
export const unsentMessages = (db: Database): Owned[] =>
  db
    .prepare(
      `SELECT org_id AS org, id FROM messages WHERE status = 'queued' AND ${IS_DONE} AND NOT EXISTS
         (SELECT 1 FROM jobs WHERE jobs.org_id = messages.org_id AND kind = 'message.send' AND key = messages.id)`,
    )
    .all() as Owned[]

/** Enrollments of active sequences whose next step no job does. */
export const idleEnrollments = (db: Database): number =>
  db
    .prepare(
      `SELECT count(*) FROM enrollments AS each JOIN sequences
         ON sequences.org_id = each.org_id AND sequences.id = sequence_id AND sequences.status = 'active'
       WHERE next_step_at IS NOT NULL AND each.${IS_DONE} AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.org_id = each.org_id
         AND (kind = 'enrollment.step' AND key = each.id OR kind = 'sequence.look' AND key = sequence_id))`,
    )
    .pluck()
    .get() as number
