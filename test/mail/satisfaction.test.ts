import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, type TestContext, test } from 'node:test'
import { applySettings, showSettings } from '../../src/app/settings/document.ts'
import { moveStore } from '../../src/inbox/conversations/moves.ts'
import { readMail } from '../../src/lib/mail/parse/read.ts'
import { ratingStore } from '../../src/mail/satisfaction/ratings.ts'
import { sendingStore } from '../../src/mail/sending.ts'
import { type AppServer, startApp } from '../support/app-data.ts'
import { errorsOf, type Row } from '../support/records.ts'
import { startSmtp } from '../support/smtp.ts'
import { officeOf } from './office.ts'

// One question in the mail that closes, and the page behind its two links.

const MINUTE = 60_000
const DAY = 86_400_000
const CLOSES = { closes_conversation: true }
const LINK = /https?:\/\/\S+\/rating\/[\w-]{64}\/(?:not-)?good/g

let app: AppServer
let desk: ReturnType<typeof officeOf>
before(async () => {
  app = await startApp()
  desk = officeOf(app)
  const { org } = showSettings(app.store, app.a.org)
  applySettings(app.store, app.a.org, { org: { ...org, public_base_url: app.screensUrl } })
})
after(() => app.stop())
// Days pass in between, and sessions end.
beforeEach(() => app.pass(0))

const ask = (given: Row = {}) => applySettings(app.store, app.a.org, { satisfaction: { is_active: true, ...given } })

/** An office that sends for this test, and asks. */
async function office(t: TestContext, given: Row = {}) {
  const smtp = await startSmtp(t)
  const { tick, later } = desk.office(t, smtp.server.port)
  ask(given)
  /** The mail that this has sent: its two bodies and its links. */
  async function sent() {
    await tick()
    const { source } = smtp.mails.at(-1) as { source: Buffer }
    const { text, html } = await readMail(source)
    const links = [...new Set(text.match(LINK) ?? [])]
    return { text, html: html ?? '', links, good: links[0] as string, bad: links[1] as string, source }
  }
  async function closed(more: Row = {}, email?: string) {
    const question = await desk.asked(email)
    const answer = await desk.answer(question, { ...CLOSES, ...more })
    return { question, answer, ...(await sent()) }
  }
  return { smtp, tick, later, sent, closed }
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const get = (url: string, language = 'en', method = 'GET') =>
  fetch(url, { method, redirect: 'manual', headers: { 'accept-language': language } })
const press = (url: string, comment = '', headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', headers: { ...FORM, ...headers }, body: new URLSearchParams({ comment }) })
/** Where the link to the other answer leads. */
const hrefIn = (page: string, at: string): string => new URL(/<a href="([^"]+)"/.exec(page)?.[1] ?? '', at).href
const row = ({ id }: Row): Row | undefined =>
  app.store.db.prepare('SELECT answer, comment, changes FROM ratings WHERE message_id = ?').get(id) as Row | undefined
const lines = async ({ conversation_id }: Row): Promise<Row[]> =>
  (await app.ok('viewer', 'GET', `/inbox/${conversation_id}/history`)).data.filter(
    ({ field }: Row) => field === 'rating',
  )
const shown = (all: Row[]) => all.map(({ after, by, comment }) => [after, by, comment])

describe('the mail that closes', () => {
  test('asks at its end, in both of its parts, and each attempt asks the same', async (t) => {
    const { smtp, later, sent } = await office(t)
    smtp.answer({ data: () => '451 4.3.0 Later' })
    const question = await desk.asked()
    const answer = await desk.answer(question, { ...CLOSES, body_html: '<p>Here <b>it</b> is.</p>' })
    await later(0)
    ask({ question: 'Something else?' })
    smtp.answer({})
    await later(10 * MINUTE)
    const { text, html, links, good, bad } = await sent()
    assert.equal(links.length, 2)
    assert.equal(text.trim(), `Here it is.\n\nHow was our answer?\nGood: ${good}\nNot good: ${bad}`)
    assert.match(html, /<b>it<\/b> is\.<\/p>\s*<p>How was our answer\?<br ?\/?>/)
    for (const link of links) assert.ok(html.includes(`href="${link}"`), html)
    assert.doesNotMatch(html, /<img|src=/)
    assert.ok(good.startsWith(`${app.screensUrl}/rating/`))
    assert.equal((await desk.now(answer)).body_text, answer.body_text)
    assert.equal((await desk.inbox.conversation(question.conversation_id)).status, 'closed')
    const [line, ...none] = await lines(question)
    assert.deepEqual([shown([line as Row]), none], [[[null, 'Eva Ruiz', null]], []])
    // Whoever has the addresses can answer.
    assert.deepEqual(line?.asked, { message_id: answer.id, text: 'How was our answer?\nGood:\nNot good:' })
  })

  test('asks nothing unless it is switched on, closes, and is of such a mailbox', async (t) => {
    const { closed, sent } = await office(t, { is_active: false })
    assert.deepEqual((await closed()).links, [])
    ask({ mailboxes: [] })
    assert.deepEqual((await closed()).links, [])
    ask({ mailboxes: ['support'] })
    assert.equal((await closed()).links.length, 2)
    await desk.answer(await desk.asked())
    assert.deepEqual((await sent()).links, [])
  })

  test('asks nothing of others: a forward, an answer to a supplier, a mail that does not close as somebody wrote', async (t) => {
    const { closed, sent, later } = await office(t)
    const question = await desk.asked()
    await desk.answer(question, { ...CLOSES, to: [{ email: 'parts@supply.example' }] })
    assert.deepEqual((await sent()).links, [])
    await desk.answer(question, {
      ...{ ...CLOSES, forwards_message_id: question.id, to: [{ email: 'other@supply.example' }] },
    })
    assert.deepEqual((await sent()).links, [])
    const second = await desk.asked()
    await desk.answer(second, { ...CLOSES, send_at: desk.inbox.inMs(MINUTE) })
    await desk.inbox.say('inbound', second.conversation_id, { from: { email: second.author.email } })
    await later(MINUTE)
    assert.deepEqual((await sent()).links, [])
    assert.equal((await closed()).links.length, 2)
  })

  test('asks nobody who has not asked us: what we have begun', async (t) => {
    const { sent } = await office(t)
    const contact_id = (await app.newContact({ emails: [{ email: 'new@firm.example' }] })).id
    const opening = { channel: 'email', direction: 'outbound', subject: 'News', body_text: 'Hello', ...CLOSES }
    const begun = await desk.inbox.make('/messages', { ...opening, contact_id })
    assert.deepEqual((await sent()).links, [])
    await desk.inbox.say('inbound', begun.conversation_id, { from: { email: 'new@firm.example' } })
    await desk.answer(begun, CLOSES)
    assert.equal((await sent()).links.length, 2)
  })

  test('asks once until the conversation was open again, and a person not again for so many days', async (t) => {
    const { closed, sent } = await office(t)
    const { question, links } = await closed()
    assert.equal(links.length, 2)
    app.advance(MINUTE)
    await desk.answer(question, CLOSES)
    assert.deepEqual((await sent()).links, [])
    app.advance(MINUTE)
    await desk.inbox.say('inbound', question.conversation_id, { from: { email: question.author.email } })
    app.advance(MINUTE)
    await desk.answer(question, CLOSES)
    assert.equal((await sent()).links.length, 2)
    ask({ pause_days: 30 })
    app.advance(29 * DAY)
    assert.deepEqual((await closed({}, question.author.email)).links, [])
    assert.equal((await closed()).links.length, 2)
    app.advance(DAY)
    assert.equal((await closed({}, question.author.email)).links.length, 2)
  })

  test('has the words of its language, or its own, escaped', async (t) => {
    const { closed } = await office(t, { language: 'de' })
    const german = await closed()
    assert.match(german.text, /Wie war unsere Antwort\?\nGut: \S+\nNicht gut: \S+/)
    ask({ question: 'C’était <b>bien</b> & "vite" ?', good: 'Oui', not_good: 'Non' })
    const own = await closed()
    assert.match(own.text, /C’était <b>bien<\/b> & "vite" \?\nOui: \S+\nNon: \S+/)
    assert.ok(own.source.includes('&lt;b>') || own.source.includes('&lt;b&gt;'))
    const page = await (await get(own.good, 'fr')).text()
    assert.match(page, /<title>C’était &lt;b&gt;bien&lt;\/b&gt; &amp; &quot;vite&quot; \?<\/title>/)
    assert.match(page, /<strong lang="en" dir="auto">Oui<\/strong>/)
  })
})

describe('a link', () => {
  /** Ends from which a relative link could lead to the other answer. */
  const AROUND = ['good/', 'good/not-good', 'not-good/good', 'good./not-good', 'good/.']

  test('stores nothing, followed by programs in any order and number; the last press counts', async (t) => {
    const { closed } = await office(t)
    const { answer, good, bad, question } = await closed()
    const seq = app.lastSeq()
    for (const url of [bad, good, good, bad])
      for (const method of ['HEAD', 'GET', 'GET']) assert.equal((await get(url, 'en', method)).status, 200)
    assert.deepEqual(row(answer), { answer: null, comment: null, changes: 0 })
    assert.deepEqual(app.events(seq), [])
    assert.equal((await press(bad, ' Too\r\nslow ')).status, 200)
    assert.deepEqual(row(answer), { answer: 'not_good', comment: 'Too\nslow', changes: 1 })
    assert.deepEqual(shown(await lines(question)), [['not_good', 'Eva Ruiz', 'Too\nslow']])
    await press(bad)
    assert.deepEqual(row(answer), { answer: 'not_good', comment: 'Too\nslow', changes: 1 })
    await press(good)
    await get(bad)
    assert.deepEqual(row(answer), { answer: 'good', comment: null, changes: 2 })
    assert.deepEqual(
      app.events(seq).map(({ type, changed_fields }) => [type, changed_fields]),
      Array(2).fill(['conversation.updated', []]),
    )
  })

  test('changes nothing else: neither status nor clocks, waiting, unread, messages or times', async (t) => {
    const { closed } = await office(t)
    const { question, good } = await closed()
    const path = `/conversations/${question.conversation_id}`
    const before = await desk.inbox.get(path)
    const messages = (await desk.inbox.get(`${path}/messages`)).data
    app.advance(MINUTE)
    await press(good, 'Thanks!')
    const { updated_at, version, ...now } = await desk.inbox.get(path)
    const { updated_at: _at, version: was, ...then } = before
    assert.deepEqual(now, then)
    assert.equal(version, (was as number) + 1)
    assert.deepEqual((await desk.inbox.get(`${path}/messages`)).data, messages)
  })

  test('shows the chosen answer and one button, in the language of the browser, under a strict policy', async (t) => {
    const { closed } = await office(t)
    const { bad } = await closed()
    const response = await get(bad)
    const page = await response.text()
    assert.match(page, /<html lang="en">[\s\S]*<h1>How was our answer\?<\/h1>[\s\S]*>Not good<\/strong>/)
    assert.equal(page.match(/<button/g)?.length, 1)
    assert.equal(hrefIn(page, bad), bad.replace('/not-good', '/good'))
    assert.equal(hrefIn(await (await get(`${bad}.`)).text(), `${bad}.`), bad.replace('/not-good', '/good'))
    assert.match(
      await (await get(bad, 'de-AT,de;q=0.9')).text(),
      /<html lang="de">[\s\S]*<h1 lang="en" dir="auto">[\s\S]*Antwort senden/,
    )
    const header = (name: string) => response.headers.get(name)
    assert.match(
      header('content-security-policy') as string,
      /^default-src 'none'; style-src 'self'; .*form-action 'self'; frame-ancestors 'none'$/,
    )
    for (const [name, value] of Object.entries({
      ...{ 'cache-control': 'no-store', 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' },
      ...{ 'set-cookie': null, location: null, vary: 'Accept-Language, Cookie' },
    }))
      assert.equal(header(name), value, name)
    for (const place of [bad, `${bad}/`, `${bad}/x/y`, bad.replace('/not-good', ''), `${app.screensUrl}/rating/`]) {
      const [, href = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(await (await get(place)).text()) ?? []
      const style = await fetch(new URL(href, place))
      assert.equal(style.headers.get('content-type'), 'text/css; charset=utf-8', place)
    }
  })

  test('refuses a longer comment and keeps what was typed, and takes other bodies as no comment', async (t) => {
    const { closed } = await office(t)
    const { answer, good } = await closed()
    const long = '😀'.repeat(1001)
    const refused = await press(good, `${long}<`)
    assert.equal(refused.status, 422)
    assert.match(await refused.text(), /<textarea [^>]*aria-invalid="true"[^>]*>\n(?:😀){1001}&lt;<\/textarea>/u)
    assert.equal(row(answer)?.answer, null)
    assert.equal((await press(good, long.slice(2))).status, 200)
    assert.equal(row(answer)?.comment, long.slice(2))
    assert.equal((await fetch(good, { method: 'POST', headers: FORM, body: 'x'.repeat(20_000) })).status, 413)
    assert.equal((await fetch(good, { method: 'POST', body: '{"comment":"x"}' })).status, 200)
    assert.equal((await fetch(good, { method: 'PUT' })).status, 405)
    assert.deepEqual([row(answer)?.answer, row(answer)?.changes], ['good', 1])
  })

  test('that was changed, is of another kind, or of nothing here says so', async (t) => {
    const { closed } = await office(t)
    const { good, answer } = await closed()
    const token = good.split('/').at(-2) as string
    const flipped = token.replace(/.$/, token.endsWith('A') ? 'B' : 'A')
    for (const path of [
      `${flipped}/good`,
      `${token}/perfect`,
      token,
      `${token}/good2`,
      '',
      'x/good',
      ...AROUND.map((each) => `${token}/${each}`),
    ])
      for (const method of ['GET', 'POST'])
        assert.equal((await get(`${app.screensUrl}/rating/${path}`, 'en', method)).status, 404, path)
    assert.equal((await get(`${app.screensUrl}/unsubscribe/${token}`)).status, 404)
    assert.equal((await get(`${good}.`)).status, 200)
    const erased = app.store.db.prepare('DELETE FROM ratings WHERE message_id = ?')
    assert.equal(row(answer)?.answer, null)
    erased.run(answer.id)
    const gone = await press(good)
    assert.equal(gone.status, 404)
    assert.match(await gone.text(), /is not kept any more/)
  })

  test('loses of a comment what cannot be stored and nobody has typed', async (t) => {
    const { closed } = await office(t)
    const { answer, good } = await closed()
    const marks = (count: number) => '\u0323'.repeat(count)
    assert.equal((await press(good, `\0 a\0${marks(1000)}\r\nb${marks(3)}\0`)).status, 200)
    assert.equal(row(answer)?.comment, `a${marks(30)}\nb${marks(3)}`.normalize('NFC'))
    assert.equal((await press(good, '\0\0')).status, 200)
    assert.equal((await press(good, 'x'.repeat(1001))).status, 422)
  })

  test('works for 90 days, and for twenty answers', async (t) => {
    const { closed } = await office(t)
    const { answer, good, bad } = await closed()
    for (let n = 0; n < 20; n++) assert.equal((await press(n % 2 ? good : bad)).status, 200)
    const over = await press(bad)
    assert.equal(over.status, 410)
    // One that waited for its turn meanwhile is looked at again.
    const late = { answer: 'not_good', comment: null } as const
    assert.equal(await app.store.write(() => ratingStore(app.deps).answer(app.a.org, answer.id, late)), false)
    assert.deepEqual([row(answer)?.answer, row(answer)?.changes], ['good', 20])
    const second = await closed()
    app.advance(90 * DAY - 1000)
    assert.equal((await press(second.good)).status, 200)
    app.advance(1000)
    assert.equal((await get(second.bad)).status, 410)
    assert.equal((await press(second.bad)).status, 410)
    assert.equal(row(second.answer)?.answer, 'good')
  })

  test('is not for members of the organisation that asks', async (t) => {
    const { closed } = await office(t)
    const { answer, good } = await closed()
    const { cookie } = await app.signIn(app.ids.member)
    assert.equal((await fetch(good, { headers: { cookie } })).status, 403)
    assert.equal((await press(good, '', { cookie })).status, 403)
    assert.equal(row(answer)?.answer, null)
    const { cookie: other } = app.people.stranger
    assert.equal((await press(good, '', { cookie: other })).status, 200)
  })

  test('follows its mail through a merge and a split, also after their undo', async (t) => {
    const { closed } = await office(t)
    const first = await closed()
    const second = await closed()
    const who = { org: app.a.org, member: app.a.owner }
    const { merge, takeBack } = moveStore(app.deps)
    const from = await desk.inbox.conversation(first.question.conversation_id)
    app.store.transaction(() => merge(who, from as never, second.question.conversation_id))
    await press(first.good, 'In one')
    assert.deepEqual(shown(await lines(second.question)), [
      [null, 'Eva Ruiz', null],
      ['good', 'Eva Ruiz', 'In one'],
    ])
    const merged = await desk.inbox.conversation(from.id)
    app.store.transaction(() => takeBack(who, from.id, merged.version))
    assert.deepEqual(shown(await lines(first.question)), [['good', 'Eva Ruiz', 'In one']])
  })

  test('names nobody where several got the mail', async (t) => {
    const { closed } = await office(t)
    const eva = `eva${app.lastSeq()}@firm.example`
    const { question, good } = await closed({ to: [{ email: eva }], cc: [{ email: 'bo@firm.example' }] }, eva)
    await press(good)
    assert.deepEqual(shown(await lines(question)), [['good', null, null]])
  })
})

test('of a mail that bounced nothing is told or counted, and the next one asks', async (t) => {
  const { closed, sent } = await office(t)
  const { question, answer } = await closed()
  await app.store.write(() => void sendingStore(app.deps).bounced(app.a.org, answer.id, '550 No such user'))
  assert.deepEqual(await lines(question), [])
  await desk.answer(question, CLOSES)
  assert.equal((await sent()).links.length, 2)
})

describe('the counts', () => {
  test('are by member and month, in the time zone of the organisation, and of it alone', async (t) => {
    const { closed } = await office(t)
    const first = await closed()
    const month = new Date(app.now()).toISOString().slice(0, 7)
    const path = `/satisfaction/counts?from=${month}&to=${month}`
    const before = (await app.ok('viewer', 'GET', path)).data
    await press(first.good)
    // Whoever has the conversation now did not write the answer.
    await desk.inbox.patch(first.question.conversation_id, { owner_id: app.ids.member })
    await press((await closed()).bad)
    await closed()
    const of = (data: Row[]) => {
      const { asked, good, not_good } = data.find(({ member_id }) => member_id === app.a.owner) as Row
      return [asked, good, not_good] as [number, number, number]
    }
    const [asked, good, bad] = of(before)
    assert.deepEqual(of((await app.ok('viewer', 'GET', path)).data), [asked + 2, good + 1, bad + 1])
    assert.deepEqual((await app.ok('stranger', 'GET', path)).data, [])
    for (const query of ['?from=2026-13', '?from=x', '?from=2026-02&to=2026-01', '?from=2020-01&to=2022-01'])
      assert.equal((await app.ask('viewer', 'GET', `/satisfaction/counts${query}`)).status, 400, query)
    assert.equal((await app.ask('viewer', 'GET', '/satisfaction/counts?from=2020-02&to=2022-01')).status, 200)
  })
})

describe('the settings', () => {
  const set = (given: Row, person: 'admin' | 'member' = 'admin', headers: Record<string, string> = {}) =>
    app.ask(person, 'PUT', '/satisfaction', given, headers)

  test('are set on the screen by the same function, by administrators', async (t) => {
    await office(t, { question: 'Good?', pause_days: 7 })
    const { version, words, ...now } = await app.ok('viewer', 'GET', '/satisfaction')
    assert.deepEqual(words, { language: 'en', question: 'Good?', good: 'Good', not_good: 'Not good' })
    assert.deepEqual(now, showSettings(app.store, app.a.org).satisfaction)
    assert.equal((await set({ is_active: false }, 'member')).status, 403)
    const answer = await set({ is_active: true, mailboxes: ['support'], good: 'Yes' })
    assert.deepEqual([answer.status, answer.body.good, answer.body.version], [200, 'Yes', version + 1])
    assert.deepEqual(showSettings(app.store, app.a.org).satisfaction, {
      ...{ is_active: true, mailboxes: ['support'], language: 'en', good: 'Yes', pause_days: 0 },
    })
    assert.equal((await set({ is_active: false }, 'admin', { 'if-match': `"${version}"` })).status, 412)
    assert.deepEqual(applySettings(app.store, app.a.org, showSettings(app.store, app.a.org)).changed, [])
  })

  test('refuse what cannot be asked, and leave nothing behind', async (t) => {
    await office(t, { is_active: true })
    const before = showSettings(app.store, app.a.org)
    for (const [given, error] of [
      [{ mailboxes: ['none'] }, '/satisfaction/mailboxes/0 unknown_mailbox'],
      [{ question: ' ' }, '/question not_one_line'],
      [{ good: 'a\nb' }, '/good not_one_line'],
      [{ question: 'x'.repeat(201) }, '/question too_long'],
      [{ not_good: 'x'.repeat(41) }, '/not_good too_long'],
      [{ pause_days: 366 }, '/pause_days out_of_range'],
      [{ language: 'fr' }, '/language invalid_choice'],
    ] as const) {
      const { status, body } = await set({ is_active: true, ...given })
      assert.deepEqual([status, ...errorsOf(body)], [422, error])
    }
    const { public_base_url: _, ...org } = before.org
    assert.throws(() => applySettings(app.store, app.a.org, { org }), /Switch it off first/)
    applySettings(app.store, app.a.org, { org, satisfaction: { is_active: false } })
    const { status, body } = await set({ is_active: true })
    assert.deepEqual([status, ...errorsOf(body)], [422, '/satisfaction/is_active no_public_base_url'])
    applySettings(app.store, app.a.org, before)
    assert.deepEqual(showSettings(app.store, app.a.org), before)
  })
})
