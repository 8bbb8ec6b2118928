import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { emptyTables } from '../../src/ops/doctor/inspect/search-tables.ts'
import { DATABASE, openStore } from '../../src/store/open.ts'
import { type Connection, openSqlite } from '../../src/store/sqlite/driver.ts'
import { checkIntegrity, indexAll, wordsNow } from '../store/searched.ts'
import { noiseOf, overwritePages } from '../support/noise.ts'
import { makeOrg, type Org } from '../support/org.ts'
import { serve } from '../support/served.ts'
import { cli, temporaryFolder } from './command-line.ts'

// What searches read is made from the records: whatever happens to it, nothing is lost, and the doctor makes it anew.

const root = temporaryFolder()
const whole = join(root, 'whole')
let org: Org
/** By the words that find them: a list, and the id of the record. */
const found = new Map<string, [path: string, id: string]>()
let words: string[]

before(async () => {
  const store = openStore(whole, { create: true })
  org = await makeOrg(store, whole, 'Acme')
  store.close()
  const server = await serve(whole, org.token)
  const make = async (path: string, body: object, ...said: string[]): Promise<string> => {
    const { status, body: made } = await server.call('POST', path, body)
    assert.equal(status, 201, JSON.stringify(made))
    for (const each of said) found.set(each, [path, made.id])
    return made.id
  }
  const company = await make('/companies', { name: 'Kestrel Works', phone: '+49 30 5551234' }, 'kest', '5551')
  const phones = [{ number: '+1 202 555 0143' }]
  const contact = await make('/contacts', { last_name: 'Müller', company_id: company, phones }, 'mueller', '0143')
  await make('/deals', { title: 'Oak desks' }, 'oak des')
  await make('/notes', { body: 'Prefers walnut', contact_ids: [contact] }, 'walnut')
  await make('/tasks', { title: 'Send catalogue' }, 'catalogue')
  const times = { starts_at: '2026-12-01T09:00:00Z', ends_at: '2026-12-01T10:00:00Z' }
  const meeting = await make('/meetings', { title: 'Fitting', ...times, location: 'Harbour' }, 'harbour')
  const segments = [{ speaker: 'a', start_ms: 0, end_ms: 900, text: 'The varnish is too dark' }]
  const transcript = { language: 'en', speakers: [{ key: 'a', name: 'Ana' }], segments }
  const { status, body } = await server.call('PUT', `/meetings/${meeting}/transcript`, transcript)
  assert.ok(status < 300, JSON.stringify(body))
  found.set('varnish', ['/meetings', meeting])
  const mail = { direction: 'inbound', contact_id: contact, channel: 'chat', subject: 'Legs', body_text: 'They wobble' }
  const { conversation_id } = (await server.call('POST', '/messages', mail)).body
  found.set('legs wobble', ['/conversations', conversation_id])
  for (let n = 0; n < 120; n++) await server.call('POST', '/deals', { title: `Order ${n} of pine, batch ${n * 7919}` })
  await server.stop()
  const again = openStore(whole)
  indexAll(again)
  again.close()
  words = wordsOf(whole)
})

/** Each document with its words in order. */
function wordsOf(dataDir: string): string[] {
  const store = openStore(dataDir)
  try {
    checkIntegrity(store.db)
    return wordsNow(store.db)
      .map(([of, kind, id, text]) => `${of} ${kind} ${id} ${text.split(' ').sort().join(' ')}`)
      .sort()
  } finally {
    store.close()
  }
}

/** Changes a database as another program would. */
function change(dataDir: string, ...steps: (string | ((db: Connection) => unknown))[]): void {
  const db = openSqlite(join(dataDir, DATABASE))
  db.unsafeMode?.(true)
  for (const step of steps) typeof step === 'string' ? db.exec(step) : step(db)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
}

function copyOf(name: string): string {
  const folder = join(root, name)
  rmSync(folder, { recursive: true, force: true })
  cpSync(whole, folder, { recursive: true })
  return folder
}

async function doctor(dataDir: string, ...more: string[]) {
  const { code, out, err } = await cli(['doctor', '--data', dataDir, '--json', ...more])
  assert.equal(err, '')
  return { code, ...JSON.parse(out) }
}

/** All pages of a table. */
function pagesOf(dataDir: string, name: string): number[] {
  const db = openSqlite(join(dataDir, DATABASE), { readonly: true })
  const root = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(name) as number
  db.close()
  return [root]
}

const noise = (dataDir: string, table: string, seed: number): void =>
  overwritePages(dataDir, pagesOf(dataDir, table), noiseOf(seed).page)

/** What happens to it, what the doctor says, and whether that takes --full. */
const DAMAGES: [name: string, damage: (dataDir: string) => void, said: RegExp, how?: '--full'][] = [
  ['noise in the pages of the index', (at) => noise(at, 'search_data', 1), /^The search is damaged: /],
  ['noise in its list of pages', (at) => noise(at, 'search_idx', 2), /^The search is damaged: /],
  ['noise in the documents', (at) => noise(at, 'search_docs', 3), /^The search is damaged: /],
  ['noise in the words', (at) => noise(at, 'search_words', 4), /^The search is damaged: /],
  [
    'a part of the index that is gone',
    (at) => change(at, 'DELETE FROM search_data WHERE id > 10'),
    /^The search is damaged: /,
  ],
  ['its structure that is gone', (at) => change(at, 'DELETE FROM search_data'), /^The search is damaged: /],
  ['its settings that are gone', (at) => change(at, 'DELETE FROM search_config'), /search/],
  ['a table of the index that is gone', (at) => change(at, 'DROP TABLE search_idx'), /^The search is damaged: /],
  [
    'an empty index',
    (at) => change(at, "INSERT INTO search (search) VALUES ('delete-all')"),
    /other words than its documents/,
  ],
  [
    'an old index',
    (at) => change(at, "UPDATE search_docs SET words = words || ' ' || substr(words, 1, 1) || 'new' WHERE kind = 0"),
    /other words than its documents/,
  ],
  ['words that are not completed', (at) => change(at, 'DELETE FROM search_words'), /other words than its documents/],
  [
    'documents that are gone',
    (at) => change(at, 'DELETE FROM search_docs WHERE kind = 1'),
    /does not know 1 record\.$/,
  ],
  ['all of it gone', (at) => change(at, (db) => emptyTables(db, false)), /does not know \d+ records\.$/],
  [
    'other words than those of a record',
    (at) =>
      change(at, (db) => {
        const kept = db.prepare('SELECT docid, words FROM search_docs WHERE kind = 3').safeIntegers().get() as {
          docid: bigint
          words: string
        }
        db.prepare("INSERT INTO search (search, rowid, words) VALUES ('delete', ?, ?)").run(kept.docid, kept.words)
        const other = kept.words.replace('walnut', 'cherry')
        db.prepare('UPDATE search_docs SET words = ? WHERE docid = ?').run(other, kept.docid)
        db.prepare('INSERT INTO search (rowid, words) VALUES (?, ?)').run(kept.docid, other)
        db.prepare('INSERT INTO search_words VALUES (?, ?)').run(org.org, `${other.slice(0, 2)}cherry`)
      }),
    /other words than 1 record\.$/,
    '--full',
  ],
]

describe('the doctor names what is wrong with the search, and builds it anew from the records', () => {
  for (const [n, [name, damage, said, how]] of DAMAGES.entries())
    test(name, async () => {
      const folder = copyOf('damaged')
      damage(folder)
      const more = how ? [how] : []
      const { checks } = await doctor(folder, ...more)
      assert.equal(checks.search?.status, 'fail', JSON.stringify(checks, null, 1))
      assert.match(checks.search.detail, said)
      assert.match(checks.search.advice, /^Stop the server and use "dealbox doctor --fix", .*Nothing is lost/)
      for (const other of ['database', 'schema', 'orphans'])
        assert.equal(checks[other].status, 'pass', JSON.stringify(checks[other]))
      const { checks: after, fixed } = await doctor(folder, '--fix', '--full')
      assert.match(fixed[0], /^Built the search anew, of \d+ documents\.$/)
      assert.equal(fixed.length, 1, fixed.join())
      for (const each of ['search', 'database', 'orphans', 'audit'])
        assert.equal(after[each].status, 'pass', JSON.stringify(after[each]))
      assert.deepEqual(wordsOf(folder), words)
      if (n % 4 !== 0) return // to start a server takes longer than all the rest
      const server = await serve(folder, org.token)
      try {
        for (const [text, [path, id]] of found) {
          const { body } = await server.call('GET', `${path}?q=${encodeURIComponent(text)}`)
          assert.deepEqual(
            body.data?.map((each: { id: string }) => each.id),
            [id],
            `${text}: ${JSON.stringify(body)}`,
          )
        }
      } finally {
        await server.stop()
      }
    })
})

test('damage elsewhere beside that of the search is a reason to restore, and nothing is written', async () => {
  const folder = copyOf('both')
  noise(folder, 'search_data', 5)
  noise(folder, 'notes', 6)
  const { checks, fixed } = await doctor(folder, '--fix')
  assert.equal(checks.database.status, 'fail')
  assert.match(checks.database.advice, /restore/)
  assert.deepEqual(fixed, [])
})

test('beside a running server nothing is built, and a restart later it is', async () => {
  const folder = copyOf('served')
  change(folder, 'DELETE FROM search_words')
  const server = await serve(folder, org.token)
  try {
    const { checks, fixed } = await doctor(folder, '--fix')
    assert.equal(checks.search.status, 'fail')
    assert.deepEqual(fixed, [])
    assert.deepEqual(await server.tryTo('POST', '/deals', { title: 'Elm shelf' }), [201, null])
  } finally {
    await server.stop()
  }
  const { checks, fixed } = await doctor(folder, '--fix', '--full')
  assert.equal(checks.search.status, 'pass')
  assert.equal(fixed.length, 1)
})
