import assert from 'node:assert/strict'
import type { Merge } from '../../../src/cleanup/merges/journal.ts'
import { mergeStore } from '../../../src/cleanup/merges/merges.ts'
import { Problem } from '../../../src/lib/problem.ts'
import { wordsOf } from '../../../src/lib/words.ts'
import { moreDigitsOf } from '../../../src/lib/written/people/phone-countries.ts'
import { HOLDERS, keysOf, OBJECTS } from '../../../src/records/custom-fields/types.ts'
import { markOf } from '../../../src/store/search/search.ts'
import { wordsNow } from '../../store/searched.ts'
import type { Given, Row } from '../../support/records.ts'
import { startServer } from '../../support/server.ts'

export type MergeObject = Merge['object']
export type MergeFixture = Awaited<ReturnType<typeof mergeFixture>>

/** Times of a meeting. */
export const TIMES = { starts_at: '2026-12-01T09:00:00.000Z', ends_at: '2026-12-01T10:00:00.000Z' }
export const PATHS = { contact: '/contacts', company: '/companies' } as const

/** A server with the merges of its store, for which there are no routes. */
export async function mergeFixture() {
  const server = await startServer()
  const { a, call, store } = server
  const { db } = store
  const merges = mergeStore(server.deps)
  const who = { org: a.org, member: a.owner }

  async function make(path: string, given: Given): Promise<Row> {
    const { body, status, text } = await call('POST', path, given)
    assert.equal(status, 201, text)
    return body
  }
  async function get(path: string): Promise<Row> {
    const { body, status, text } = await call('GET', path)
    assert.equal(status, 200, text)
    return body
  }
  async function patch(path: string, given: Given): Promise<Row> {
    const { body, status, text } = await call('PATCH', path, given)
    assert.equal(status, 200, text)
    return body
  }
  async function remove(path: string): Promise<void> {
    assert.equal((await call('DELETE', path)).status, 204)
  }
  const isGone = async (path: string): Promise<boolean> => (await call('GET', path)).status === 404

  /** Creates an inbound message, in a conversation or from a contact in a new one. */
  const hear = (where: Given): Promise<Row> =>
    make('/messages', {
      direction: 'inbound',
      body_text: 'x',
      ...('contact_id' in where ? { channel: 'chat' } : {}),
      ...where,
    })

  let last = 0
  const contact = (given: Given = {}) => make('/contacts', { last_name: `Ruiz ${++last}`, ...given })
  const company = (given: Given = {}) => make('/companies', { name: `Northwind ${++last}`, ...given })
  const tag = (): Promise<string> => make('/tags', { name: `Tag ${++last}` }).then(({ id }) => id)

  /** Creates a custom field with that key and returns its id. */
  async function customField(object: string, key: string, given: Given = {}): Promise<string> {
    return (await make('/custom-fields', { object, key, label: key, type: 'text', ...given })).id
  }

  async function staticList(object: string, ids: string[]): Promise<string> {
    const { id } = await make('/lists', { name: `List ${++last}`, object, kind: 'static' })
    const { status, text } = await call('POST', `/lists/${id}/members`, { add_ids: ids })
    assert.equal(status, 200, text)
    return id
  }
  const membersOf = async (list: string): Promise<string[]> =>
    (await get(`/lists/${list}/members`)).data.map(({ id }: Row) => id)

  /** Merges after a minute, so that `updated_at` shows the change. */
  const merge = (object: MergeObject, kept: Row, merged: Row, choices?: string[], own?: string[]): Merge => {
    server.advance(60_000)
    return store.transaction(() => merges.merge(who, object, kept.id ?? kept, merged.id ?? merged, choices, own))
  }
  const undo = (merge: Merge | string) => {
    server.advance(60_000)
    return store.transaction(() => merges.undo(who, typeof merge === 'string' ? merge : merge.id))
  }

  /** Every row but what a merge and its undoing leave behind: versions, times, events, and words that were known once. */
  function dump(): Record<string, Row[]> {
    const tables = db
      .prepare(
        `SELECT name FROM pragma_table_list AS t WHERE schema = 'main' AND type = 'table'
         AND EXISTS (SELECT 1 FROM pragma_table_xinfo(t.name) WHERE name = 'org_id')`,
      )
      .pluck()
      .all() as string[]
    const words = wordsNow(db).map((doc) => doc.join(' '))
    const others = ['events', 'merges', 'idempotency', 'search_words', 'search_docs', 'search_pending']
    const rows = Object.fromEntries(
      tables
        .filter((table) => !others.includes(table))
        .map((table) => {
          const rows = db.prepare(`SELECT * FROM ${table}`).safeIntegers().all() as Row[]
          return [
            table,
            rows
              .map(({ version, updated_at, ...row }) => parsed(row))
              .map(stable)
              .sort(),
          ]
        }),
    )
    return { ...rows, words: words.sort() }
  }

  return {
    ...server,
    db,
    merges,
    who,
    make,
    get,
    patch,
    remove,
    isGone,
    hear,
    contact,
    company,
    tag,
    customField,
    staticList,
    membersOf,
    merge,
    undo,
    dump,
  }
}

const stable = (row: Row): string =>
  JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))

/** The order of archived values has no meaning. */
const parsed = (row: Row): Row =>
  typeof row.archived_fields === 'string'
    ? { ...row, archived_fields: Object.entries(JSON.parse(row.archived_fields)).sort() }
    : row

/** Returns the status, the code and the rest of an error. */
export function refusal(job: () => unknown): Row {
  try {
    job()
  } catch (error) {
    assert.ok(error instanceof Problem, String((error as Error).stack))
    return {
      status: error.status,
      code: error.code,
      errors: error.errors?.map(({ pointer, code }) => `${pointer} ${code}`),
      ...error.more,
    }
  }
  assert.fail('it was not refused')
}

const LINKED: [table: string, id: string, field: string, links: string, column: string][] = [
  ...(['contact', 'company', 'deal'] as const).map((one): (typeof LINKED)[number] => [
    HOLDERS[one].table,
    `${one}_id`,
    'tag_ids',
    `${one}_tags`,
    'tag_id',
  ]),
  ['conversations', 'conversation_id', 'tag_ids', 'conversation_tags', 'tag_id'],
  ['companies', 'company_id', 'domains', 'company_domains', 'domain'],
  ...(['note', 'task'] as const).flatMap((owner) =>
    (['contact', 'company', 'deal'] as const).map((one): (typeof LINKED)[number] => [
      `${owner}s`,
      `${owner}_id`,
      `${one}_ids`,
      `${owner}_${HOLDERS[one].table}`,
      `${one}_id`,
    ]),
  ),
]

/** What holds whatever was merged and undone: everything that stands twice says the same. */
export function assertSound({ db, a, events }: MergeFixture): void {
  assert.deepEqual(db.pragma('foreign_key_check'), [])
  db.exec("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)")
  for (const [table, id, field, links, column] of LINKED) {
    const inRecords = db
      .prepare(`SELECT r.id || ' ' || e.value FROM ${table} AS r, json_each(r.${field}) AS e ORDER BY 1`)
      .pluck()
      .all()
    const inLinks = db.prepare(`SELECT ${id} || ' ' || ${column} FROM ${links} ORDER BY 1`).pluck().all()
    assert.deepEqual(inLinks, inRecords, links)
    assert.equal(new Set(inRecords).size, inRecords.length, links)
  }
  const participants = `SELECT m.id || ' ' || (p.value ->> 'contact_id') FROM meetings AS m, json_each(m.participants) AS p
    WHERE p.value ->> 'contact_id' IS NOT NULL ORDER BY 1`
  const linked = "SELECT meeting_id || ' ' || contact_id FROM meeting_contacts ORDER BY 1"
  assert.deepEqual(db.prepare(linked).pluck().all(), db.prepare(participants).pluck().all())
  const strangers = `SELECT m.id FROM messages AS m WHERE m.author_id IS NOT (m.author ->> 'id') OR m.author_id NOT IN
    (SELECT id FROM contacts WHERE org_id = m.org_id UNION ALL SELECT id FROM members WHERE org_id = m.org_id)`
  assert.deepEqual(db.prepare(strangers).pluck().all(), [])
  const records = (table: string): Row[] => db.prepare(`SELECT * FROM ${table} WHERE org_id = ?`).all(a.org)
  const fields = records('custom_fields')
  for (const object of OBJECTS) {
    const { table, values, id } = HOLDERS[object]
    const expected = records(table).flatMap((record) => {
      const [active, archived] = [JSON.parse(record.custom_fields), JSON.parse(record.archived_fields)]
      return Object.entries({ ...active, ...archived }).flatMap(([key, value]: Row) => {
        const field = fields.find((each) => each.object === object && each.key === key)
        assert.equal(key in archived, field.is_archived === 1, key)
        return keysOf(field.type, value).map((each) => `${record.id} ${field.id} ${each} ${field.is_unique === 1}`)
      })
    })
    const rows = records(values).map((row) => `${row[id]} ${row.field_id} ${row.value} ${row.unique_value !== null}`)
    assert.deepEqual(rows.sort(), expected.sort(), values)
  }
  const names = new Map(records('companies').map(({ id, name }) => [id, name]))
  const dialled = (numbers: string[]) => numbers.flatMap((number) => moreDigitsOf(number, 'DE'))
  const emails = (contact: Row): string[] => JSON.parse(contact.emails).map(({ email }: Row) => email)
  const found = [
    ...records('contacts').map((each): [Row, string[]] => {
      const numbers = JSON.parse(each.phones).map(({ number }: Row) => number)
      return [
        each,
        wordsOf([each.name, names.get(each.company_id) ?? null, ...emails(each)], numbers, dialled(numbers)),
      ]
    }),
    ...records('companies').map((each): [Row, string[]] => {
      const numbers = each.phone ? [each.phone] : []
      return [each, wordsOf([each.name, ...JSON.parse(each.domains)], numbers, dialled(numbers))]
    }),
  ]
  const docs = Map.groupBy(wordsNow(db), ([org, , id]) => `${org} ${id}`)
  for (const [record, words] of found) {
    const mark = markOf(a.org, 'emails' in record ? 'contact' : 'company')
    const found = docs.get(`${a.org} ${record.id}`)?.map((doc) => doc[3])
    assert.deepEqual(found, [words.map((word) => mark + word).join(' ')], record.name)
  }
  const known = new Set(
    ['contacts', 'companies', 'deals', 'notes', 'tasks', 'meetings', 'conversations'].flatMap((table) =>
      records(table).map(({ id }) => id),
    ),
  )
  for (const { record_id } of records('search_docs')) assert.ok(known.has(record_id))
  const keys = records('contacts').flatMap((each) => emails(each).map((email) => `${email.toLowerCase()} ${each.id}`))
  assert.deepEqual(
    records('contact_emails')
      .map((row) => `${row.email_key} ${row.contact_id}`)
      .sort(),
    keys.sort(),
  )
  const seqs = events().map(({ seq }) => seq)
  assert.deepEqual(
    seqs,
    seqs.map((_, index) => index + 1),
  )
}
