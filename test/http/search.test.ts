import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { dealStore } from '../../src/crm/deals/deals.ts'
import { matches, queryOf } from '../../src/lib/words.ts'
import { markOf } from '../../src/store/search/search.ts'
import { companies, type Row, wordsIn } from '../store/list/model.ts'
import { checkIntegrity, KINDS, PATHS, recordsOf, type Searched, search, who } from '../store/searched.ts'
import { startCpuClock } from '../support/cpu-clock.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

describe('orgs and kinds', () => {
  test('never show each other what they find', async () => {
    const { a, b, call } = server
    const made = new Map<string, string>()
    for (const org of [a, b]) {
      const make = async (kind: Searched, body: Row) => {
        const { body: record } = await call('POST', PATHS[kind], body, { token: org.token })
        made.set(`${org.org} ${kind}`, record.id)
        return record.id
      }
      const deal = await make('deal', { title: 'Samewords 6661234' })
      await make('contact', { last_name: 'Samewords', phones: [{ number: '6661234' }] })
      await make('company', { name: 'Samewords', phone: '6661234' })
      await make('note', { body: 'Samewords 6661234', deal_ids: [deal] })
      await make('task', { title: 'Samewords 6661234' })
      const times = { starts_at: '2026-12-01T09:00:00Z', ends_at: '2026-12-01T10:00:00Z' }
      await make('meeting', { title: 'Samewords 6661234', ...times })
    }
    for (const org of [a, b])
      for (const kind of KINDS)
        for (const text of ['samewords', 'same', 's 6661', '6661234', '666'])
          assert.deepEqual(await search(server, kind, text, org), [made.get(`${org.org} ${kind}`)], `${kind} ${text}`)
  })

  test('are counted each by itself', async () => {
    for (const { token } of [server.a, server.b]) {
      await server.call('POST', '/deals', { title: 'Samewords again' }, { token })
      const { body } = await server.call('GET', '/deals?q=same&limit=1&count=true', undefined, { token })
      assert.equal(body.total, 2)
    }
  })

  test('are kept apart by a sign that nobody can type', async () => {
    const { a, b, call } = server
    for (const kind of ['deal', 'task'] as const) {
      const theirs = markOf(b.org, kind)
      const { body } = await call('POST', '/deals', { title: `${theirs}planted ${theirs} ${theirs}samewords` })
      assert.deepEqual(await search(server, kind, 'planted', b), [])
      assert.deepEqual(await search(server, 'deal', `${theirs}planted`), [body.id])
      for (const text of [`${theirs}samewords`, markOf(a.org, kind), `${markOf(a.org, kind)}samewords`])
        assert.deepEqual(await search(server, kind, text, b), [], text)
    }
  })
})

describe('hostile text is just text', () => {
  const TITLES = [
    '"quoted" text',
    "it's; DROP TABLE deals;--",
    'NEAR(a b)',
    'a AND b OR c NOT d',
    'title:x ^y -z',
    'star*',
    '100%_',
    'back\\slash',
    'words: a + b',
    '{a b}',
    'rowid rank search',
  ] // prettier-ignore
  const UNITS = [
    '"',
    "'",
    '*',
    '^',
    ':',
    '-',
    '+',
    '(',
    ')',
    '{',
    '}',
    ',',
    ';',
    '%',
    '_',
    '\\',
    ' ',
    'AND',
    ' OR ',
    ' NOT ',
    'NEAR(',
    'NEAR/2',
    'words:',
    'search',
    'rank',
    'rowid',
    'a',
    'b',
    'star',
    '\u0301',
    '\u{10000}',
    '\u{10010}',
    '\u{10011}',
    '\u{10ffff}',
    '\ufffe',
    '\u200f',
    '٣',
    '🚀',
    '--',
    '/*',
    'x',
    '1234',
  ] // prettier-ignore

  test('in every list, and finds what has its words', async () => {
    const ids = new Set<string>()
    for (const title of TITLES) {
      const { body } = await server.call('POST', '/deals', { title })
      ids.add(body.id)
      await server.call('POST', '/tasks', { title, body: title })
      await server.call('POST', '/notes', { title, body: `> ${title}`, deal_ids: [body.id] })
      await server.call('POST', '/companies', { name: title })
      await server.call('POST', '/contacts', { last_name: title })
    }
    companies.clear()
    const all = new Map<string, Row[]>()
    for (const kind of KINDS) all.set(kind, await recordsOf(server, PATHS[kind], server.a))
    const texts = fc.array(fc.constantFrom(...UNITS), { maxLength: 8 }).map((parts) => parts.join(''))
    const property = fc.asyncProperty(fc.oneof(texts, fc.constantFrom(...TITLES)), async (text) => {
      for (const kind of KINDS) {
        const wanted = (all.get(kind) as Row[]).filter((record) => matches(wordsIn(record), queryOf(text)))
        assert.deepEqual(
          await search(server, kind, text),
          wanted
            .map(({ id }) => id)
            .reverse()
            .slice(0, 100),
          JSON.stringify([kind, text]),
        )
      }
    })
    await fc.assert(property, { numRuns: 60 })
    await server.call('GET', '/members?q=%22*')
  })

  test('unless it is no text: NUL, half characters and heaps of marks are refused', async () => {
    for (const kind of KINDS) {
      for (const wrong of [
        '%00',
        'a%00b',
        '%ED%A0%80',
        '%ff',
        'x'.repeat(256),
        encodeURIComponent(`e${'\u0301'.repeat(31)}`),
      ]) {
        const { status, body } = await server.call('GET', `${PATHS[kind]}?q=${wrong}`)
        assert.deepEqual([status, body.code], [400, 'invalid_query'], wrong)
      }
      assert.deepEqual(await search(server, kind, ''), [])
      assert.deepEqual(await search(server, kind, '%%% — 🚀'), [])
    }
  })
})

describe('a search', () => {
  test('finds contacts by name, email, phone in any spelling and company, and follows what changes', async () => {
    const { call, advance } = server
    const firm = (
      await call('POST', '/companies', { name: 'Bäckerei Wörle', domains: ['woerle.example'], phone: '+49 89 7654321' })
    ).body.id
    const { id } = (
      await call('POST', '/contacts', {
        first_name: 'Łucja',
        last_name: 'Nowak-Wiśniewska',
        emails: [{ email: 'L.Nowak@poczta.example' }, { email: 'lucja@home.example' }],
        phones: [{ number: '+49 (30) 987 65-43' }],
        company_id: firm,
      })
    ).body
    const found = [
      'lucja',
      'wisn',
      'l nowak',
      'nowak@poczta',
      'home.ex',
      '0049309876543',
      '030 98765',
      '(030) 987-65',
      '6543',
      'backerei',
      'worl luc',
      'baeckerei',
    ]
    for (const text of found) assert.deepEqual(await search(server, 'contact', text), [id], text)
    for (const text of ['89 7654', 'ucja', 'lucja kowalska', '3456'])
      assert.deepEqual(await search(server, 'contact', text), [], text)
    for (const text of ['bäckerei', 'woerle.example', '089 7654321', '54321'])
      assert.deepEqual(await search(server, 'company', text), [firm], text)
    advance(1000)
    await call('PATCH', `/companies/${firm}`, { name: 'Konditorei' })
    assert.deepEqual(await search(server, 'contact', 'backerei'), [])
    assert.deepEqual(await search(server, 'contact', 'kondi lucja'), [id])
    await call('DELETE', `/companies/${firm}`)
    assert.deepEqual(await search(server, 'contact', 'kondi'), [])
    await call('PATCH', `/contacts/${id}`, { phones: [] })
    assert.deepEqual(await search(server, 'contact', '6543'), [])
    await call('DELETE', `/contacts/${id}`)
    assert.deepEqual(await search(server, 'contact', 'lucja'), [])
  })

  test('finds members by name and email', async () => {
    const { a, store, call } = server
    store.db
      .prepare(
        "INSERT INTO members (org_id, id, name, email, role, status, timezone, created_at, updated_at, version) VALUES (?, ?, 'Zoë Łukasz', 'z.l@acme.example', 'member', 'active', 'UTC', 0, 0, 1)",
      )
      .run(a.org, store.clock.id())
    for (const [text, count] of [
      ['zoe', 1],
      ['LUK', 1],
      ['z l acme', 1],
      ['z.l@acme', 1],
      ['acme', 3],
      ['lukasz ana', 0],
      ['"', 0],
    ] as const)
      assert.equal((await call('GET', `/members?q=${encodeURIComponent(text)}&count=true`)).body.total, count, text)
    assert.equal((await call('GET', '/members?q=zoe', undefined, { token: server.b.token })).body.data.length, 0)
  })

  test('finds a word by its beginning, in however many ways it goes on', async () => {
    const { deps, a, store } = server
    const deals = dealStore(deps)
    const ids: string[] = []
    for (let at = 0; at < 70; at++) {
      ids.unshift(store.transaction(() => deals.create(who(a), { title: `Wq${at.toString(36)}z zz` })).id)
      if ([0, 1, 62, 63, 64, 65, 69].includes(at)) assert.deepEqual(await search(server, 'deal', 'wq'), ids)
    }
    assert.deepEqual(await search(server, 'deal', 'wq z'), ids)
    assert.deepEqual(
      await search(server, 'deal', 'wq1'),
      ids.filter((_, at) => (69 - at).toString(36).startsWith('1')),
    )
  })

  test('has bounds of time, also those that no id can have', async () => {
    const { call, advance } = server
    const times: string[] = []
    for (let at = 0; at < 5; at++) {
      advance(1000)
      times.push((await call('POST', '/tasks', { title: 'Bounded' })).body.created_at)
    }
    const count = async (query: string) => (await call('GET', `/tasks?q=bound&${query}`)).body.data.length
    for (const sort of ['', '&sort=created_at']) {
      for (const [at, time] of times.entries()) {
        assert.equal(await count(`created_at[gte]=${time}${sort}`), 5 - at)
        assert.equal(await count(`created_at[gt]=${time}${sort}`), 4 - at)
        assert.equal(await count(`created_at[lt]=${time}${sort}`), at)
        assert.equal(await count(`created_at[lte]=${time}${sort}`), at + 1)
        assert.equal(await count(`created_at=${time}${sort}`), 1)
      }
      for (const [query, wanted] of [
        ['lt]=9999-12-31T23:59:59Z', 5],
        ['gt]=9999-12-31T23:59:59Z', 0],
        ['lt]=0001-01-01T00:00:00Z', 0],
        ['gte]=0001-01-01T00:00:00Z', 5],
      ] as const)
        assert.equal(await count(`created_at[${query}${sort}`), wanted, query)
      const { body } = await call(
        'GET',
        `/tasks?q=bound&limit=2&created_at[gte]=${times[1]}&created_at[lt]=${times[4]}${sort}`,
      )
      const next = await call(
        'GET',
        `/tasks?q=bound&limit=2&created_at[gte]=${times[1]}&created_at[lt]=${times[4]}${sort}&cursor=${body.next_cursor}`,
      )
      assert.equal(next.body.data.length, 1)
    }
  })

  test('covers notes of 256 KiB, which are written and found in a moment', async () => {
    const deal = (await server.call('POST', '/deals', { title: 'Long notes' })).body.id
    const bodies = {
      'every word another': Array.from({ length: 40_000 }, (_, at) => at.toString(36))
        .join(' ')
        .slice(0, 262_144),
      'one word': 'lorem '.repeat(43_690),
      letters: 'é'.repeat(131_072),
    }
    for (const [name, body] of Object.entries(bodies)) {
      const took = async (job: () => Promise<{ status: number; body: Row }>, status: number): Promise<Row> => {
        const spent = startCpuClock()
        const answer = await job()
        assert.equal(answer.status, status, name)
        assert.ok(spent() < 2000, `${name}: ${spent()} ms`)
        return answer.body
      }
      const note = await took(
        () => server.call('POST', '/notes', { body: `${body.slice(0, -9)} lastword`, deal_ids: [deal] }),
        201,
      )
      const found = await took(() => server.call('GET', '/notes?q=lastword+l'), 200)
      assert.deepEqual(
        found.data.map(({ id }: Row) => id),
        [note.id],
      )
      await took(() => server.call('PATCH', `/notes/${note.id}`, { body: `${body.slice(0, -9)} otherend` }), 200)
      assert.deepEqual(await search(server, 'note', 'lastword'), [])
      assert.deepEqual(await search(server, 'note', 'otherend'), [note.id])
      await took(() => server.call('DELETE', `/notes/${note.id}`), 204)
      assert.deepEqual(await search(server, 'note', 'otherend'), [])
    }
    checkIntegrity(server.store.db)
  })
})
