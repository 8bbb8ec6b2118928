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

/** Schema 6: what is known of a mail, and how a mailbox reads it. */
const FROM_5: Record<string, Change> = {
  'mailboxes.ndjson': (record) => ({ ...record, aliases: [], reply_to: 'automatic', trusted_forwarders: [] }),
  'meetings.ndjson': (record) => ({ ...record, send_invitations: false }),
  'message_headers.ndjson': (record) => ({ ...record, is_aside: false, delivered_to: [], outcomes: [] }),
  'messages.ndjson': (record) => ({ ...record, date: null, bcc: [], from: null, is_history: false, copies: [] }),
}

const both = (one: Record<string, Change>, other: Record<string, Change>): Record<string, Change> =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((name) => [
      name,
      (record: Row) => (other[name] ?? ((row) => row))((one[name] ?? ((row) => row))(record)),
    ]),
  )

/** What an upgrade from a version changes in the records of a file of its export; everything else stays equal. */
export const CHANGES: Record<string, Record<string, Change>> = {
  '0.1.0': both(FROM_2, FROM_5),
  '0.2.0': both(FROM_2, FROM_5),
  '0.3.0': FROM_5,
  '0.4.0': FROM_5,
  '0.5.0': FROM_5,
}

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

const NEW_IN_6: NewFiles = { 'message_aliases.ndjson': () => [], 'external_ids.ndjson': () => [] }

/** Files that the version did not have, with what an upgrade puts into them. */
export const NEW_FILES: Record<string, NewFiles> = {
  '0.1.0': { ...NEW_IN_3, ...NEW_IN_4, ...NEW_IN_6 },
  '0.2.0': { ...NEW_IN_3, ...NEW_IN_4, ...NEW_IN_6 },
  '0.3.0': { ...NEW_IN_4, ...NEW_IN_6 },
  '0.4.0': NEW_IN_6,
  '0.5.0': NEW_IN_6,
}
