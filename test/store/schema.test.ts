import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { applySettings } from '../../src/app/settings/document.ts'
import { mailboxStore } from '../../src/inbox/mailboxes/mailboxes.ts'
import { outgoingStore } from '../../src/inbox/messages/outgoing.ts'
import { shapeOf } from '../../src/ops/doctor/inspect/shape.ts'
import { enrollmentEngine } from '../../src/sequences/enrollments/engine.ts'
import { APPLICATION_ID, migrate, SCHEMA_VERSION, SCHEMAS, type Schema } from '../../src/store/schema/migrations.ts'
import { type Connection, openSqlite } from '../../src/store/sqlite/driver.ts'
import { pendingStageChanges } from '../../src/store/stage-changes.ts'
import { insertRow } from '../support/enrolled.ts'
import type { Org } from '../support/org.ts'
import { type Released, releasedSchema, releasedSchemas } from '../support/released.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { setLevels } from '../support/settings.ts'

type Reference = { table: string; parent: string; from: string[]; to: string[] }

type Step = (db: Connection) => void

/** References without an index, for the reasons in schema.sql: their targets are deleted rarely or never. */
const SCANNED = ['from_stage_id', 'to_stage_id', 'member_id'].map((column) => `deal_stage_changes.${column}`)
for (const column of ['deal_id', 'from_stage_id', 'to_stage_id', 'member_id']) {
  SCANNED.push(`deal_stage_changes_pending.${column}`) // a few rows
}
SCANNED.push('messages.enrollment_id')

/** Tables that others refer to by another key than an id. */
const WITHOUT_ID = ['sequence_versions', 'file_contents']

/** How to set a reference that is generated from another column. */
const WRITTEN: Record<string, string> = { 'conversations.sla_policy_id': "sla = json_set(sla, '$.policy_id', ?)" }

const ROOT = join(import.meta.dirname, '../..')

/** The hash of a schema: comments and white space do not change it. */
const hashOf = (sql: string): string => hash('sha256', sql.replace(/--.*$/gm, '').replace(/\s+/g, '')).slice(0, 16)

const fresh = (): Connection => {
  const db = openSqlite(':memory:')
  migrate(db, ':memory:')
  return db
}

/** Tables, except the internal ones of FTS5. */
const tablesOf = (db: Connection): { name: string; strict: number; wr: number }[] =>
  (db.pragma('table_list') as { name: string; schema: string; type: string; strict: number; wr: number }[])
    .filter(({ name, schema, type }) => schema === 'main' && type === 'table' && !name.startsWith('sqlite_'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))

const columnsOf = (db: Connection, table: string) =>
  db.pragma(`table_xinfo(${table})`) as { name: string; pk: number }[]

function referencesOf(db: Connection, table: string): Reference[] {
  const rows = db.pragma(`foreign_key_list(${table})`) as { id: number; table: string; from: string; to: string }[]
  return Object.values(Object.groupBy(rows, ({ id }) => id)).map((columns = []) => ({
    table,
    parent: columns[0]?.table as string,
    from: columns.map(({ from }) => from),
    to: columns.map(({ to }) => to),
  }))
}

const indexesOf = (db: Connection, table: string): string[][] =>
  (db.pragma(`index_list(${table})`) as { name: string }[]).map(({ name }) =>
    (db.pragma(`index_info(${name})`) as { name: string }[]).map((column) => column.name),
  )

describe('the schema', () => {
  const db = fresh()
  after(() => db.close())
  const tables = tablesOf(db)
  const ofOrgs = tables.filter(({ name }) => columnsOf(db, name).some((column) => column.name === 'org_id'))

  test('has STRICT tables only', () => {
    assert.ok(tables.length > 15)
    for (const { name, strict } of tables) assert.equal(strict, 1, name)
  })

  test('has only tables of an organisation, but for the installation, its keys and work, and the organisations themselves', () => {
    const others = tables.filter((table) => !ofOrgs.includes(table)).map(({ name }) => name)
    assert.deepEqual(others, [
      'arrivals',
      'arriving_audit',
      'audit_chains',
      'audit_log',
      'departing_changes',
      'departures',
      'installation',
      'orgs',
      'recurring_jobs',
      'replication',
      'setup_link',
      'signing_keys',
      'wall_clock',
    ])
  })

  test('keys every table of an organisation by org_id first', () => {
    for (const { name, wr } of ofOrgs) {
      if (name === 'events') continue // in the order of commits across all organisations
      // In the order of ids; the indexed words contain the organisation.
      if (name === 'search_docs' || name === 'search_pending') continue
      if (name === 'file_chunks') continue // rows of many pages, which would bloat a tree of keys
      assert.equal(columnsOf(db, name).find(({ pk }) => pk === 1)?.name, 'org_id', name)
      assert.equal(wr, 1, `${name} WITHOUT ROWID`)
    }
  })

  test('lets every reference carry its organisation along', () => {
    for (const { name } of ofOrgs) {
      const references = referencesOf(db, name)
      assert.ok(references.length > 0, `${name} refers to nothing`)
      for (const { parent, from, to } of references) {
        if (parent === 'orgs') assert.deepEqual([from, to], [['org_id'], ['id']])
        else if (WITHOUT_ID.includes(parent)) assert.deepEqual([from[0], to[0]], ['org_id', 'org_id'])
        else assert.deepEqual([from[0], to], ['org_id', ['org_id', 'id']], `${name} → ${parent}`)
      }
    }
  })

  test('has a reference for every column that names another record', () => {
    // The history stays when its record is deleted; API clients choose external ids.
    const free = [
      'events.object_id',
      'events.actor_id',
      'companies.external_id',
      'contacts.external_id',
      'deals.external_id',
    ]
    free.push(
      'search_docs.record_id',
      'import_rows.record_id',
      'merges.kept_id',
      'merges.merged_id',
      'merges.member_id',
    )
    // A million deliveries would be deleted with their webhook in one transaction; for their contents, see events.
    free.push('deliveries.webhook_id', 'deliveries.event_id', 'deliveries.object_id')
    // An author is a contact or a member; the message keeps the id.
    // What a mail passes on is in the same conversation, and removed with it.
    free.push('messages.author_id', 'messages.external_id', 'messages.forwards_message_id')
    // What a step created may be deleted; the step itself is in the version of its sequence.
    free.push('enrollment_steps.task_id', 'enrollment_steps.step_id')
    // They outlive their record; a bulk change lists what it was asked to change.
    free.push('notifications.record_id', 'notifications.actor_id', 'sample_records.record_id')
    free.push('bulk_rows.record_id', 'bulk_rows.to_id')
    free.push('bin.event_id', 'bin.record_id', 'bin.member_id')
    // A merge or the bin has taken the record; other products choose their ids.
    free.push('external_ids.external_id', 'external_ids.record_id')
    free.push('draft_files.source_id') // the attachment that it is a copy of may be deleted
    free.push('rule_runs.rule_id') // the rule may be removed
    free.push('conversation_moves.member_id', 'spam_senders.member_id') // as in events
    free.push('file_chunks.row_id') // the key of the table
    free.push('rejected_mails.external_id', 'message_aliases.external_id') // ids that other mail programs assigned
    for (const { name } of ofOrgs) {
      const referring = referencesOf(db, name).flatMap(({ from }) => from)
      for (const column of columnsOf(db, name)) {
        if (!column.name.endsWith('_id') || free.includes(`${name}.${column.name}`)) continue
        assert.ok(referring.includes(column.name), `${name}.${column.name}`)
      }
    }
  })

  test('finds the referring rows of every reference by an index', () => {
    for (const { name } of ofOrgs) {
      for (const { parent, from } of referencesOf(db, name)) {
        if (parent === 'orgs' || SCANNED.includes(`${name}.${from[1]}`)) continue
        const found = indexesOf(db, name).some((index) => from.every((column, at) => index[at] === column))
        assert.ok(found, `${name} (${from})`)
      }
    }
  })
})

/** Inserts what belongs to the screens of a member. */
function useScreens({ store }: TestServer, { org, owner: member }: Org): void {
  const id = store.clock.id()
  const bulk = store.clock.id()
  const whose = { org_id: org, member_id: member }
  insertRow(store, 'credentials', whose)
  insertRow(store, 'sessions', { ...whose, id, hash: id, created_at: 0, seen_at: 0, expires_at: 1 })
  insertRow(store, 'sign_in_links', {
    ...whose,
    id,
    hash: id,
    kind: 'invite',
    role: 'viewer',
    invited_by: member,
    created_at: 0,
    expires_at: 1,
  })
  insertRow(store, 'preferences', { ...whose, body: '{}', updated_at: 0, version: 1 })
  insertRow(store, 'drafts', { ...whose, key: 'note', body: '{}', updated_at: 0 })
  const sha256 = 'a'.repeat(64)
  insertRow(store, 'file_contents', { org_id: org, sha256, size_bytes: 0 })
  const file = { name: 'F', content_type: 'text/plain', size_bytes: 0, sha256, expires_at: 0 }
  insertRow(store, 'draft_files', { ...whose, id, key: 'note', ...file })
  insertRow(store, 'notifications', { ...whose, id, kind: 'due', object: 'task', record_id: id, title: 'T', at: 0 })
  const view = { object: 'deals', name: 'V', shape: 'board', is_shared: 0, query: '{}', position: 0 }
  const times = { created_at: 0, updated_at: 0, version: 1 }
  insertRow(store, 'views', { org_id: org, id, owner_id: member, ...view, ...times })
  insertRow(store, 'saved_replies', { org_id: org, id, owner_id: member, title: 'T', text: 'T', ...times })
  const counts = { total: 1, done: 0, failed: 0 }
  insertRow(store, 'bulk_changes', { ...whose, id: bulk, object: 'deals', change: '{}', ...counts, created_at: 0 })
  const handed = { object: 'members', from_id: member, change: '{}', ...counts, created_at: 0 }
  insertRow(store, 'bulk_changes', { ...whose, id: store.clock.id(), ...handed })
  insertRow(store, 'bulk_rows', { org_id: org, bulk_id: bulk, position: 0, record_id: id })
  insertRow(store, 'sample_records', { org_id: org, object: 'deals', record_id: id, version: 1 })
}

/** Inserts the rows of an import; no request creates one. */
function importInto({ store: { db, clock } }: TestServer, { org }: { org: number }): void {
  const id = clock.id()
  db.prepare(
    `INSERT INTO imports (org_id, id, object, file_name, content, options, position, created, updated, unchanged, rejected, started_at)
     VALUES (?, ?, 'contact', 'a.csv', '', '{}', 2, 1, 0, 0, 1, 0)`,
  ).run(org, id)
  db.prepare("INSERT INTO import_rows VALUES (?, ?, ?, 1, 'contact', 'created', 1, NULL, 0)").run(org, id, clock.id())
  db.prepare("INSERT INTO external_ids VALUES (?, 'contact', '1', 'hubspot', ?, ?)").run(org, clock.id(), id)
  db.prepare("INSERT INTO import_rejects VALUES (?, ?, 2, 'wrong')").run(org, id)
  db.prepare("INSERT INTO import_omissions VALUES (?, ?, 1, 0, 'Owner', 'wrong')").run(org, id)
}

describe('a reference into another organisation', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
    const closings: (() => Promise<string>)[] = []
    for (const org of [server.a, server.b]) {
      const post = async (path: string, body: object) => {
        const headers = { 'idempotency-key': `${path} ${Math.random()}`.replaceAll(' ', '') }
        const answer = await server.call('POST', path, body, { token: org.token, headers })
        assert.ok(answer.status < 300, answer.text)
        return answer.body.id as string
      }
      const tag = await post('/tags', { name: 'Tag' })
      for (const object of ['contact', 'company', 'deal'])
        await post('/custom-fields', { object, key: 'one', label: 'One', type: 'text' })
      const common = { owner_id: org.owner, tag_ids: [tag], custom_fields: { one: '1' } }
      const parent_company_id = await post('/companies', { name: 'Parent', domains: [], ...common })
      const company_id = await post('/companies', { name: 'C', domains: ['c.example'], parent_company_id, ...common })
      const emails = [{ email: 'p@example.com' }]
      const primary_contact_id = await post('/contacts', { last_name: 'P', emails, company_id, ...common })
      const deal = await post('/deals', { title: 'D', company_id, primary_contact_id, ...common })
      await server.call('PATCH', `/deals/${deal}`, { stage: org.stages.demo }, { token: org.token })
      closings.push(() => post(`/deals/${deal}/close`, { reason_id: org.reasons.won }))
      const links = { contact_ids: [primary_contact_id], company_ids: [company_id], deal_ids: [deal] }
      await post('/notes', { body: 'N', ...links })
      await post('/tasks', { title: 'T', owner_id: org.owner, ...links })
      for (const [object, id] of Object.entries({ contact: primary_contact_id, company: company_id, deal })) {
        const list = await post('/lists', { name: 'L', object, kind: 'static', owner_id: org.owner })
        await post(`/lists/${list}/members`, { add_ids: [id] })
      }
      const meeting_id = await meet(org, { contact_id: primary_contact_id, company_id, deal_id: deal })
      await post('/notes', { body: 'N', meeting_id })
      const hours = [{ key: 'office', name: 'H', timezone: 'UTC', weekly: {} }]
      const sequence_id = setUp(org, hours)
      const conversation_id = await converse(org, { contact_id: primary_contact_id, company_id, deal_id: deal, tag })
      await post('/notes', { body: 'N', conversation_id })
      server.store.db.prepare('UPDATE meetings SET conversation_id = ? WHERE org_id = ?').run(conversation_id, org.org)
      await post('/tasks', { title: 'T', conversation_id })
      await post('/webhooks', { url: 'https://hooks.example/', event_types: ['*'] })
      importInto(server, org)
      useScreens(server, org)
      const enrolling = { sequence_id, contact_id: primary_contact_id, deal_id: deal }
      await work(org, await post('/enrollments', enrolling))
    }
    // Some of the stage changes are pending, and some are not any more.
    server.store.transaction(() => void pendingStageChanges(server.store.db).move(10))
    for (const close of closings) await close()
  })
  after(() => server.stop())

  /** Creates settings that refer to each other; returns the id of the sequence. */
  function setUp({ org, owner }: Org, hours: { key: string }[]): string {
    const sla = [{ key: 'usual', name: 'S', hours: 'office', targets: {} }]
    setLevels(server.store, org, { hours, sla })
    const { email } = server.store.db.prepare('SELECT email FROM members WHERE id = ?').get(owner) as { email: string }
    const smtp = { host: '127.0.0.1', port: 25, tls: 'none' }
    const steps = [
      { type: 'email', delay_s: 0, subject: 'S', body: 'B' },
      { type: 'call', delay_s: 0, task_title: 'T' },
    ]
    applySettings(server.store, org, {
      mailboxes: [{ key: 'box', name: 'B', address: 'b@example.com', member: email, smtp }],
      rules: [{ key: 'r', name: 'R', when: { mailbox: 'box' }, do: { assign: email } }],
      sequences: [{ key: 's', name: 'S', status: 'active', hours: 'office', mailbox: 'box', steps }],
    })
    return server.store.db.prepare('SELECT id FROM sequences WHERE org_id = ?').pluck().get(org) as string
  }

  /** Inserts the rows of an enrollment's steps and of a mailbox. */
  async function work({ org }: Org, enrollment: string): Promise<void> {
    const { db, clock, write } = server.store
    const { doStep } = enrollmentEngine(server.deps)
    const box = db.prepare('SELECT id FROM mailboxes WHERE org_id = ?').pluck().get(org) as string
    db.prepare('UPDATE sequences SET hours_id = NULL WHERE org_id = ?').run(org)
    for (const _ of [1, 2]) await write(() => void doStep(org, enrollment, {}))
    db.prepare('UPDATE sequences SET hours_id = (SELECT id FROM hours WHERE org_id = ?) WHERE org_id = ?').run(org, org)
    mailboxStore(server.deps).saveState(org, box, { sent: 1 })
    db.prepare("INSERT INTO mailbox_grants VALUES (?, ?, 'sealed', NULL, 0, 0, 1, NULL, NULL)").run(org, box)
    db.prepare("INSERT INTO rejected_mails VALUES (?, ?, ?, 1, 1, NULL, NULL, NULL, 'wrong', 0)").run(
      org,
      clock.id(),
      box,
    )
    const sent = db.prepare('SELECT message_id FROM message_headers WHERE org_id = ?').pluck().get(org) as string
    const kept = { sha256: 'a'.repeat(64), size_bytes: 1, kept_bytes: 1, stored_at: 0, sum_bytes: 1 }
    insertRow(server.store, 'mail_originals', { org_id: org, message_id: sent, ...kept })
    const run = { name: 'R', at: 0, done: '{}', answer_id: sent }
    insertRow(server.store, 'rule_runs', { org_id: org, message_id: sent, rule_id: clock.id(), ...run })
    insertRow(server.store, 'ratings', { org_id: org, message_id: sent, asked_at: 0, words: '{}' })
    await write(() => void outgoingStore(server.deps).alias(org, sent, ['<replaced@provider.example>']))
  }

  /** Creates a meeting with a transcript, both with every reference they can have. */
  async function meet(
    { token, owner }: Org,
    { contact_id, ...links }: Record<'contact_id' | 'company_id' | 'deal_id', string>,
  ): Promise<string> {
    const times = { starts_at: '2026-12-01T09:00:00Z', ends_at: '2026-12-01T10:00:00Z' }
    const participants = [{ contact_id }, { member_id: owner }]
    const given = { title: 'M', ...times, participants, owner_id: owner, ...links }
    const { body } = await server.call('POST', '/meetings', given, { token })
    const speakers = [
      { key: 'a', contact_id },
      { key: 'b', member_id: owner },
    ]
    const segments = [{ speaker: 'a', start_ms: 0, end_ms: 1, text: 'T' }]
    const path = `/meetings/${body.id}/transcript`
    const put = await server.call('PUT', path, { speakers, segments }, { token })
    assert.equal(put.status, 200, put.text)
    return body.id
  }

  /** Creates a conversation with every reference it can have. */
  async function converse(
    { org, token, owner }: Org,
    { contact_id, tag, ...links }: Record<'contact_id' | 'company_id' | 'deal_id' | 'tag', string>,
  ): Promise<string> {
    const attachments = [{ name: 'a', data: Buffer.from(`of ${org}`).toString('base64') }]
    const given = { contact_id, channel: 'chat', direction: 'inbound', body_text: 'M', attachments }
    const { body } = await server.call('POST', '/messages', given, { token })
    const path = `/conversations/${body.conversation_id}`
    const patched = await server.call('PATCH', path, { ...links, owner_id: owner, tag_ids: [tag] }, { token })
    assert.equal(patched.status, 200, patched.text)
    const both = { from_id: body.conversation_id, to_id: body.conversation_id }
    const move = { org_id: org, id: server.store.clock.id(), kind: 'split', ...both, at: 0, undo: '{}' }
    insertRow(server.store, 'conversation_moves', move)
    const box = server.store.db.prepare('SELECT id FROM mailboxes WHERE org_id = ?').pluck().get(org) as string
    insertRow(server.store, 'conversation_mailboxes', {
      org_id: org,
      mailbox_id: box,
      conversation_id: body.conversation_id,
    })
    return body.conversation_id
  }

  test('is refused by SQLite itself, for every reference there is', () => {
    const { a, b, store } = server
    const { db } = store
    const references = tablesOf(db).flatMap(({ name }) => referencesOf(db, name))
    for (const { table, parent, from } of references.filter(
      ({ parent }) => parent !== 'orgs' && !WITHOUT_ID.includes(parent),
    )) {
      const column = from[1] as string
      const foreign = db.prepare(`SELECT id FROM ${parent} WHERE org_id = ? LIMIT 1`).pluck().get(b.org)
      const own = db
        .prepare(`SELECT ${column} FROM ${table} WHERE org_id = ? AND ${column} IS NOT NULL`)
        .pluck()
        .get(a.org)
      assert.ok(foreign && own, `${table}.${column} has rows to try it with`)
      const set = WRITTEN[`${table}.${column}`] ?? `${column} = ?`
      const steal = db.prepare(`UPDATE ${table} SET ${set} WHERE org_id = ? AND ${column} = ?`)
      for (const id of [foreign, 'nobody'])
        assert.throws(() => steal.run(id, a.org, own), { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' }, `${table}.${column}`)
    }
    assert.deepEqual(db.pragma('foreign_key_check'), [])
  })
})

describe('a migration', () => {
  const released = releasedSchemas().map(({ version }) => version)

  /** Returns a database as the release with that schema created it. */
  function old(version: number, { sql, hash }: Pick<Released, 'sql' | 'hash'> = releasedSchema(version)): Connection {
    const db = openSqlite(':memory:')
    db.exec(sql)
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.pragma(`user_version = ${version}`)
    db.prepare("INSERT INTO installation (singleton, id, schema_hash, created_at) VALUES (1, 'x', ?, 0)").run(hash)
    return db
  }

  test('is written for a change of schema.sql once its version is released; before that, its hash moves', () => {
    const now = hashOf(readFileSync(join(ROOT, 'schema.sql'), 'utf8'))
    const todo = released.includes(SCHEMA_VERSION)
      ? `schema.sql has changed after its release: add { version, hash: '${now}', step } to SCHEMAS in src/store/schema/migrations.ts`
      : `schema.sql has changed: the last hash of SCHEMAS in src/store/schema/migrations.ts has to be '${now}'`
    assert.equal(SCHEMAS.at(-1)?.hash, now, todo)
    assert.deepEqual(
      SCHEMAS.map(({ version }) => version),
      SCHEMAS.map((_, at) => (SCHEMAS[0] as Schema).version + at),
    )
  })

  test('starts at a released schema, which never changes again', () => {
    const all = SCHEMAS.map(({ version }) => version)
    const todo = 'test/upgrades has a database of each release, see its README'
    assert.deepEqual(released, released.includes(SCHEMA_VERSION) ? all : all.slice(0, -1), todo)
    // The topmost section of the changelog is the next release.
    const releases = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').match(/^## /gm) ?? []
    assert.ok(releases.length === 1 || released.length > 0, todo)
    for (const { version, hash } of releasedSchemas())
      assert.equal(
        SCHEMAS.find((each) => each.version === version)?.hash,
        hash,
        `schema ${version} is released: its hash may not change`,
      )
    for (const [at, { step, version }] of SCHEMAS.entries())
      assert.equal(step === undefined, at === 0, `schema ${version}`)
  })

  for (const version of released) {
    test(`from schema ${version} gives the same as schema.sql`, () => {
      const db = old(version)
      migrate(db, 'old')
      assert.deepEqual(shapeOf(db), shapeOf(fresh()), 'the steps do not lead to schema.sql')
      assert.equal(db.pragma('user_version', { simple: true }), SCHEMA_VERSION)
      assert.equal(db.pragma('foreign_keys', { simple: true }), 1)
    })
  }

  test('has a hash for every change but those of comments and white space', () => {
    const sql = 'CREATE TABLE a (\n  id INTEGER -- of a\n);\n'
    assert.equal(hashOf(sql), hashOf('-- new\nCREATE TABLE a (id  INTEGER);'))
    for (const other of [
      'CREATE TABLE b (id INTEGER);',
      'CREATE TABLE a (id INTEGER NOT NULL);',
      `${sql}CREATE INDEX i ON a (id);`,
    ])
      assert.notEqual(hashOf(sql), hashOf(other))
  })

  const SCHEMA_1 =
    'CREATE TABLE installation (singleton INTEGER, id TEXT, schema_hash TEXT, created_at INTEGER); CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a INTEGER REFERENCES a (id)); INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)'
  const addX = (db: Connection) => void db.exec('ALTER TABLE a ADD COLUMN x')
  const addY = (db: Connection) => void db.exec('ALTER TABLE a ADD COLUMN y')
  /** The schemas that these steps produce, starting from schema 1. */
  const through = (...steps: Step[]) => ({
    schemas: [
      { version: 1, hash: 'hash 1' },
      ...steps.map((step, at) => ({ version: at + 2, hash: `hash ${at + 2}`, step })),
    ],
  })
  const hashIn = (db: Connection) => db.prepare('SELECT schema_hash FROM installation').pluck().get()
  const names = (db: Connection) => columnsOf(db, 'a').map(({ name }) => name)
  const versionOf = (db: Connection) => db.pragma('user_version', { simple: true })

  test('runs every step that is missing, once and in order, and is told by the version', () => {
    const db = old(1, { sql: SCHEMA_1, hash: 'hash 1' })
    migrate(db, 'old', through(addX))
    assert.deepEqual([names(db), versionOf(db), hashIn(db)], [['id', 'x'], 2, 'hash 2'])
    migrate(db, 'old', through(addX, addY))
    migrate(db, 'old', through(addX, addY))
    assert.deepEqual([names(db), versionOf(db), hashIn(db)], [['id', 'x', 'y'], 3, 'hash 3'])
    assert.throws(() => migrate(db, 'old', through(addX)), { code: 'newer_schema' })
  })

  test('may rebuild a table that others refer to', () => {
    const db = old(1, { sql: SCHEMA_1, hash: 'hash 1' })
    const rebuild = () =>
      db.exec(
        'CREATE TABLE c (id INTEGER PRIMARY KEY); INSERT INTO c SELECT * FROM a; DROP TABLE a; ALTER TABLE c RENAME TO a',
      )
    migrate(db, 'old', through(rebuild))
    assert.deepEqual(
      [db.prepare('SELECT a FROM b').pluck().all(), db.pragma('foreign_keys', { simple: true })],
      [[1], 1],
    )
  })

  for (const [what, step] of [
    ['fails', () => assert.fail('no')],
    ['leaves a dangling reference', (db: Connection) => void db.exec('DELETE FROM a')],
  ] as const) {
    test(`that ${what} leaves everything as it was`, () => {
      const db = old(1, { sql: SCHEMA_1, hash: 'hash 1' })
      assert.throws(() => migrate(db, 'old', through(addX, step)))
      assert.deepEqual([names(db), versionOf(db), hashIn(db), db.inTransaction], [['id'], 1, 'hash 1', false])
      assert.equal(db.prepare('SELECT count(*) FROM a').pluck().get(), 1)
    })
  }

  test('does not begin at a schema that was never published, and says what does', () => {
    const db = old(3, { sql: SCHEMA_1, hash: 'hash 3' })
    assert.throws(() => migrate(db, 'old'), { status: 409, code: 'too_old_schema', message: /Dealbox 0\.5\.0/ })
    assert.deepEqual([names(db), versionOf(db)], [['id'], 3])
  })

  test('never begins at a schema that is not the one of its version', () => {
    const db = old(1, { sql: SCHEMA_1, hash: 'another hash' })
    for (const given of [through(), through(addX)]) {
      assert.throws(() => migrate(db, 'old', given), { status: 409, code: 'other_schema' })
      assert.deepEqual([names(db), versionOf(db)], [['id'], 1])
    }
  })
})
