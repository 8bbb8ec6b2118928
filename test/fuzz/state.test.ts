import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { applySettings } from '../../src/app/settings/document.ts'
import { inboxKinds } from '../../src/inbox/conversations/jobs.ts'
import { readSrt } from '../../src/lib/captions/subrip.ts'
import { readVtt } from '../../src/lib/captions/webvtt.ts'
import { Problem } from '../../src/lib/problem.ts'
import { schedulerHarness } from '../store/jobs/scheduler-harness.ts'
import { inboxOf } from '../support/inbox.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { brokenCaptions, captionFile, forbiddenCaptions } from './captions.ts'
import { faultsOf } from './check.ts'
import { type Interface, readDocument } from './document.ts'
import { drawing } from './draw.ts'
import { blank } from './make.ts'
import type { Answer, Request } from './request.ts'
import { POLICIES, settings } from './settings.ts'
import { stateFaults, talkFaults } from './state.ts'

// That the fuzzer finds what is wrong with meetings, transcripts and conversations: in an answer, and in the database.

let server: TestServer
let api: Interface
let scheduler: ReturnType<typeof schedulerHarness>
let meeting: string
before(async () => {
  server = await startServer()
  api = readDocument(server.document)
  scheduler = schedulerHarness(server, { kinds: inboxKinds(server.deps) })
  applySettings(server.store, server.a.org, settings(false))
  await fill()
})
after(async () => {
  await scheduler.stop()
  await server.stop()
})

/** A conversation that waits and one that is closed, promises that were broken, and a meeting with a transcript. */
async function fill(): Promise<void> {
  const { say, opened, patch, make } = inboxOf(server)
  const { id } = await opened({ attachments: [{ name: 'a.txt', data: 'YWJj' }] })
  const closed = await opened()
  const sleeping = await opened({ subject: 'sleeping' })
  server.advance(60_000)
  await scheduler.tick()
  await say('outbound', id)
  server.advance(1000)
  await say('inbound', id)
  await patch(closed.id, { status: 'closed' })
  const asking = await opened({ channel: 'email', from: { email: 'asking@firm.example' } })
  const aside = { to: [{ email: 'supplier@other.example' }], sent_at: inboxOf(server).inMs(0) }
  await say('outbound', asking.id, aside)
  await patch(sleeping.id, { status: 'snoozed', snoozed_until: inboxOf(server).inMs(3_600_000) })
  await make('/meetings', { title: 'Other', starts_at: '2026-11-20T09:00:00Z', ends_at: '2026-11-20T10:00:00Z' })
  const given = { title: 'Demo', starts_at: '2026-11-20T09:00:00Z', ends_at: '2026-11-20T10:00:00Z', timezone: 'UTC' }
  meeting = (await make('/meetings', given)).id
  const segments = Array.from({ length: 5 }, (_, index) => ({
    speaker: 'Ana',
    start_ms: index * 1000,
    end_ms: index * 1000 + 900,
    text: `word${index} & more`,
  }))
  const { status } = await server.call('PUT', `/meetings/${meeting}/transcript`, { segments })
  assert.equal(status, 200)
}

describe('the state after a run', () => {
  test('has nothing that is wrong with it where all went right', () => {
    assert.deepEqual(stateFaults(server.store.db, server.now()), [])
    assert.deepEqual(talkFaults(server.store.db, 0), [])
  })

  const first = "(SELECT id FROM conversations WHERE unread_count = 2 AND status = 'open')"
  const changes: [what: string, sql: string, found: RegExp][] = [
    ['an unread message more', `UPDATE conversations SET unread_count = 3 WHERE id = ${first}`, /unread_count is 3/],
    ['nobody who waits', `UPDATE conversations SET waiting_since = NULL WHERE id = ${first}`, /waiting_since is null/],
    [
      'another first who waits',
      `UPDATE conversations SET waiting_since = waiting_since - 1 WHERE id = ${first}`,
      /waiting_since is \d+, and not \d+$/m,
    ],
    ['no answer', `UPDATE conversations SET first_response_at = NULL WHERE id = ${first}`, /first_response_at is null/],
    [
      'an aside that is taken for an answer',
      `UPDATE conversations SET first_response_at = created_at WHERE channel = 'email'`,
      /first_response_at is \d+, and not null/,
    ],
    [
      'an answer that is taken for an aside',
      `UPDATE messages SET sent_to = '[{"email":"Asking@firm.example"}]' WHERE sent_to LIKE '%supplier@%'`,
      /is an aside, and went to asking@firm.example/,
    ],
    [
      'a later last message',
      `UPDATE conversations SET last_message_at = 1 WHERE id = ${first}`,
      /last_message_at is 1/,
    ],
    ['another preview', `UPDATE conversations SET preview = 'Other' WHERE id = ${first}`, /the preview "Other"/],
    ['a status without its way', `UPDATE conversations SET status = 'pending' WHERE id = ${first}`, /it is pending/],
    ['a closing at another time', 'UPDATE conversations SET closed_at = closed_at - 1000', /closed_at is/],
    [
      'one that sleeps too long',
      'UPDATE conversations SET snoozed_until = 1 WHERE snoozed_until > 0',
      /sleeps until 1,/,
    ],
    ['another policy', `UPDATE conversations SET priority = 'high' WHERE id = ${first}`, /its policy is/],
    ['another promise', `UPDATE sla_clocks SET target_s = 1 WHERE ended_at IS NULL`, /is promised in 1 s, and not/],
    ['a promise that is forgotten', `UPDATE sla_clocks SET breached_at = NULL, due_at = 1`, /was due at 1, and nobody/],
    [
      'a breach that nobody told of',
      `UPDATE sla_clocks SET breached_at = 1`,
      /sla_breached was told \d times, and not/,
    ],
    [
      'a breach that is told twice',
      `UPDATE events SET type = 'conversation.sla_breached' WHERE type = 'conversation.sla_at_risk'`,
      /sla_at_risk was told 0 times/,
    ],
    [
      'another status of the promises',
      `UPDATE conversations SET sla = json_set(sla, '$.status', 'met')`,
      /its SLA status is/,
    ],
    ['a number that is left out', 'UPDATE orgs SET last_conversation = 9', /the numbers of conversations of org/],
    ['an event that is left out', 'DELETE FROM events WHERE seq = 3', /the events of org 1 have a gap/],
    [
      'a version that is told twice',
      `UPDATE events SET data = json_set(data, '$.object.version', 1) WHERE type = 'conversation.closed'`,
      /conversation.closed, shows version 1 after/,
    ],
    ['a record that is older than its event', 'UPDATE meetings SET version = 0', /is older than its last event/],
    ['a transcript that is said not to be', 'UPDATE meetings SET has_transcript = 0', /has_transcript of the meeting/],
    ['a segment that is lost', 'DELETE FROM transcript_segments WHERE position = 2', /has other segments than it says/],
    ['a file that is lost', 'DELETE FROM attachments', /shows other files than it has/],
    ['a job that has failed', `UPDATE jobs SET last_error = 'no'`, /a job has failed: .*no$/m],
    ['a job that is late', 'UPDATE jobs SET due_at = 1', /a job is late/],
  ]
  for (const [what, sql, found] of changes) {
    test(`shows ${what}`, () => {
      const { db } = server.store
      db.exec('BEGIN')
      try {
        assert.ok(db.prepare(sql).run().changes > 0, 'something was changed')
        assert.match(stateFaults(db, server.now()).join('\n'), found)
      } finally {
        db.exec('ROLLBACK')
      }
    })
  }
})

type Change = (answer: Answer) => Partial<Answer>

/** A GET of an operation, and what the server answers to it. */
async function exchange(id: string, path: string, accept = '*/*'): Promise<{ request: Request; answer: Answer }> {
  const operation = api.operations.find((each) => each.id === id)!
  const request = { ...blank(operation, 'GET', `${api.base}${path}`), id: meeting }
  request.headers = [['Accept', accept]]
  if (operation.forms.includes(accept)) request.form = accept
  const headers = { authorization: `Bearer ${server.a.token}`, accept }
  const response = await fetch(`${server.url}${request.target}`, { headers })
  const body = await response.text()
  return { request, answer: { status: response.status, headers: Object.fromEntries(response.headers), body } }
}

const without = ({ headers }: Answer, name: string): Partial<Answer> => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name)),
})
const withHeader = ({ headers }: Answer, name: string, value: string): Partial<Answer> => ({
  headers: { ...headers, [name]: value },
})

describe('an answer in another form', () => {
  const FORMS = [
    ['getTranscript', '/transcript', 'text/vtt'],
    ['getTranscript', '/transcript', 'application/x-subrip'],
    ['getTranscript', '/transcript', 'text/plain'],
    ['getMeeting', '', 'text/calendar'],
  ] as const
  const changes: [what: string, found: RegExp, change: Change][] = [
    ['another type', /^\S+ as text\/html$/, (answer) => withHeader(answer, 'content-type', 'text/html')],
    ['an entity tag', /^an ETag "1" of /, (answer) => withHeader(answer, 'etag', '"1"')],
    ['a next page', /^a Link of /, (answer) => withHeader(answer, 'link', '<x>; rel="next"')],
    ['no Vary', /^Vary is undefined$/, (answer) => without(answer, 'vary')],
    ['NUL', /^a text with NUL/, ({ body }) => ({ body: `${body}\0` })],
    ['another status', /^404 for a request that is valid/, () => ({ status: 404 })],
  ]
  for (const [id, part, form] of FORMS) {
    test(`is right as ${form}, and found out where it is not`, async () => {
      const { request, answer } = await exchange(id, `/meetings/${meeting}${part}`, form)
      assert.deepEqual([answer.status, faultsOf(api, request, answer)], [200, []])
      for (const [what, found, change] of changes)
        assert.match(faultsOf(api, request, { ...answer, ...change(answer) }).join('\n'), new RegExp(found, 'm'), what)
    })
  }

  test('has in it what makes it one', async () => {
    const wrong: [form: string, path: string, body: string, found: RegExp][] = [
      ['text/vtt', '/transcript', '00:00.000 --> 00:01.000\nx\n', /does not begin with WEBVTT/],
      ['application/x-subrip', '/transcript', '2\n00:00:00,000 --> 00:00:01,000\nx\n', /has a block 1 that is none/],
      ['text/plain', '/transcript', 'a\n\n\nb', /two empty lines/],
      ['text/calendar', '', 'BEGIN:VCALENDAR\nEND:VCALENDAR', /is no calendar/],
      ['text/calendar', '', `BEGIN:VCALENDAR\r\nX:${'x'.repeat(80)}\r\nEND:VCALENDAR\r\n`, /more than 75 octets/],
      ['text/calendar', '', 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n', /has not one event/],
    ]
    for (const [form, part, body, found] of wrong) {
      const id = part === '' ? 'getMeeting' : 'getTranscript'
      const { request, answer } = await exchange(id, `/meetings/${meeting}${part}`, form)
      assert.match(faultsOf(api, request, { ...answer, body }).join('\n'), found)
    }
  })
})

describe('a page of a transcript', () => {
  const page = (query: string) => exchange('getTranscript', `/meetings/${meeting}/transcript?${query}`)
  // biome-ignore lint/suspicious/noExplicitAny: answers are JSON of every shape
  const changed = (answer: Answer, change: (body: any) => unknown): Answer => {
    const body = JSON.parse(answer.body)
    change(body)
    return { ...answer, body: JSON.stringify(body) }
  }

  test('is right, and found out where it is not', async () => {
    const { request, answer } = await page('limit=2')
    assert.deepEqual(faultsOf(api, request, answer), [])
    const faults = (change: Parameters<typeof changed>[1]) => faultsOf(api, request, changed(answer, change)).join('\n')
    assert.match(
      faults(({ segments }) => segments.pop()),
      /^a page of 1 with the limit 2, and yet/m,
    )
    assert.match(
      faults(({ segments }) => segments.push(segments[1])),
      /^a page of 3 with the limit 2$/m,
    )
    assert.match(
      faults(({ segments }) => segments.splice(1, 1, { ...segments[1], index: 2 })),
      /^a page with a gap$/m,
    )
    assert.match(
      faults(({ segments }) => segments.shift()),
      /^a first page that begins at 1$/m,
    )
    assert.match(
      faults(({ segments }) => segments.reverse()),
      /segments out of order/,
    )
    assert.match(
      faults(({ segments }) => Object.assign(segments[0], { speaker: 'Eve' })),
      /a speaker of nobody/,
    )
    assert.match(
      faults((body) => Object.assign(body, { duration_ms: 1 })),
      /more talk than time/,
    )
    assert.match(
      faults((body) => Object.assign(body, { next_cursor: null })),
      /^Link is /m,
    )
  })

  test('of what is searched for has it', async () => {
    const { request, answer } = await page('q=WORD1')
    assert.deepEqual([JSON.parse(answer.body).segments.length, faultsOf(api, request, answer)], [1, []])
    const other = changed(answer, ({ segments }) => Object.assign(segments[0], { text: 'other' }))
    assert.match(faultsOf(api, request, other).join(), /the segment 1 has not what q asks for/)
  })

  test('is what a file said', async () => {
    const { request, answer } = await page('')
    const { segments } = JSON.parse(answer.body)
    const put = api.operations.find(({ id }) => id === 'replaceTranscript')!
    const sent = { ...blank(put, 'PUT', request.target), said: segments }
    assert.deepEqual(faultsOf(api, sent, answer), [])
    const lost = changed(answer, (body) => body.segments.pop())
    assert.match(faultsOf(api, sent, lost).join(), /5 segments were sent, and 4 read/)
    const other = changed(answer, (body) => Object.assign(body.segments[3], { text: 'other' }))
    assert.match(faultsOf(api, sent, other).join(), /the segment 3 was meant as .* and read as/)
  })
})

test('a file of captions is read as it was drawn, and a broken one is refused', () => {
  for (const [type, read] of [
    ['text/vtt', readVtt],
    ['application/x-subrip', readSrt],
  ] as const) {
    const [good, broken, forbidden] = [captionFile, brokenCaptions, forbiddenCaptions].map((make, index) =>
      drawing(index, (draw) => make(draw, type)),
    )
    for (let number = 0; number < 150; number++) {
      const { bytes, said } = good!(number)
      const { segments } = read(bytes.toString())
      const inOrder = segments.toSorted((one, other) => one.start_ms - other.start_ms)
      assert.deepEqual(
        inOrder.map((each) => ({ ...each, text: each.text.normalize('NFC') })),
        said,
      )
      const { bytes: wrong, what } = broken!(number)
      const isRefusedBefore = what === 'empty' || what === 'not UTF-8'
      if (!isRefusedBefore) assert.throws(() => read(wrong.toString()), Problem, what)
      assert.ok(read(forbidden!(number).bytes.toString()).segments.length > 0)
    }
  }
})

test('a policy fits what its filter says', async () => {
  const { opened, patch, make } = inboxOf(server)
  const { id: company_id } = await make('/companies', { name: 'Firm' })
  const { id: tag } = await make('/tags', { name: 'Tag' })
  const policies = (await server.call('GET', '/sla')).body.data
  for (const given of [
    {},
    { priority: 'high' },
    { status: 'pending' },
    { owner_id: server.a.owner },
    { company_id },
    { tag_ids: [tag] },
  ]) {
    const shown = await patch((await opened()).id, given)
    const policy = POLICIES.find(({ fits }) => fits({ ...shown, tag_ids: JSON.stringify(shown.tag_ids) }))!
    const { name } = policies.find((each: { id: string }) => each.id === shown.sla.policy_id)
    assert.equal((policy.settings as { name: string }).name, name)
  }
})
