import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { applySettings } from '../../src/app/settings/document.ts'
import { inboxKinds } from '../../src/inbox/conversations/jobs.ts'
import { schedulerHarness } from '../store/jobs/scheduler-harness.ts'
import { startServer, type TestServer } from '../support/server.ts'

// Timelines of promises as tables. Each line is: time | what happens | when what is due | how it stands | events.
// Times are those of a wall clock in Lagos, which is an hour ahead of UTC all year, where the week begins on Monday, the 23rd of November 2026, and `Tue2` is
// the Tuesday after; due are the first response (F), the next one (N) and the resolution (R). An empty event column says
// that nothing of the conversation was told. The scheduler runs whenever something falls due, except while it is down.

const WEEK: Record<string, { from: string; to: string }[]> = Object.fromEntries(
  ['mon', 'tue', 'wed', 'thu', 'fri'].map((day) => [day, [{ from: '09:00', to: '17:00' }]]),
)
const office = { key: 'office', name: 'Office', timezone: 'Africa/Lagos', is_default: true, weekly: WEEK }

const H = 3600
const target = (first: number | null, next: number | null, resolution: number | null) => ({
  first_response_s: first,
  next_response_s: next,
  resolution_s: resolution,
})
/** First response in 2 hours, the next ones in 4, resolution in 16; half of it where it is urgent. */
const usual = {
  key: 'usual',
  name: 'Usual',
  is_default: true,
  hours: 'office',
  targets: { normal: target(2 * H, 4 * H, 16 * H), urgent: target(H, 2 * H, 8 * H) },
  pause_on: ['pending', 'snoozed'],
}
const firstOnly = { ...usual, targets: { normal: target(2 * H, null, null) } }
const nextOnly = { ...usual, targets: { normal: target(null, 4 * H, null) } }
const neverPaused = { ...usual, pause_on: [] }

type Settings = { hours?: unknown[]; sla: unknown[] }

const START = Date.UTC(2026, 10, 22, 23) // Monday, 00:00, in Lagos
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const MINUTE_MS = 60_000
const DAY_MS = 1440 * MINUTE_MS

let week = 0

/** `Tue2 09:30` or `Tue2 09:30:15` as milliseconds; each scenario has four separate weeks. */
function at(text: string): number {
  const [, day = '', weeks = '1', hour, minute, second = '0'] =
    /^(\w{3})(\d)? (\d\d):(\d\d)(?::(\d\d))?$/.exec(text) ?? []
  assert.ok(DAYS.includes(day), text)
  const days = DAYS.indexOf(day) + 7 * (Number(weeks) - 1 + week)
  return START + days * DAY_MS + (Number(hour) * 60 + Number(minute)) * MINUTE_MS + Number(second) * 1000
}

function wall(time: string): string {
  const ms = Date.parse(time) - START - week * 7 * DAY_MS
  const days = Math.floor(ms / DAY_MS)
  const rest = ms - days * DAY_MS
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0')
  const weeks = Math.floor(days / 7) + 1
  const seconds = (rest / 1000) % 60
  const day = `${DAYS[((days % 7) + 7) % 7]}${weeks === 1 ? '' : weeks}`
  return `${day} ${two(rest / 3_600_000)}:${two((rest / MINUTE_MS) % 60)}${seconds ? `:${two(seconds)}` : ''}`
}

let server: TestServer
let scheduler: ReturnType<typeof schedulerHarness>
let contact = ''
before(async () => {
  server = await startServer()
  scheduler = schedulerHarness(server, { kinds: inboxKinds(server.deps) })
  contact = (await server.call('POST', '/contacts', { last_name: 'Ruiz' })).body.id
})
after(async () => {
  await scheduler.stop()
  await server.stop()
})

const apply = (document: Settings | { hours: unknown[] }) =>
  applySettings(server.store, server.a.org, { hours: [office], ...document })

/** Advances the clock to that moment and runs the jobs that fall due on the way. */
async function goTo(ms: number, isDown: boolean): Promise<void> {
  const nextDue = server.store.db.prepare('SELECT min(due_at) FROM jobs').pluck()
  for (;;) {
    const due = isDown ? null : (nextDue.get() as number | null)
    if (due === null || due > ms) break
    server.advance(Math.max(0, due - server.now()))
    await scheduler.tick()
  }
  server.advance(ms - server.now())
  if (!isDown) await scheduler.tick()
}

async function runTimeline(settings: Settings, table: string, others: Record<string, Settings> = {}): Promise<void> {
  week += 4
  apply(settings)
  await goTo(at('Mon 00:00'), false)
  let id = ''
  let isDown = false
  for (const line of table.trim().split('\n')) {
    const [time = '', action = '', due = '', status = '', events = ''] = line.split('|').map((cell) => cell.trim())
    const seq = server.lastSeq()
    await goTo(at(time), isDown)
    if (action === 'down') isDown = true
    else if (action === 'up') isDown = false
    else if (action !== '') id = await act(id, action, others)
    if (!isDown && !/^late/.test(action)) await goTo(at(time), false)
    const told = server
      .events(seq)
      .filter(({ object_id, type }) => object_id === id && type.startsWith('conversation.'))
      .map(({ type }) => type.replace(/^conversation\.(sla_)?/, ''))
    if (isDown && action === 'down') continue
    const { body } = await server.call('GET', `/conversations/${id}`)
    const { sla } = body
    const shown = [
      ['F', sla.first_response_due_at],
      ['N', sla.next_response_due_at],
      ['R', sla.resolution_due_at],
    ]
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name} ${wall(value)}`)
      .join(', ')
    assert.deepEqual(
      { line: line.trim(), due: shown, status: sla.status, events: told.join(', ') },
      { line: line.trim(), due, status, events },
    )
  }
  const { body } = await server.call('PATCH', `/conversations/${id}`, { status: 'closed' })
  assert.equal(body.status, 'closed')
}

async function act(id: string, action: string, others: Record<string, Settings>): Promise<string> {
  const [verb, ...rest] = action.split(' ')
  const what = rest.join(' ')
  const message = async (given: Record<string, unknown>) => {
    const opening = { from: { email: 'eva@firm.example' }, channel: 'chat', subject: 'Order' }
    const outOpening = { contact_id: contact, channel: 'chat' }
    const place = id ? { conversation_id: id } : given.direction === 'inbound' ? opening : outOpening
    const { status, body } = await server.call('POST', '/messages', { ...place, body_text: 'Hello', ...given })
    assert.equal(status, 201, JSON.stringify(body))
    return body.conversation_id as string
  }
  const patch = async (given: Record<string, unknown>) => {
    const { status, body } = await server.call('PATCH', `/conversations/${id}`, given)
    assert.equal(status, 200, JSON.stringify(body))
    return id
  }
  if (verb === 'in') return message({ direction: 'inbound', ...(what ? { sent_at: iso(what) } : {}) })
  if (verb === 'out') return message({ direction: 'outbound', ...(what ? { sent_at: iso(what) } : {}) })
  if (verb === 'note') return message({ direction: 'note' })
  if (verb === 'snooze') return patch({ status: 'snoozed', snoozed_until: iso(what) })
  if (verb === 'priority') return patch({ priority: what })
  if (verb === 'subject') return patch({ subject: what })
  if (verb === 'company') {
    const { company_id } = (await server.call('GET', `/conversations/${id}`)).body
    assert.equal((await server.call('PATCH', `/companies/${company_id}`, { name: what })).status, 200)
    return id
  }
  if (verb === 'settings') {
    apply(others[what] as Settings)
    return id
  }
  return patch({ status: verb })
}

const iso = (text: string): string => new Date(at(text)).toISOString()

describe('first response', () => {
  test('answered in time', () =>
    runTimeline(
      { sla: [firstOnly] },
      `
      Mon 09:00 | in  | F Mon 11:00 | ok  | created
      Mon 10:00 | out | F Mon 11:00 | met | updated
      `,
    ))

  test('at risk when four fifths are used up, and met after all', () =>
    runTimeline(
      { sla: [firstOnly] },
      `
      Mon 09:00    | in  | F Mon 11:00 | ok      | created
      Mon 10:35:59 |     | F Mon 11:00 | ok      |
      Mon 10:36    |     | F Mon 11:00 | at_risk | at_risk
      Mon 10:59    | out | F Mon 11:00 | met     | updated
      `,
    ))

  test('breached at the moment at which it is due, once, and for good', () =>
    runTimeline(
      { sla: [firstOnly] },
      `
      Mon 09:00 | in     | F Mon 11:00 | ok       | created
      Mon 10:59 |        | F Mon 11:00 | at_risk  | at_risk
      Mon 11:00 |        | F Mon 11:00 | breached | breached
      Mon 12:00 | out    | F Mon 11:00 | breached | updated
      Tue 12:00 | closed | F Mon 11:00 | breached | closed
      `,
    ))

  test('written after hours, it is due on the next day', () =>
    runTimeline(
      { sla: [firstOnly] },
      `
      Mon 18:00 | in | F Tue 11:00 | ok      | created
      Tue 10:35 |    | F Tue 11:00 | ok      |
      Tue 10:40 |    | F Tue 11:00 | at_risk | at_risk
      `,
    ))

  test('begun on Friday, it ends on Monday', () =>
    runTimeline(
      { sla: [firstOnly] },
      `
      Fri 16:00  | in  | F Mon2 10:00 | ok      | created
      Sun 12:00  |     | F Mon2 10:00 | ok      |
      Mon2 09:36 |     | F Mon2 10:00 | at_risk | at_risk
      Mon2 09:40 | out | F Mon2 10:00 | met     | updated
      `,
    ))

  test('around the clock', () =>
    runTimeline(
      { sla: [{ ...firstOnly, hours: null }] },
      `
      Sat 23:00 | in  | F Sun 01:00 | ok       | created
      Sun 00:59 |     | F Sun 01:00 | at_risk  | at_risk
      Sun 01:01 |     | F Sun 01:00 | breached | breached
      `,
    ))

  test('a note is no answer', () =>
    runTimeline(
      { sla: [firstOnly] },
      `
      Mon 09:00 | in   | F Mon 11:00 | ok       | created
      Mon 10:00 | note | F Mon 11:00 | ok       | updated
      Mon 11:00 |      | F Mon 11:00 | breached | at_risk, breached
      `,
    ))

  test('a second message does not move it', () =>
    runTimeline(
      { sla: [firstOnly] },
      `
      Mon 09:00 | in  | F Mon 11:00 | ok  | created
      Mon 10:00 | in  | F Mon 11:00 | ok  | updated
      Mon 10:30 | out | F Mon 11:00 | met | updated
      `,
    ))

  test('is not promised where we wrote first', () =>
    runTimeline(
      { sla: [usual] },
      `
      Mon 09:00 | out | R Tue 17:00              | ok | created
      Mon 10:00 | in  | N Mon 14:00, R Tue 17:00 | ok | updated
      `,
    ))

  test('counts from the time of the message, also where it came late', () =>
    runTimeline(
      { sla: [firstOnly] },
      `
      Mon 10:00 | in Mon 09:30  | F Mon 11:30 | ok  | created
      Mon 11:29 | out           | F Mon 11:30 | met | at_risk, updated
      `,
    ))

  test('an answer that was sent before it was due is in time, although it is told later', () =>
    runTimeline(
      { sla: [firstOnly] },
      `
      Mon 09:00 | in            | F Mon 11:00 | ok  | created
      Mon 10:00 | down          |             |     |
      Mon 12:00 | out Mon 10:00 | F Mon 11:00 | met | updated
      Mon 12:01 | up            | F Mon 11:00 | met |
      `,
    ))
})

describe('next response', () => {
  test('starts with the message that waits, and ends with the answer', () =>
    runTimeline(
      { sla: [nextOnly] },
      `
      Mon 09:00 | in  |             | none | created
      Mon 10:00 | out |             | none | updated
      Mon 11:00 | in  | N Mon 15:00 | ok   | updated
      Mon 12:00 | out |             | met  | updated
      Mon 16:00 | in  | N Tue 12:00 | ok   | updated
      `,
    ))

  test('each is warned of, and breached, by itself', () =>
    runTimeline(
      { sla: [nextOnly] },
      `
      Mon 09:00 | in  |             | none     | created
      Mon 10:00 | out |             | none     | updated
      Mon 11:00 | in  | N Mon 15:00 | ok       | updated
      Mon 15:00 |     | N Mon 15:00 | breached | at_risk, breached
      Mon 16:00 | out |             | breached | updated
      Tue 09:00 | in  | N Tue 13:00 | breached | updated
      Tue 13:00 |     | N Tue 13:00 | breached | at_risk, breached
      `,
    ))

  test('the second of two messages does not move it', () =>
    runTimeline(
      { sla: [nextOnly] },
      `
      Mon 09:00 | out |             | none | created
      Mon 10:00 | in  | N Mon 14:00 | ok   | updated
      Mon 11:00 | in  | N Mon 14:00 | ok   | updated
      `,
    ))
})

describe('a message that is told late', () => {
  test('is the same wait, and is not breached twice', () =>
    runTimeline(
      { sla: [nextOnly] },
      `
      Mon 09:00 | out          |             | none     | created
      Mon 10:00 | in           | N Mon 14:00 | ok       | updated
      Mon 14:00 |              | N Mon 14:00 | breached | at_risk, breached
      Mon 14:10 | in Mon 09:50 | N Mon 13:50 | breached | updated
      Mon 15:00 |              | N Mon 13:50 | breached |
      `,
    ))

  test('may be due earlier, and breaks the promise then', () =>
    runTimeline(
      { sla: [nextOnly] },
      `
      Mon 09:00 | out          |             | none     | created
      Mon 13:30 | in Mon 13:00 | N Mon 17:00 | ok       | updated
      Mon 13:40 | in Mon 09:30 | N Mon 13:30 | breached | updated, at_risk, breached
      `,
    ))
})

describe('resolution', () => {
  test('closed before it is due', () =>
    runTimeline(
      { sla: [usual] },
      `
      Mon 09:00 | in     | F Mon 11:00, R Tue 17:00 | ok  | created
      Mon 10:00 | out    | F Mon 11:00, R Tue 17:00 | ok  | updated
      Tue 10:00 | closed | F Mon 11:00, R Tue 17:00 | met | closed
      Wed 10:00 |        | F Mon 11:00, R Tue 17:00 | met |
      `,
    ))

  test('closed without an answer before that was due', () =>
    runTimeline(
      { sla: [usual] },
      `
      Mon 09:00 | in     | F Mon 11:00, R Tue 17:00 | ok  | created
      Mon 10:00 | closed | F Mon 11:00, R Tue 17:00 | met | closed
      Tue 17:00 |        | F Mon 11:00, R Tue 17:00 | met |
      `,
    ))

  test('breached', () =>
    runTimeline(
      { sla: [usual] },
      `
      Mon 09:00 | in     | F Mon 11:00, R Tue 17:00 | ok       | created
      Mon 10:00 | out    | F Mon 11:00, R Tue 17:00 | ok       | updated
      Tue 13:48 |        | F Mon 11:00, R Tue 17:00 | at_risk  | at_risk
      Tue 17:00 |        | F Mon 11:00, R Tue 17:00 | breached | breached
      Wed 09:00 | closed | F Mon 11:00, R Tue 17:00 | breached | closed
      `,
    ))

  test('opened again, it goes on with what was left', () =>
    runTimeline(
      { sla: [usual] },
      `
      Mon 09:00 | in     | F Mon 11:00, R Tue 17:00 | ok  | created
      Mon 10:00 | out    | F Mon 11:00, R Tue 17:00 | ok  | updated
      Mon 11:00 | closed | F Mon 11:00, R Tue 17:00 | met | closed
      Tue 11:00 | in     | F Mon 11:00, N Tue 15:00, R Wed 17:00 | ok | reopened
      `,
    ))

  test('opened again by a member, nobody waits', () =>
    runTimeline(
      { sla: [usual] },
      `
      Mon 09:00 | in     | F Mon 11:00, R Tue 17:00 | ok  | created
      Mon 10:00 | closed | F Mon 11:00, R Tue 17:00 | met | closed
      Mon 12:00 | open   | F Mon 11:00, R Wed 11:00 | ok  | reopened
      `,
    ))

  test('a breach stays when it is opened again, and is not told twice', () =>
    runTimeline(
      { sla: [usual] },
      `
      Mon 09:00 | in      | F Mon 11:00, R Tue 17:00 | ok       | created
      Mon 10:00 | out     | F Mon 11:00, R Tue 17:00 | ok       | updated
      Wed 09:00 | closed  | F Mon 11:00, R Tue 17:00 | breached | at_risk, breached, closed
      Wed 10:00 | open    | F Mon 11:00, R Tue 17:00 | breached | reopened
      Thu 17:00 |         | F Mon 11:00, R Tue 17:00 | breached |
      `,
    ))
})

describe('pauses', () => {
  test('what waits for the contact does not use up time', () =>
    runTimeline(
      { sla: [usual] },
      `
      Mon 09:00 | in      | F Mon 11:00, R Tue 17:00 | ok | created
      Mon 10:00 | out     | F Mon 11:00, R Tue 17:00 | ok | updated
      Mon 10:00 | pending | F Mon 11:00              | ok | updated
      Wed 10:00 |         | F Mon 11:00              | ok |
      Wed 10:00 | open    | F Mon 11:00, R Thu 17:00 | ok | updated
      `,
    ))

  test('a message ends the pause', () =>
    runTimeline(
      { sla: [usual] },
      `
      Mon 09:00 | in      | F Mon 11:00, R Tue 17:00              | ok | created
      Mon 10:00 | out     | F Mon 11:00, R Tue 17:00              | ok | updated
      Mon 10:00 | pending | F Mon 11:00                           | ok | updated
      Mon 12:00 | in      | F Mon 11:00, N Mon 16:00, R Wed 11:00 | ok | updated
      `,
    ))

  test('snoozed, until it wakes up by itself', () =>
    runTimeline(
      { sla: [usual] },
      `
      Mon 09:00 | in               | F Mon 11:00, R Tue 17:00 | ok | created
      Mon 10:00 | snooze Tue 10:00 |                          | ok | updated
      Mon 16:00 |                  |                          | ok |
      Tue 10:00 |                  | F Tue 11:00, R Wed 17:00 | ok | updated
      `,
    ))

  test('over a night and a weekend no business time is lost', () =>
    runTimeline(
      { sla: [usual] },
      `
      Fri 16:00  | in      | F Mon2 10:00, R Tue2 16:00 | ok | created
      Fri 17:00  | pending |                            | ok | updated
      Mon2 09:00 | open    | F Mon2 10:00, R Tue2 16:00 | ok | updated
      `,
    ))

  test('a pause at risk stays at risk', () =>
    runTimeline(
      { sla: [firstOnly] },
      `
      Mon 09:00 | in      | F Mon 11:00 | ok      | created
      Mon 10:36 |         | F Mon 11:00 | at_risk | at_risk
      Mon 10:40 | pending |             | at_risk | updated
      Mon 14:00 | open    | F Mon 14:20 | at_risk | updated
      Mon 14:10 | out     | F Mon 14:20 | met     | updated
      `,
    ))

  test('a policy without pauses counts all the time that it is open', () =>
    runTimeline(
      { sla: [neverPaused] },
      `
      Mon 09:00 | in      | F Mon 11:00, R Tue 17:00 | ok       | created
      Mon 10:00 | pending | F Mon 11:00, R Tue 17:00 | ok       | updated
      Mon 11:00 |         | F Mon 11:00, R Tue 17:00 | breached | at_risk, breached
      `,
    ))

  test('closed while it was paused', () =>
    runTimeline(
      { sla: [usual] },
      `
      Mon 09:00 | in      | F Mon 11:00, R Tue 17:00 | ok  | created
      Mon 10:00 | pending |                          | ok  | updated
      Fri 10:00 | closed  |                          | met | closed
      `,
    ))
})

describe('changes', () => {
  test('of the priority count from the original start', () =>
    runTimeline(
      { sla: [usual] },
      `
      Mon 09:00 | in              | F Mon 11:00, R Tue 17:00 | ok      | created
      Mon 09:30 | priority urgent | F Mon 10:00, R Mon 17:00 | ok      | updated
      Mon 09:50 |                 | F Mon 10:00, R Mon 17:00 | at_risk | at_risk
      Mon 09:51 | priority normal | F Mon 11:00, R Tue 17:00 | ok      | updated
      Mon 10:35 |                 | F Mon 11:00, R Tue 17:00 | ok      |
      Mon 10:36 |                 | F Mon 11:00, R Tue 17:00 | at_risk | updated
      Mon 10:59 | out             | F Mon 11:00, R Tue 17:00 | ok      | updated
      `,
    ))

  test('of the priority may break a promise at once', () =>
    runTimeline(
      { sla: [usual] },
      `
      Mon 09:00 | in              | F Mon 11:00, R Tue 17:00 | ok       | created
      Mon 10:30 | priority urgent | F Mon 10:00, R Mon 17:00 | breached | updated, at_risk, breached
      Mon 10:31 | priority normal | F Mon 11:00, R Tue 17:00 | breached | updated
      Mon 11:30 |                 | F Mon 11:00, R Tue 17:00 | breached |
      `,
    ))

  test('to a priority for which nothing is promised', () =>
    runTimeline(
      { sla: [usual] },
      `
      Mon 09:00 | in              | F Mon 11:00, R Tue 17:00 | ok   | created
      Mon 10:00 | priority low    |                          | none | updated
      Mon 12:00 |                 |                          | none |
      Mon 12:00 | priority normal | F Mon 11:00, R Tue 17:00 | breached | updated, at_risk, breached
      `,
    ))

  test('of the policy, because it matches another one, count from the original start', () =>
    runTimeline(
      {
        sla: [
          {
            ...firstOnly,
            key: 'gold',
            is_default: false,
            match: { field: 'subject', op: 'contains', value: 'gold' },
            targets: { normal: target(H, null, null) },
          },
          firstOnly,
        ],
      },
      `
      Mon 09:00 | in                 | F Mon 11:00 | ok | created
      Mon 09:30 | subject Gold order | F Mon 10:00 | ok | updated
      Mon 09:40 | subject Order      | F Mon 11:00 | ok | updated
      `,
    ))

  test('of the company that the policy looks at', async () => {
    const { id } = (await server.call('POST', '/companies', { name: 'Alpha' })).body
    const { body } = await server.call('PATCH', `/contacts/${contact}`, { company_id: id })
    assert.equal(body.company_id, id)
    const match = { field: 'company.name', op: 'eq', value: 'Alpha' }
    await runTimeline(
      { sla: [{ ...nextOnly, key: 'alpha', is_default: false, match }] },
      `
      Mon 09:00 | out            |             | none | created
      Mon 10:00 | in             | N Mon 14:00 | ok   | updated
      Mon 10:30 | company Beta   |             | none | updated
      Mon 10:40 | company Alpha  | N Mon 14:00 | ok   | updated
      `,
    )
    await server.call('DELETE', `/companies/${id}`)
  })

  test('of the policy in the settings', () =>
    runTimeline(
      { sla: [firstOnly] },
      `
      Mon 09:00 | in              | F Mon 11:00 | ok      | created
      Mon 09:30 | settings faster | F Mon 10:00 | ok      | updated
      Mon 09:40 | settings none   |             | none    | updated
      Mon 09:55 | settings faster | F Mon 10:00 | at_risk | updated, at_risk
      `,
      { faster: { sla: [{ ...firstOnly, targets: { normal: target(H, null, null) } }] }, none: { sla: [] } },
    ))

  test('of the hours in the settings', () =>
    runTimeline(
      { sla: [firstOnly] },
      `
      Mon 16:00 | in             | F Tue 10:00 | ok | created
      Mon 16:10 | settings early | F Tue 09:00 | ok | updated
      `,
      {
        early: {
          hours: [{ ...office, weekly: { ...WEEK, tue: [{ from: '08:00', to: '12:00' }] } }],
          sla: [firstOnly],
        },
      },
    ))

  test('of the hours leave alone what is closed', () =>
    runTimeline(
      { sla: [usual] },
      `
      Mon 16:00 | in             | F Tue 10:00, R Wed 16:00 | ok  | created
      Mon 16:30 | closed         | F Tue 10:00, R Wed 16:00 | met | closed
      Mon 16:40 | settings none  | F Tue 10:00, R Wed 16:00 | met |
      `,
      { none: { sla: [] } },
    ))
})

describe('while the server was down', () => {
  test('a breach is told once it is up again', () =>
    runTimeline(
      { sla: [firstOnly] },
      `
      Mon 09:00 | in   | F Mon 11:00 | ok       | created
      Mon 09:30 | down |             |          |
      Tue 09:00 | up   | F Mon 11:00 | breached | at_risk, breached
      Tue 10:00 |      | F Mon 11:00 | breached |
      `,
    ))

  test('an answer before the scheduler comes does not hide the breach', () =>
    runTimeline(
      { sla: [firstOnly] },
      `
      Mon 09:00 | in   | F Mon 11:00 | ok       | created
      Mon 09:30 | down |             |          |
      Tue 09:00 | out  | F Mon 11:00 | breached | at_risk, breached, updated
      Tue 09:01 | up   | F Mon 11:00 | breached |
      `,
    ))

  test('what woke up meanwhile wakes up late, and its time counts from then on', () =>
    runTimeline(
      { sla: [usual] },
      `
      Mon 09:00 | in               | F Mon 11:00, R Tue 17:00 | ok | created
      Mon 10:00 | snooze Mon 12:00 |                          | ok | updated
      Mon 11:00 | down             |                          |    |
      Mon 15:00 | up               | F Mon 16:00, R Wed 14:00 | ok | updated
      `,
    ))
})
