import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, afterEach, before, describe, test } from 'node:test'
import { silentLog } from '../../../src/lib/log.ts'
import { bulkKinds } from '../../../src/site/app/bulk/routes.ts'
import { openStream } from '../../../src/site/live/stream.ts'
import { startScheduler } from '../../../src/store/jobs/scheduler.ts'
import { type AppServer, type Person, startApp } from '../../support/app-data.ts'
import { insertConversation } from '../../support/conversation.ts'
import { type Reader, readStream } from '../../support/stream.ts'

// What the stream of each role carries: the events of what its session may read, and of private rows those of its member.

let app: AppServer
let open: Reader[] = []
before(async () => {
  app = await startApp()
})
after(() => app.stop())
afterEach(() => {
  for (const reader of open) reader.close()
  open = []
})

async function streamOf(person: Person): Promise<Reader> {
  const reader = await readStream(`${app.screensUrl}/app/stream`, { cookie: app.people[person].cookie })
  open.push(reader)
  await reader.until(() => reader.messages.length > 1)
  return reader
}

const ROLES = ['owner', 'admin', 'member', 'viewer'] as const

test('every role reads of all records, as every role may read them', async () => {
  const streams = await Promise.all(ROLES.map(streamOf))
  const from = app.lastSeq()
  const { id } = await app.newDeal()
  await app.newContact()
  await app.newCompany()
  await app.newRecord('/notes', { body: 'Called', deal_ids: [id] })
  await app.newRecord('/tasks', { title: 'Call' })
  await app.newRecord('/tags', { name: 'Harbour' })
  await app.newRecord('/lists', { name: 'All', object: 'deal', kind: 'static' })
  await app.newRecord('/custom-fields', { key: 'roof', label: 'Roof', object: 'deal', type: 'text' })
  await app.newRecord('/meetings', {
    ...{ title: 'Visit', starts_at: '2026-05-04T08:00:00.000Z', ends_at: '2026-05-04T09:00:00.000Z' },
  })
  const conversation = insertConversation(app.store, app.a.org)
  await app.patchRecord(`/conversations/${conversation}`, { priority: 'high' })
  const stored = app.events(from).map(({ type }) => type)
  for (const [at, stream] of streams.entries()) {
    await stream.until(() => stream.seqs().at(-1) === app.lastSeq())
    assert.deepEqual(
      stream.events().map(({ type }) => type),
      stored,
      ROLES[at] as string,
    )
  }
  assert.equal(new Set(stored.map((type) => type.split('.')[0])).size, 10)
})

test('a session with fewer scopes reads of no record that it may not read, and misses nothing of the others', () => {
  const written: string[] = []
  const res = { writableEnded: false, destroyed: false, writableLength: 0, write: (text: string) => written.push(text) }
  const stream = openStream({
    who: { org: 1, member: 'm', scopes: new Set(['rest.crm.contacts.read', 'rest.crm.deals.write']) },
    ...{ member: 'm', session: 's', role: 'viewer', scopeKey: '', after: 0 },
    res: res as unknown as ServerResponse,
  })
  const types = ['deal.created', 'contact.created', 'note.created', 'contact.deleted', 'unknown.created']
  stream.advance(types.map((type, at) => ({ seq: at + 1, type, text: `${type};` })))
  assert.deepEqual([written, stream.position()], [['contact.created;contact.deleted;'], 5])
  stream.advance([{ seq: 6, type: 'deal.updated', text: 'deal.updated;' }])
  assert.deepEqual([written.length, stream.position()], [1, 6], 'it goes on behind what it may not read')
})

describe('what belongs to one member', () => {
  const view = { object: 'deals', name: 'Mine' }
  const steps: [name: string, kind: string, run: (person: Person) => Promise<unknown>][] = [
    ['a private view', 'view', (person) => app.ok(person, 'POST', '/views', view)],
    ['a draft', 'draft', (person) => app.ok(person, 'PUT', '/drafts/note', { body: { text: 'secret' } })],
    ['the files of a draft', 'draft_files', (person) => app.ok(person, 'DELETE', '/drafts/note/files')],
    ['preferences', 'preferences', (person) => app.ok(person, 'PATCH', '/preferences', { theme: 'dark' })],
    [
      'notifications that were read',
      'notification',
      (person) => app.ok(person, 'POST', '/notifications/read', { all: true }),
    ],
    ['a new notification', 'notification', (person) => app.newDeal({ owner_id: app.ids[person] })],
    [
      'a bulk change',
      'bulk',
      async (person) => {
        const { id } = await app.newDeal()
        await app.ok(person, 'POST', '/bulk', { kind: 'deals', ids: [id], patch: { title: 'Other' } })
        const kinds = bulkKinds(app.deps)
        const scheduler = startScheduler({ store: app.store, log: silentLog, kinds, recurring: [], afterJump: [] })
        await scheduler.tick()
        await scheduler.stop()
      },
    ],
  ]

  for (const [name, kind, run] of steps)
    test(`${name} is told to nobody else`, async () => {
      const [mine, ...others] = await Promise.all(
        (['member', 'other', 'owner', 'viewer', 'stranger'] as const).map(streamOf),
      )
      await run('member')
      await (mine as Reader).until(() => (mine as Reader).notices(kind).length > 0)
      // Notices are sent in order: what comes after it shows that it was not sent.
      await app.ok('owner', 'POST', '/views', { ...view, is_shared: true })
      await app.ok('stranger', 'POST', '/views', { ...view, is_shared: true })
      for (const other of others) {
        await other.until(() => other.notices('view').length > 0)
        assert.deepEqual(other.notices(kind).length, kind === 'view' ? 1 : 0)
        assert.doesNotMatch(JSON.stringify(other.messages), /secret/)
      }
    })

  test('and is never an event, which webhooks would send', async () => {
    const from = app.lastSeq()
    for (const [name, , run] of steps.slice(0, 5)) {
      await run('other')
      assert.equal(app.lastSeq(), from, name)
    }
  })

  test('a view is told to everyone while it is shared, and when it ceases to be', async () => {
    const other = await streamOf('other')
    const { id } = await app.ok('member', 'POST', '/views', { ...view, is_shared: true })
    await app.ok('member', 'PATCH', `/views/${id}`, { is_shared: false })
    await app.ok('member', 'PATCH', `/views/${id}`, { name: 'Hidden' })
    await app.ok('member', 'DELETE', `/views/${id}`)
    const shared = await app.ok('member', 'POST', '/views', { ...view, is_shared: true })
    await other.until(() => other.notices('view').at(-1)?.id === shared.id)
    assert.deepEqual(
      other.notices('view').map((notice) => notice.id),
      [id, id, shared.id],
    )
  })
})
