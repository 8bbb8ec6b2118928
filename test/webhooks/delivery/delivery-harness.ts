import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import type { Log } from '../../../src/lib/log.ts'
import { parseAllow } from '../../../src/lib/net/allow.ts'
import { guard } from '../../../src/lib/net/guard.ts'
import type { Write } from '../../../src/store/commit.ts'
import { type DeliveryOptions, startDelivery } from '../../../src/webhooks/delivery/delivery.ts'
import { type Attempt, poster, type Reply } from '../../../src/webhooks/egress/http-post.ts'
import type { Org } from '../../support/org.ts'
import { type Received, type Script, startReceiver } from '../../support/receiver.ts'
import { startServer } from '../../support/server.ts'
import { WAIT_MS } from '../../support/until.ts'

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** A row of a delivery, with its tries read. */
export type Row = {
  id: string
  webhook_id: string
  event_id: string
  seq: number | null
  type: string
  object_id: string
  status: string
  tries: { at: string; response_status: number | null; error: string | null; response_body: string | null }[]
  failures: number
  due_at: number | null
  leased_until: number | null
}

export type Hook = { id: string; secret: string; url: string }
export type DeliveryHarness = Awaited<ReturnType<typeof deliveryHarness>>

/** So many turns of the event loop without a write: nothing more comes by itself. */
const QUIET_TURNS = 12

/** A real server with a real sender, whose clock stands still until `advance`; by chance all pauses are the shortest. */
export async function deliveryHarness(t: TestContext, options: Partial<DeliveryOptions> & { allow?: string } = {}) {
  const { allow = '127.0.0.1', ...more } = options
  let allowed = guard({ allow: parseAllow(allow), ownPorts: () => [] })
  const egress = {
    refusal: (url: string) => allowed.refusal(url),
    resolve: (url: string) => allowed.resolve(url),
  }
  const server = await startServer({ guard: egress })
  const { store, deps } = server
  const send = more.post ?? poster(egress)
  const log: { level: string; line: unknown; message: string }[] = []
  const into = (level: string) => (line: unknown, message: string) => void log.push({ level, line, message })
  const onTheirWay = new Set<Attempt>()
  const sent: Attempt[] = []
  let writes = 0
  let beforeWrite = (): void => undefined
  let sender = start()

  async function post(attempt: Attempt): Promise<Reply> {
    sent.push(attempt)
    onTheirWay.add(attempt)
    try {
      return await send(attempt)
    } finally {
      onTheirWay.delete(attempt)
    }
  }

  function start() {
    const write: Write = (job) => {
      writes++
      try {
        beforeWrite()
      } catch (error) {
        return Promise.reject(error)
      }
      return store.write(job)
    }
    return startDelivery({
      random: () => 0,
      ...more,
      store: { write, committed: store.committed, health: store.health },
      deps,
      post,
      log: { error: into('error'), warn: into('warn') } as unknown as Log,
      userAgent: 'Dealbox/test',
    })
  }

  /** Resolves when the sender has nothing to do any more, though `left` tries may still be on their way. */
  async function idle(left = 0): Promise<void> {
    const deadline = performance.now() + WAIT_MS
    for (let quiet = 0; quiet < QUIET_TURNS; ) {
      const before = writes
      await nextTurn()
      quiet = !sender.isBusy() && onTheirWay.size <= left && writes === before ? quiet + 1 : 0
      assert.ok(performance.now() < deadline, `${onTheirWay.size} tries are still on their way`)
    }
  }

  /** Moves the clock, and lets the sender do what is due by then. */
  async function advance(ms: number, left = 0): Promise<void> {
    server.advance(ms)
    sender.wake()
    await idle(left)
  }

  async function receiver(script?: Script) {
    const made = await startReceiver(script)
    t.after(made.stop)
    return made
  }

  async function hook(url: string, fields: Record<string, unknown> = {}, org?: Org): Promise<Hook> {
    const given = { url, event_types: ['*'], ...fields }
    const { status, body } = await server.call('POST', '/webhooks', given, org && { token: org.token })
    assert.equal(status, 201, JSON.stringify(body))
    return body
  }

  async function ok(method: string, path: string, body?: unknown, org?: Org) {
    const answer = await server.call(method, path, body, org && { token: org.token })
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
    return answer.body
  }

  const rows = (where = '1', ...given: unknown[]): Row[] => {
    const found = store.db.prepare(`SELECT * FROM deliveries WHERE ${where} ORDER BY seq, id`).all(...given) as Row[]
    return found.map((row) => ({ ...row, tries: JSON.parse(row.tries as unknown as string) }))
  }

  t.after(async () => {
    await sender.stop(0)
    await server.stop()
  })

  return {
    ...server,
    ok,
    hook,
    receiver,
    advance,
    idle,
    rows,
    log,
    sent,
    onTheirWay,
    writes: () => writes,
    /** Called before each write of the sender, which fails with what it throws. */
    beforeWrite: (next: () => void) => {
      beforeWrite = next
    },
    wake: () => sender.wake(),
    stopSender: (graceMs?: number) => sender.stop(graceMs),
    startSender: () => {
      sender = start()
    },
    allow: (list: string) => {
      allowed = guard({ allow: parseAllow(list), ownPorts: () => [] })
    },
    deal: async (title = 'Deal', org?: Org): Promise<string> => (await ok('POST', '/deals', { title }, org)).id,
    /** As a GET shows it. */
    webhook: async ({ id }: Pick<Hook, 'id'>) => (await server.call('GET', `/webhooks/${id}`)).body,
    patch: ({ id }: Pick<Hook, 'id'>, fields: Record<string, unknown>) => ok('PATCH', `/webhooks/${id}`, fields),
    /** Of a webhook, the oldest event first. */
    deliveries: ({ id }: Pick<Hook, 'id'>) => rows('webhook_id = ?', id),
    state: ({ id }: Pick<Hook, 'id'>) =>
      store.db.prepare('SELECT * FROM webhook_states WHERE webhook_id = ?').get(id) as Record<string, number | null>,
  }
}

/** Checks a signature as a receiver does at the time of the try; throws where it does not fit. */
export function verify(secret: string, { text, headers }: Pick<Received, 'text' | 'headers'>, at?: number): unknown {
  const { now } = Date
  Date.now = () => at ?? Number(headers['webhook-timestamp']) * SECOND
  try {
    return new Webhook(secret).verify(text, headers as Record<string, string>)
  } finally {
    Date.now = now
  }
}
