import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { SCOPES } from '../../src/auth/scopes.ts'
import { mergeStore } from '../../src/cleanup/merges/merges.ts'
import { type Restored, restoreExport } from '../../src/exports/restore.ts'
import { writeExport } from '../../src/exports/write.ts'
import { undoImport } from '../../src/imports/journal/undo.ts'
import { indexAll } from '../store/searched.ts'
import { type Org, tokenFor } from '../support/org.ts'
import { stillPace } from '../support/pace.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { fill, scratch } from './export-fixture.ts'

// All of it out, and all of it in again: into another data folder, and a second time beside another organisation.

const { folder, drop } = scratch()
const first = join(folder, 'first')
let source: TestServer
let target: TestServer
before(async () => {
  source = await startServer()
  target = await startServer()
  await fill(source, source.a)
  writeExport(source.store, source.a.org, first)
})
after(async () => {
  await source.stop()
  await target.stop()
  drop()
})

/** The organisation has another number in the store after it. */
async function restore({ store, dataDir }: TestServer, org: Org, from = first): Promise<Restored> {
  const restored = await restoreExport(store, { dataDir, org: org.org, folder: from, pace: stillPace })
  org.org = store.db.prepare('SELECT id FROM orgs WHERE public_id = ?').pluck().get(org.id) as number
  return restored
}

/** As who made the export: what they see has to be the same. */
async function asAna({ store, dataDir }: TestServer, org: Org): Promise<Org> {
  const { token } = await tokenFor(store, dataDir, org.org, 'ana@acme.example', SCOPES)
  return { ...org, token }
}

/** Every record of every list as the interface answers it, as text. */
async function answers({ routes, call }: TestServer, { token }: Org): Promise<string[]> {
  const found: string[] = []
  async function walk(path: string, parameters: string): Promise<void> {
    let cursor = ''
    do {
      const { status, body, text } = await call('GET', `${path}?limit=100${parameters}${cursor}`, undefined, { token })
      assert.equal(status, 200, text)
      // A cursor is of one server only; where the page ends, its last record tells.
      found.push(`${path} ${stripped(path, text).replace(/"next_cursor":"[^"]*"/, '"next_cursor":"..."')}`)
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
    } while (cursor !== '')
  }
  for (const { kind, path } of routes) {
    if (kind !== 'list' || path.includes(':')) continue
    await walk(path, path === '/close-reasons' ? '&include_inactive=true' : '')
  }
  const { body } = await call('GET', '/lists?limit=100', undefined, { token })
  for (const { id, object } of body.data) {
    await walk(`/lists/${id}/members`, '')
    await walk(object === 'company' ? '/companies' : `/${object}s`, `&list_id=${id}`)
  }
  for (const path of ['/contacts', '/companies', '/deals', '/notes', '/tasks']) {
    for (const q of ['x', 'zoe', '030 1234', 'one0']) await walk(path, `&q=${encodeURIComponent(q)}`)
  }
  await walk('/contacts', '&custom_fields.its_number[gte]=0&sort=custom_fields.its_text')
  return found
}

/** A webhook comes back disabled, and nothing was sent to it there. */
const stripped = (path: string, text: string): string =>
  path.includes('webhooks') ? text.replace(/"(status|disabled_reason|last_\w+_at)":(null|"[^"]*"),/g, '') : text

/** Where two long lists of long texts differ first. */
function assertSame(theirs: string[], ours: string[], what = ''): void {
  const index = ours.findIndex((each, at) => each !== theirs[at])
  if (index >= 0) {
    const [one = '', other = ''] = [ours[index], theirs[index]]
    const at = [...one].findIndex((_, place) => one[place] !== other[place])
    const near = (long: string) => `${long.slice(0, 30)} ... ${long.slice(Math.max(0, at - 80), at + 80)}`
    assert.equal(near(other), near(one), what)
    assert.equal(other, one, what)
  }
  assert.equal(theirs.length, ours.length, what)
}

const tablesOf = ({ store }: TestServer): string[] =>
  store.db
    .prepare(
      `SELECT name FROM sqlite_schema AS m WHERE type = 'table'
         AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) AS c WHERE c.name = 'org_id') ORDER BY name`,
    )
    .pluck()
    .all() as string[]

type Row = Record<string, unknown>

/** All rows of a table, every column, without what only this data folder knows. */
function rowsOf({ store }: TestServer, { org }: Org, table: string): Row[] {
  const rows = store.db.prepare(`SELECT * FROM ${table} WHERE org_id = ?`).safeIntegers().all(org) as Row[]
  if (table === 'webhooks') for (const row of rows) row.status = row.disabled_reason = 'comes back as another'
  if (table === 'mailboxes')
    for (const row of rows) row.smtp_secret = row.imap_secret = row.oauth_secret = 'stays where it is'
  // Each word in the index begins with a character that stands for the number of the organisation and the kind.
  const kindOf = (mark: string) => `${(mark.codePointAt(0) as number) - 0x10000 - org * 16}:`
  for (const row of table.startsWith('search_') ? rows : [])
    for (const name of ['word', 'words'])
      if (name in row) row[name] = String(row[name]).replaceAll(/(?<=^| )[\u{10000}-\u{10ffff}]/gu, kindOf)
  const plain = rows.map(({ org_id, commit_seq, docid, row_id, request_key, ...row }) => row)
  return plain.sort((one, other) => (text(one) < text(other) ? -1 : 1))
}
const text = (row: Row): string => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))

const orgRow = ({ store }: TestServer, { org }: Org): unknown =>
  store.db
    .prepare(
      'SELECT name, timezone, currency, country, public_base_url, keep_originals_days, keep_originals_mib, last_seq FROM orgs WHERE id = ?',
    )
    .get(org)

/** What no export has, and why. Every other table with an org has to come back, whatever is added. */
const LEFT_OUT = ['idempotency', 'jobs', 'tokens'] // secrets, answers of a day, and what records make again
LEFT_OUT.push('webhook_states', 'deliveries') // secrets, and what is of use for a month: a copy must not send it again
LEFT_OUT.push('mailbox_grants') // secrets
LEFT_OUT.push('mailbox_states', 'mailbox_days', 'rejected_mails') // how far a folder was read, by whoever has its password
LEFT_OUT.push('search_pending', 'deal_stage_changes_pending') // compared once they are where they belong
LEFT_OUT.push('former_signing_keys', 'former_token_keys') // of servers that the organisation was at
LEFT_OUT.push('credentials', 'sessions', 'sign_in_links') // who may sign in is up to each installation
LEFT_OUT.push(
  'preferences',
  'views',
  'drafts',
  'draft_files',
  'mail_originals', // what is in them is in their messages and files; twice as large for what few look at
  'notifications',
  'bulk_changes',
  'bulk_rows',
  'sample_records',
  'bin',
) // of the screens
/** What nothing writes as yet: fields of records to come, and states that these tables pass through. */
const EMPTY_COLUMNS = ['notes.conversation_id', 'tasks.conversation_id']

describe('an export that was brought back into an empty organisation of another data folder', () => {
  let restored: Restored
  let others: string[]
  before(async () => {
    await target.call('POST', '/deals', { title: 'Of the other one' }, { token: target.b.token })
    assert.equal((await target.call('GET', '/deals')).status, 200)
    indexAll(target.store)
    others = tablesOf(target).map((table) => `${table} ${rowsOf(target, target.b, table).map(text).join('\n')}`)
    restored = await restore(target, target.a)
  })

  test('answers every record of every list byte by byte as the organisation that it is of', async () => {
    const ours = await answers(source, source.a)
    const theirs = await answers(target, await asAna(target, target.a))
    assert.ok(ours.length > 60)
    assertSame(theirs, ours)
  })

  test('has every row of every table again, every column of it', () => {
    for (const { store } of [source, target]) indexAll(store)
    for (const table of tablesOf(source)) {
      if (LEFT_OUT.includes(table)) continue
      const [all, theirs] = [rowsOf(source, source.a, table), rowsOf(target, target.a, table)]
      // Words that no record has any more stay known where they were; they do not come along.
      const known = table === 'search_words' ? new Set(theirs.map(text)) : undefined
      const ours = known ? all.filter((row) => known.has(text(row))) : all
      assert.ok(ours.length > 0, `the test has nothing in ${table}`)
      assertSame(theirs.map(text), ours.map(text), table)
      for (const column of Object.keys(ours[0] as Row)) {
        const isFilled = ours.some((row) => row[column] !== null) || EMPTY_COLUMNS.includes(`${table}.${column}`)
        assert.ok(isFilled, `the test has nothing in ${table}.${column}`)
      }
    }
    assert.deepEqual(orgRow(target, target.a), orgRow(source, source.a))
    assert.deepEqual(target.store.db.pragma('foreign_key_check'), [])
  })

  test('tells how much came in', async () => {
    const count = (table: string) => rowsOf(source, source.a, table).length
    assert.equal(restored.org_id, target.a.id)
    assert.equal(restored.last_seq, count('events'))
    assert.deepEqual([restored.members_left, restored.tokens_ended], [[], 1])
    assert.equal((await target.call('GET', '/deals')).status, 401) // its token was of another id
    for (const table of ['contacts', 'deals', 'list_deals', 'import_rejects', 'events', 'members']) {
      assert.equal(restored.records[table], count(table), table)
    }
  })

  test('is written again to the same files, byte by byte', () => {
    const second = join(folder, 'second')
    writeExport(target.store, target.a.org, second)
    assert.deepEqual(readdirSync(second), readdirSync(first))
    for (const name of readdirSync(first)) {
      if (name === 'manifest.json') continue // names the organisation
      if (name === 'audit_log.ndjson') continue // stays with its installation
      const [once, again] = [first, second].map((place) => stripped(name, readFileSync(join(place, name), 'latin1')))
      assert.ok(again === once, name)
    }
  })

  test('has its webhooks disabled, each with a secret of its own, and behind all events that came along', () => {
    const statesOf = ({ store }: TestServer, { org }: Org) =>
      store.db
        .prepare(
          `SELECT id, status, disabled_reason, secrets, planned_seq, failures, failing_since, held_until,
             last_success_at, last_failure_at
           FROM webhooks AS w JOIN webhook_states AS s ON s.org_id = w.org_id AND s.webhook_id = w.id
           WHERE w.org_id = ? ORDER BY id`,
        )
        .all(org) as Row[]
    const secretOf = ({ store }: TestServer, { id, secrets }: Row): string =>
      store.vault.open(`webhook ${id}`, secrets as string)
    const ours = statesOf(source, source.a)
    const theirs = statesOf(target, target.a)
    assert.deepEqual(
      ours.map(({ status }) => status),
      ['active', 'disabled'],
    )
    for (const [index, { id, secrets, ...state }] of theirs.entries()) {
      assert.deepEqual(state, {
        status: 'disabled',
        disabled_reason:
          'The webhook was restored from an export, without its secret. Rotate the secret, then set the status to active.',
        planned_seq: restored.last_seq,
        failures: 0,
        failing_since: null,
        held_until: null,
        last_success_at: null,
        last_failure_at: null,
      })
      const [own, other] = [secretOf(target, { id, secrets }), secretOf(source, ours[index] as Row)]
      assert.match(own, /^\[\{"secret":"whsec_[\w+/]{43}=","until":null\}\]$/)
      assert.notEqual(own, other)
    }
    assert.equal(rowsOf(source, source.a, 'deliveries').length, 1)
    assert.equal(rowsOf(target, target.a, 'deliveries').length, 0)
  })

  test('has mailboxes without passwords, which send and receive nothing before they are given them again', () => {
    const secretsOf = ({ store }: TestServer, { org }: Org) =>
      store.db
        .prepare('SELECT smtp_secret, imap_secret, oauth_secret FROM mailboxes WHERE org_id = ? ORDER BY key')
        .all(org) as Row[]
    const none = { smtp_secret: null, imap_secret: null, oauth_secret: null }
    assert.deepEqual(secretsOf(target, target.a), [none, none])
    const [withOAuth, ours] = secretsOf(source, source.a)
    assert.deepEqual({ ...withOAuth, oauth_secret: null }, none)
    assert.ok(withOAuth?.oauth_secret && ours?.smtp_secret && ours.imap_secret)
    assert.equal(rowsOf(source, source.a, 'mailbox_grants').length, 1)
    assert.equal(rowsOf(target, target.a, 'mailbox_grants').length, 0)
    assert.equal(rowsOf(target, target.a, 'mailbox_states').length, 0)
  })

  test('goes on with what waits: mails on their way out, and the steps of enrollments', () => {
    const all = (sql: string) => target.store.db.prepare(sql).all(target.a.org) as Row[]
    const jobs = (kind: string) =>
      all(`SELECT key, due_at, payload FROM jobs WHERE org_id = ? AND kind = '${kind}' ORDER BY key`)
    const queued = all("SELECT id, send_at FROM messages WHERE org_id = ? AND status = 'queued' ORDER BY id")
    assert.equal(queued.length, 5)
    assert.deepEqual(
      jobs('message.send'),
      queued.map(({ id, send_at }) => ({ key: id, due_at: send_at ?? target.now(), payload: '{}' })),
    )
    assert.equal(queued.filter(({ send_at }) => send_at !== null).length, 1)
    const lanes = all(
      "SELECT lane, mailbox_id FROM jobs JOIN message_headers AS mail ON mail.org_id = jobs.org_id AND message_id = key WHERE jobs.org_id = ? AND kind = 'message.send'",
    )
    assert.equal(lanes.length, 5)
    for (const { lane, mailbox_id } of lanes) assert.equal(lane, mailbox_id)
    const live = all(
      'SELECT id, next_step_at FROM enrollments WHERE org_id = ? AND next_step_at IS NOT NULL ORDER BY id',
    )
    assert.ok(live.length > 2)
    assert.deepEqual(
      jobs('enrollment.step'),
      live.map(({ id, next_step_at }) => ({ key: id, due_at: next_step_at, payload: '{}' })),
    )
  })

  test('has touched nothing of the other organisation there', () => {
    const now = tablesOf(target).map((table) => `${table} ${rowsOf(target, target.b, table).map(text).join('\n')}`)
    assertSame(now, others)
  })

  test('goes on from there: ids ascend, and events count on', async () => {
    const { token } = await asAna(target, target.a)
    target.advance(1) // both clocks stand still at the same millisecond
    const { body } = await target.call('GET', '/deals?limit=1', undefined, { token })
    const { body: made, status } = await target.call('POST', '/deals', { title: 'New' }, { token })
    assert.equal(status, 201)
    assert.ok(made.id > body.data[0].id)
    const events = target.events(restored.last_seq)
    assert.deepEqual(
      events.map(({ seq, type }) => [seq, type]),
      [[restored.last_seq + 1, 'deal.created']],
    )
  })
})

test('what was done before can be taken back after it, as where it was done', async () => {
  const { store, deps, a } = target
  const idOf = (sql: string) => store.db.prepare(sql).pluck().get(a.org) as string
  const merge = idOf("SELECT id FROM merges WHERE org_id = ? AND object = 'company'")
  const { left } = store.transaction(() => mergeStore(deps).undo({ org: a.org, member: null }, merge))
  assert.deepEqual(left, [])
  const imported = idOf('SELECT id FROM imports WHERE org_id = ? AND undone_at IS NULL')
  const { deleted } = await undoImport(store, { org: a.org, id: imported })
  assert.equal(deleted, 2) // also the one that another import had changed, which was taken back
})

test('a second copy in the data folder that it is of answers the same, and the first one still does', async () => {
  const ours = await answers(source, source.a)
  source.store.db.prepare('UPDATE tokens SET revoked_at = 1 WHERE org_id = ?').run(source.b.org)
  const { members_left, tokens_ended } = await restore(source, source.b)
  assert.deepEqual([members_left, tokens_ended], [['ana@birch.example', 'gone@birch.example'], 0])
  assertSame(await answers(source, await asAna(source, source.b)), ours)
  assertSame(await answers(source, source.a), ours)
})
