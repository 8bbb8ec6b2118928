import { hash } from 'node:crypto'

type Row = Record<string, unknown>
type Change = (record: Row) => Row

const bytesOf = ({ data }: Row): Buffer => Buffer.from(data as string, 'base64')
const sha256Of = (record: Row): string => hash('sha256', bytesOf(record))
/** New fields, which an upgrade leaves empty. */
const withNone =
  (...names: string[]): Change =>
  (record) => ({ ...record, ...Object.fromEntries(names.map((name) => [name, null])) })

/** Schema 3: fields of 0.3.0, and the bytes of attachments on their own, once for each content. */
const FROM_2: Record<string, Change> = {
  'companies.ndjson': withNone('originally_created_at'),
  'contacts.ndjson': withNone('originally_created_at'),
  'deals.ndjson': withNone('external_id', 'originally_created_at'),
  'mailboxes.ndjson': withNone('oauth'),
  'meetings.ndjson': withNone('conversation_id'),
  'messages.ndjson': withNone('authentication'),
  'attachments.ndjson': ({ data, ...rest }) => ({ ...rest, sha256: sha256Of({ data }) }),
}

/** What an upgrade from a version changes in the records of a file of its export; everything else stays equal. */
export const CHANGES: Record<string, Record<string, Change>> = { '0.1.0': FROM_2, '0.2.0': FROM_2 }

type NewFiles = Record<string, (before: Record<string, Row[]>) => Row[]>

const contents = (before: Record<string, Row[]>): Row[] =>
  [...new Map(before['attachments.ndjson']?.map((each) => [sha256Of(each), each])).entries()]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([sha256, { data }]) => ({ sha256, data }))

const NEW_IN_3: NewFiles = {
  'file_contents.ndjson': (before) =>
    contents(before).map((each) => ({ sha256: each.sha256, size_bytes: bytesOf(each).length })),
  'file_chunks.ndjson': (before) => contents(before).map(({ sha256, data }) => ({ sha256, position: 0, data })),
  'import_omissions.ndjson': () => [],
  'invitations.ndjson': () => [],
}

/** Schema 4: the audit log, which begins empty. */
const NEW_IN_4: NewFiles = { 'audit_log.ndjson': () => [] }

/** Files that the version did not have, with what an upgrade puts into them. */
export const NEW_FILES: Record<string, NewFiles> = {
  '0.1.0': { ...NEW_IN_3, ...NEW_IN_4 },
  '0.2.0': { ...NEW_IN_3, ...NEW_IN_4 },
  '0.3.0': NEW_IN_4,
}
