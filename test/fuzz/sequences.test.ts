import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startOutreach } from '../support/outreach.ts'
import type { TestServer } from '../support/server.ts'
import { faultsOf } from './check.ts'
import { type Interface, readDocument } from './document.ts'
import { isNoRange } from './figures.ts'
import { blank } from './make.ts'

// That the fuzzer finds what is wrong with an answer of sequences and enrollments.

let outreach: Awaited<ReturnType<typeof startOutreach>>
let server: TestServer
let api: Interface
let sequences: Record<string, string>
let people: string[]
before(async () => {
  outreach = await startOutreach()
  ;({ server, sequences, people } = outreach)
  api = readDocument(server.document)
})
after(() => outreach.stop())

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON of every shape
type Any = any

/** An answer to an operation, changed, and what the checker says of it. */
async function said(id: string, path: string, change: (body: Any) => void, given?: object): Promise<string> {
  const operation = api.operations.find((each) => each.id === id)!
  const request = { ...blank(operation, operation.method, `${api.base}${path}`) }
  if (given) request.body = Buffer.from(JSON.stringify(given))
  const { status, headers, body } = await server.call(operation.method, path, given)
  change(body)
  const answer = { status, headers: Object.fromEntries(headers), body: JSON.stringify(body) }
  return faultsOf(api, request, answer).join('\n')
}

describe('an answer', () => {
  const nothing = () => {}

  test('of enrollments is right, and found out where it is not', async () => {
    const [{ id }] = (await server.call('GET', `/enrollments?contact_id=${people[1]}`)).body.data
    const changes: [found: RegExp, change: Any][] = [
      [/^$/, {}],
      [/over without finished_at/, { status: 'completed' }],
      [/over without finished_at/, { finished_at: '2026-11-20T08:36:00.000Z' }],
      [/a next step of one that stands still/, { status: 'paused' }],
      [/ended early for no reason/, { stop_reason: 'reply' }],
      [/failed for what stops/, { stop_reason: 'error' }],
      [/still to start, and something is done/, { status: 'scheduled' }],
      [/a conversation before a step/, { current_step: 0 }],
      [/live without a contact/, { contact_id: null }],
      [/finished before it was made/, { finished_at: '2020-11-20T08:36:00.000Z' }],
    ]
    for (const [found, change] of changes)
      assert.match(await said('getEnrollment', `/enrollments/${id}`, (body) => Object.assign(body, change)), found)
  })

  test('of several that were enrolled is right, and found out where it is not', async () => {
    const given = { sequence_id: sequences.Waiting, contact_ids: [people[7], people[6], people[5]] }
    const several = (change: (body: Any) => void) => said('createEnrollment', '/enrollments', change, given)
    assert.equal(await several(nothing), '')
    assert.match(await several(({ skipped }) => skipped.pop()), /others, or in another order/)
    assert.match(await several(({ skipped }) => skipped.reverse()), /others, or in another order/)
    assert.match(await several(({ skipped }) => skipped.push(skipped[0])), /one contact twice/)
    const one = { sequence_id: sequences.Calls, contact_id: people[7] }
    const wrong: [RegExp, Any, object][] = [
      [/another sequence than was asked for/, { sequence_id: sequences.Quick }, {}],
      [/another sequence .* or behind its first step/, { current_step: 1 }, {}],
      [/another contact/, { contact_id: people[0] }, {}],
      [/another sender/, { sender_id: people[0] }, { sender_id: server.a.owner }],
      [/one is answered as several/, { data: [] }, {}],
    ]
    for (const [found, change, more] of wrong) {
      const made = await said('createEnrollment', '/enrollments', (body) => Object.assign(body, change), {
        ...one,
        ...more,
      })
      assert.match(made, found)
      const [{ id }] = (await server.call('GET', `/enrollments?contact_id=${people[7]}`)).body.data
      await server.call('PATCH', `/enrollments/${id}`, { status: 'stopped' })
    }
  })

  test('of several has neither an ETag nor a Location', async () => {
    const operation = api.operations.find(({ id }) => id === 'createEnrollment')!
    const given = { sequence_id: sequences.Quick, contact_ids: [people[7]] }
    const request = { ...blank(operation, 'POST', `${api.base}/enrollments`), body: Buffer.from(JSON.stringify(given)) }
    const { status, headers, text } = await server.call('POST', '/enrollments', given)
    const answer = { status, headers: { ...Object.fromEntries(headers), etag: '"1"' }, body: text }
    assert.match(faultsOf(api, request, answer).join(), /an ETag or a Location of several/)
  })

  test('of a sequence is right, and found out where it is not', async () => {
    const path = `/sequences/${sequences.Quick}`
    const changes: [RegExp, (body: Any) => void][] = [
      [/^$/, nothing],
      [/no steps, and yet at work/, (body) => Object.assign(body, { steps: [] })],
      [/steps out of place/, ({ steps }) => steps.reverse()],
      [/a step twice/, ({ steps }) => Object.assign(steps[1], { id: steps[0].id })],
      [/a mail without a body/, ({ steps }) => Object.assign(steps[0], { body: null })],
      [/a first mail without a subject/, ({ steps }) => Object.assign(steps[0], { subject: null })],
      [/a task without a title/, ({ steps }) => Object.assign(steps[1], { task_title: null })],
    ]
    for (const [found, change] of changes) assert.match(await said('getSequence', path, change), found)
  })

  test('of the figures of a sequence is right, and found out where it is not', async () => {
    const path = `/sequences/${sequences.Slow}/performance`
    const changes: [RegExp, (body: Any) => void][] = [
      [/^$/, nothing],
      [/a summary that is not the sum/, ({ summary }) => summary.enrolled++],
      [/a summary that is not the sum/, ({ timeline }) => timeline.pop()],
      [/mails that are of no step/, ({ steps }) => steps[0].sent++],
      [/does not begin with it/, ({ timeline }) => Object.assign(timeline[0], { from: '2026-01-01' })],
      [/out of order, or behind its end/, ({ timeline }) => timeline.reverse()],
      [/the wrong way round/, (body) => Object.assign(body, { to: '2020-01-01' })],
      [/a step of now behind/, ({ steps }) => Object.assign(steps[0], { is_current: false })],
      [/a rate of nothing/, ({ steps }) => Object.assign(steps[1], { reply_rate: 0 })],
    ]
    for (const [found, change] of changes) assert.match(await said('getSequencePerformance', path, change), found)
  })

  test('to a range that is none is 400', async () => {
    const operation = api.operations.find(({ id }) => id === 'getSequencePerformance')!
    const year = new Date().getUTCFullYear()
    const ranges: [query: string, isNone: boolean][] = [
      ['', false],
      ['from=2026-03-02&to=2026-03-01', true],
      [`from=${year + 2}-01-01`, true],
      ['to=2026-03-01', false],
      ['from=2025-01-01&to=2026-02-04', false],
      ['from=2025-01-01&to=2026-02-05', true],
      ['from=2018-01-01&to=2025-08-31&interval=week', false],
      ['from=2018-01-01&to=2025-09-01&interval=week', true],
      ['from=2018-01-07&to=2025-09-01&interval=week', true],
      ['from=2000-01-31&to=2033-04-01&interval=month', false],
      ['from=2000-01-31&to=2033-05-01&interval=month', true],
    ]
    for (const [query, isNone] of ranges) {
      const path = `/sequences/${sequences.Slow}/performance?${query}`
      assert.equal(isNoRange({ operation, target: path }), isNone, query)
      assert.equal((await server.call('GET', path)).status, isNone ? 400 : 200, query)
    }
  })
})
