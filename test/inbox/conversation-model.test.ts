import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { applySettings } from '../../src/app/settings/document.ts'
import { inboxKinds } from '../../src/inbox/conversations/jobs.ts'
import { schedulerHarness } from '../store/jobs/scheduler-harness.ts'
import { inboxOf } from '../support/inbox.ts'
import type { Row } from '../support/records.ts'
import { examples } from '../support/seed.ts'
import { startServer, type TestServer } from '../support/server.ts'

// Conversations under whatever may happen to them, held against a model that keeps a list of messages and works out the
// rest from it each time. The clock moves with every command, so that time tells the order.

const MINUTE_MS = 60_000
const LATE_STEP_MS = 20 * MINUTE_MS
const CHANNEL = 'chat'

type Said = { direction: 'inbound' | 'outbound' | 'note'; sent: number; stored: number; text: string }
type Model = {
  id: string
  messages: Said[]
  status: string
  priority: string
  snoozedUntil: number | null
  readAt: number | null
  /** Of the last time. */
  closed: number
  /** By external_id. */
  external: Map<string, Row>
  /** As GET answered last, and what was told until then. */
  seen: Row | undefined
  seq: number
}
type Models = { conversations: Model[] }
type Command = fc.AsyncCommand<Models, null>

let server: TestServer
let scheduler: ReturnType<typeof schedulerHarness>
let inbox: ReturnType<typeof inboxOf>
let contact: string
before(async () => {
  server = await startServer()
  scheduler = schedulerHarness(server, { kinds: inboxKinds(server.deps) })
  inbox = inboxOf(server)
  contact = (await inbox.make('/contacts', { last_name: 'Ruiz' })).id
  const target = (first: number, next: number, resolution: number | null) => ({
    first_response_s: first * 60,
    next_response_s: next * 60,
    resolution_s: resolution && resolution * 60,
  })
  const targets = { normal: target(60, 30, 600), urgent: target(20, 10, 120), high: target(30, 30, null) }
  const usual = {
    key: 'usual',
    name: 'Usual',
    is_default: true,
    hours: null,
    targets,
    pause_on: ['pending', 'snoozed'],
  }
  applySettings(server.store, server.a.org, { sla: [usual] })
})
after(async () => {
  await scheduler.stop()
  await server.stop()
})

// What the model expects.

const byMember = ({ direction }: Said) => direction === 'outbound'
const wire = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
const least = (all: number[]) => (all.length > 0 ? Math.min(...all) : null)

function expected({ id, messages, status, priority, snoozedUntil, readAt, closed }: Model): Row {
  const inbound = messages.filter(({ direction }) => direction === 'inbound')
  const heard = messages.filter(({ direction }) => direction !== 'note')
  const isAnswered = (one: Said) =>
    messages.some(
      (other) => byMember(other) && (other.sent > one.sent || (other.sent === one.sent && other.stored > one.stored)),
    )
  const waiting = inbound.filter((one) => one.stored > closed && !isAnswered(one))
  const newest = Math.max(...heard.map(({ sent }) => sent))
  return {
    id,
    status,
    priority,
    snoozed_until: wire(snoozedUntil),
    closed_at: status === 'closed' ? wire(closed) : null,
    read_at: wire(readAt),
    unread_count: inbound.filter(({ stored }) => readAt === null || stored > readAt).length,
    waiting_since: status === 'closed' ? null : wire(least(waiting.map(({ sent }) => sent))),
    first_response_at: wire(least(messages.filter(byMember).map(({ sent }) => sent))),
    last_message_at: wire(newest),
    preview: heard.findLast(({ sent }) => sent === newest)?.text,
  }
}

// What holds after each command.

const clocksOf = (id: string): Row[] =>
  server.store.db.prepare('SELECT * FROM sla_clocks WHERE conversation_id = ?').all(id) as Row[]
const lastSeq = (): number =>
  server.store.db.prepare('SELECT last_seq FROM orgs WHERE id = ?').pluck().get(server.a.org) as number
const dueOf = (kind: string, id: string) =>
  server.store.db.prepare('SELECT due_at FROM jobs WHERE kind = ? AND key = ?').pluck().all(kind, id)

async function check(model: Model): Promise<void> {
  const now = await inbox.conversation(model.id)
  const wanted = expected(model)
  assert.deepEqual(Object.fromEntries(Object.keys(wanted).map((name) => [name, now[name]])), wanted)
  checkEvents(model, now)
  checkPromises(now)
  assert.deepEqual(dueOf('conversation.wake', model.id), model.snoozedUntil === null ? [] : [model.snoozedUntil])
  model.seen = now
  model.seq = lastSeq()
}

/** Each event goes from what the one before it said to what GET answers after the last. */
function checkEvents({ id, seen, seq }: Model, now: Row): void {
  let before = seen
  for (const { type, object_id, object, changed_fields, previous } of server.events(seq)) {
    if (object_id !== id) continue
    assert.equal(object.version, (before?.version ?? 0) + 1, 'one version for each event')
    const changed = before
      ? Object.keys(object).filter(
          (name) =>
            !['version', 'updated_at'].includes(name) && JSON.stringify(object[name]) !== JSON.stringify(before[name]),
        )
      : []
    assert.deepEqual(changed_fields, changed)
    assert.deepEqual(previous, Object.fromEntries(changed.map((name) => [name, before[name]])))
    assert.equal(type.startsWith('conversation.sla_') ? 'sla' : type, nameOf(before, object, type))
    before = object
  }
  assert.deepEqual(before, now, 'the last event is what GET answers')
}

function nameOf(before: Row | undefined, object: Row, type: string): string {
  if (!before) return 'conversation.created'
  if (before.status === object.status) return type.startsWith('conversation.sla_') ? 'sla' : 'conversation.updated'
  if (object.status === 'closed') return 'conversation.closed'
  return before.status === 'closed' ? 'conversation.reopened' : 'conversation.updated'
}

function checkPromises({ id, sla, status, waiting_since, first_response_at }: Row): void {
  const clocks = clocksOf(id)
  const of = (target: string) => clocks.filter((clock) => clock.target === target)
  const awaited = clocks.filter(({ ended_at }) => ended_at === null)
  const isAwaited = (target: string) => awaited.filter((clock) => clock.target === target).length
  const [first] = of('first_response')
  assert.deepEqual(sla.first_response_due_at, wire(first?.due_at ?? null))
  assert.deepEqual(
    sla.next_response_due_at,
    wire(of('next_response').find(({ ended_at }) => ended_at === null)?.due_at ?? null),
  )
  assert.deepEqual(sla.resolution_due_at, wire(of('resolution')[0]?.due_at))
  const broken = clocks.filter(({ breached_at }) => breached_at !== null)
  assert.deepEqual(
    sla.breaches.map((one: Row) => JSON.stringify(one)).sort(),
    broken
      .map(({ target, due_when_breached, breached_at }) =>
        JSON.stringify({ target, due_at: wire(due_when_breached), breached_at: wire(breached_at) }),
      )
      .sort(),
  )
  const isAtRisk = awaited.some(
    ({ warned_at, risk_at }) => warned_at !== null && risk_at !== null && risk_at <= server.now(),
  )
  const isPromised = (all: Row[]) => all.some(({ target_s }) => target_s !== null)
  const stands = isPromised(awaited) ? ['ok', ...(isAtRisk ? ['at_risk'] : [])] : [isPromised(clocks) ? 'met' : 'none']
  assert.ok(
    (broken.length > 0 ? ['breached'] : stands).includes(sla.status),
    `${sla.status}: ${JSON.stringify(clocks)}`,
  )
  assert.equal(isAwaited('resolution'), status === 'closed' ? 0 : 1)
  if (status === 'closed' || first_response_at !== null) assert.equal(isAwaited('first_response'), 0)
  const waits = waiting_since !== null && isAwaited('first_response') === 0
  assert.equal(isAwaited('next_response'), Number(waits))
  if (waits) assert.ok(of('next_response').some(({ started_at }) => started_at === Date.parse(waiting_since)))
  const next = least(
    awaited
      .filter(({ breached_at }) => breached_at === null)
      // A target that has warned and was moved becomes a risk again, without another warning.
      .flatMap(({ warned_at, risk_at, due_at }) =>
        warned_at === null ? [risk_at] : [...(sla.status === 'ok' ? [risk_at] : []), due_at],
      )
      .filter((at) => at !== null),
  )
  assert.deepEqual(dueOf('sla.due', id), next === null ? [] : [next])
}

// The commands.

/** The scheduler comes: whatever is due is done. */
async function tick(models: Models): Promise<void> {
  await scheduler.tick()
  for (const model of models.conversations) {
    if (model.snoozedUntil === null || model.snoozedUntil > server.now()) continue
    model.status = 'open'
    model.snoozedUntil = null
  }
}

const command = (
  name: string,
  run: (models: Models) => Promise<void>,
  canRun: (models: Models) => boolean = ({ conversations }) => conversations.length > 0,
): Command => ({
  check: canRun,
  run: async (models) => {
    server.advance(1000)
    await run(models)
    for (const model of models.conversations) await check(model)
  },
  toString: () => name,
})

const at = ({ conversations }: Models, place: number) => conversations[place % conversations.length] as Model

/** What a message makes of the model. */
function say(model: Model, said: Said): void {
  model.messages.push(said)
  if (said.direction !== 'inbound') return
  model.status = 'open'
  model.snoozedUntil = null
}

/** Late ones have few times, so that some have the same. */
const sentAt = (late: number) =>
  late ? Math.floor((server.now() - late * MINUTE_MS) / LATE_STEP_MS) * LATE_STEP_MS : server.now()

const sayCommand = (direction: Said['direction'], place: number, late: number, external: string | undefined): Command =>
  command(`${direction} ${place} ${late ? `${late} minutes late` : ''} ${external ?? ''}`, async (models) => {
    const model = at(models, place)
    const text = `${direction} ${server.now()}`
    const sent = sentAt(late)
    const given = {
      conversation_id: model.id,
      direction,
      body_text: text,
      ...(late ? { sent_at: wire(sent) } : {}),
      ...(external ? { external_id: `${model.id} ${external}` } : {}),
    }
    const seq = lastSeq()
    const { status, body } = await server.call('POST', '/messages', given)
    const known = external === undefined ? undefined : model.external.get(external)
    if (known) {
      assert.deepEqual([status, body, lastSeq()], [200, known, seq])
    } else {
      assert.equal(status, 201, JSON.stringify(body))
      if (external) model.external.set(external, body)
      say(model, { direction, sent, stored: server.now(), text })
      const own = server.events(seq).filter(({ object_id }) => object_id === body.id)
      const name = { inbound: 'message.received', outbound: 'message.sent', note: '' }[direction]
      assert.deepEqual(
        own.map(({ type, object }) => [type, object]),
        name ? [[name, body]] : [],
      )
    }
    await tick(models)
  })

const openCommand = (direction: 'inbound' | 'outbound', late: number): Command =>
  command(
    `open ${direction} ${late}`,
    async (models) => {
      const text = `${direction} ${server.now()}`
      const sent = sentAt(late)
      const seq = lastSeq()
      const { conversation_id } = await inbox.make('/messages', {
        contact_id: contact,
        channel: CHANNEL,
        direction,
        body_text: text,
        ...(late ? { sent_at: wire(sent) } : {}),
      })
      models.conversations.push({
        id: conversation_id,
        messages: [{ direction, sent, stored: server.now(), text }],
        status: 'open',
        priority: 'normal',
        snoozedUntil: null,
        readAt: null,
        closed: 0,
        external: new Map(),
        seen: undefined,
        seq,
      })
      await tick(models)
    },
    ({ conversations }) => conversations.length < 3,
  )

const statusCommand = (place: number, status: string, minutes: number): Command =>
  command(`${status} ${place} ${status === 'snoozed' ? minutes : ''}`, async (models) => {
    const model = at(models, place)
    const until = server.now() + minutes * MINUTE_MS
    await inbox.patch(model.id, { status, ...(status === 'snoozed' ? { snoozed_until: wire(until) } : {}) })
    if (status === 'closed' && model.status !== 'closed') model.closed = server.now()
    model.status = status
    model.snoozedUntil = status === 'snoozed' ? until : null
    await tick(models)
  })

const readCommand = (place: number, back: number | null): Command =>
  command(`read ${place} ${back}`, async (models) => {
    const model = at(models, place)
    const readAt = back === null ? null : server.now() - back * MINUTE_MS
    await inbox.patch(model.id, { read_at: wire(readAt) })
    model.readAt = readAt === null ? null : Math.min(readAt, server.now())
    await tick(models)
  })

const priorityCommand = (place: number, priority: string): Command =>
  command(`priority ${place} ${priority}`, async (models) => {
    const model = at(models, place)
    await inbox.patch(model.id, { priority })
    model.priority = priority
    await tick(models)
  })

/** Time goes on, with the scheduler at every moment at which something is due, or only at the end. */
const waitCommand = (minutes: number, isDown: boolean): Command =>
  command(`wait ${minutes}${isDown ? ' without the scheduler' : ''}`, async (models) => {
    const end = server.now() + minutes * MINUTE_MS
    const nextDue = server.store.db.prepare('SELECT min(due_at) FROM jobs').pluck()
    for (;;) {
      const due = isDown ? null : (nextDue.get() as number | null)
      if (due === null || due > end) break
      server.advance(Math.max(0, due - server.now()))
      await tick(models)
    }
    server.advance(end - server.now())
    if (!isDown) await tick(models)
  })

const place = fc.nat(2)
const late = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 90 }))
const external = fc.option(fc.constantFrom('a', 'b'), { nil: undefined, freq: 3 })
const commands = [
  fc.tuple(fc.constantFrom('inbound' as const, 'outbound' as const), late).map((given) => openCommand(...given)),
  ...(['inbound', 'outbound', 'inbound', 'outbound', 'note'] as const).map((direction) =>
    fc.tuple(place, late, external).map(([one, ...rest]) => sayCommand(direction, one, ...rest)),
  ),
  fc
    .tuple(place, fc.constantFrom('open', 'pending', 'snoozed', 'closed', 'closed'), fc.integer({ min: 1, max: 60 }))
    .map((given) => statusCommand(...given)),
  fc.tuple(place, fc.option(fc.integer({ min: -4, max: 60 }))).map((given) => readCommand(...given)),
  fc.tuple(place, fc.constantFrom('low', 'normal', 'high', 'urgent')).map((given) => priorityCommand(...given)),
  fc.tuple(fc.integer({ min: 1, max: 120 }), fc.boolean()).map((given) => waitCommand(...given)),
]

test('conversations are what their messages and changes make of them, whatever comes in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 40, size: 'max' }), async (all) => {
      const models: Models = { conversations: [] }
      try {
        await fc.asyncModelRun(() => ({ model: models, real: null }), all)
      } finally {
        for (const { id } of models.conversations) await inbox.patch(id, { status: 'closed' })
      }
    }),
    { numRuns: examples(30) },
  )
})
