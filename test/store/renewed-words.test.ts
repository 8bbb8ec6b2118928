import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { renewSearch } from '../../src/store/schema/schema-6-search.ts'
import { KINDS, type Kind, searchIndex } from '../../src/store/search/search.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { checkIntegrity, indexAll, wordsNow } from './searched.ts'

// The words of a database of schema 5 after the migration.

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

/** As schema 5 had them, but for phones and owners. */
const oldWords = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

const TEXTS = ['Jörn Groß', "Aoife O'Malley", 'みらい商店', '새벽상사', 'محـــمد', 'plain text', 'René']

test('all records are found by what a new one would be found by', async () => {
  const { call, store, a } = server
  for (const text of TEXTS) {
    const company = await call('POST', '/companies', { name: text, phone: '+49 30 7654321' })
    const emails = [{ email: `x${TEXTS.indexOf(text)}@renew.example`, label: 'work', is_primary: true }]
    const { body: contact } = await call('POST', '/contacts', { last_name: text, company_id: company.body.id, emails })
    await call('POST', '/deals', { title: text, owner_id: a.owner })
    await call('POST', '/notes', { title: text, body: `\n${text}`, contact_ids: [contact.id] })
    await call('POST', '/tasks', { title: 'Call', body: text })
    const times = { starts_at: '2026-12-01T09:00:00.000Z', ends_at: '2026-12-01T10:00:00.000Z' }
    await call('POST', '/meetings', { title: 'Talk', ...times, participants: [{ email: 'x@y.example', name: text }] })
  }
  const words = () => wordsNow(store.db).map(([org, kind, id, all]) => [org, kind, id, all.split(' ').sort().join(' ')])
  const wanted = words()
  store.transaction(() => {
    for (const [org, kind, id, all] of wordsNow(store.db)) {
      const name = Object.keys(KINDS).find((each) => KINDS[each as Kind] === kind) as Kind
      const own = all.split(' ').map((word) => [...word].slice(1).join(''))
      // Each of the texts is the same by its words: the one whose words are there is the one it had.
      const text = TEXTS.find((each) => all !== '' && own.includes(newest(each)))
      const kept = own.filter((word) => /^[\x20-\x7e]*$|\ue000/.test(word) && !ADDED.has(word))
      searchIndex(store.db, name).put(org, id, [...new Set([...(text ? oldWords(text) : []), ...kept])])
    }
  })
  indexAll(store)
  assert.notDeepEqual(words(), wanted)
  store.transaction(() => renewSearch(store.db))
  assert.deepEqual(words(), wanted)
  checkIntegrity(store.db)
})

/** A word that only the newest schema finds a text by. */
const newest = (text: string): string =>
  ({
    'Jörn Groß': 'joern',
    "Aoife O'Malley": 'omalley',
    みらい商店: '商店',
    새벽상사: '새벽'.normalize('NFKD'),
    محـــمد: 'محمد',
  })[text] ?? '–'
const ADDED = new Set(['joern', 'omalley'])

test('transcripts are found inside of words, and names compared without what cannot be seen', async () => {
  const { call, store, a } = server
  const times = { starts_at: '2026-12-01T09:00:00.000Z', ends_at: '2026-12-01T10:00:00.000Z' }
  const { body: meeting } = await call('POST', '/meetings', { title: 'Talk', ...times, participants: [] })
  const segments = [{ speaker: null, start_ms: 0, end_ms: 10, text: '我们明天去新的工厂' }]
  assert.equal((await call('PUT', `/meetings/${meeting.id}/transcript`, { segments })).status, 200)
  const { body: company } = await call('POST', '/companies', { name: 'نرم‌افزار' })
  store.transaction(() => {
    store.db.prepare('UPDATE transcript_segments SET words = ?').run('我们明天去新的工厂')
    store.db.prepare('UPDATE transcripts SET words = ?').run('我们明天去新的工厂')
    store.db.prepare("UPDATE companies SET name_key = 'نرم‌افزار' WHERE id = ?").run(company.id)
    searchIndex(store.db, 'meeting').put(a.org, meeting.id, ['talk', '我们明天去新的工厂'])
  })
  indexAll(store)
  store.transaction(() => renewSearch(store.db))
  const found = await call('GET', `/meetings?q=${encodeURIComponent('工厂')}`)
  assert.deepEqual(
    found.body.data.map(({ id }: { id: string }) => id),
    [meeting.id],
  )
  const said = await call('GET', `/meetings/${meeting.id}/transcript?q=${encodeURIComponent('新的')}`)
  assert.equal(said.body.segments.length, 1)
  assert.equal(store.db.prepare('SELECT name_key FROM companies WHERE id = ?').pluck().get(company.id), 'نرمافزار')
})

test('notes and tasks are found by the phones in them, and by no day or amount', async () => {
  const { call, store, a } = server
  const body = 'Call back on +49 30 7654-888, by 2026-12-01, about 12.500,00'
  const { body: contact } = await call('POST', '/contacts', { last_name: 'Mistral' })
  const { body: note } = await call('POST', '/notes', { body, contact_ids: [contact.id] })
  const { body: task } = await call('POST', '/tasks', { title: body })
  store.transaction(() => {
    for (const [kind, { id }] of [
      ['note', note],
      ['task', task],
    ] as const)
      searchIndex(store.db, kind).put(a.org, id, oldWords(body))
  })
  indexAll(store)
  for (const list of ['notes', 'tasks']) assert.deepEqual((await call('GET', `/${list}?q=7654888`)).body.data, [])
  store.transaction(() => renewSearch(store.db))
  for (const [list, id] of [
    ['notes', note.id],
    ['tasks', task.id],
  ]) {
    const found = async (q: string) =>
      (await call('GET', `/${list}?q=${encodeURIComponent(q)}`)).body.data.map((each: { id: string }) => each.id)
    assert.deepEqual(await found('7654888'), [id])
    assert.deepEqual(await found('4930 7654888'), [id])
    assert.deepEqual(await found('20261201'), [])
  }
  checkIntegrity(store.db)
})
