import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { caller, inBatches, type Waits, writeEvenly } from './client.ts'
import type { Wait } from './large.ts'

const CONVERSATIONS = 100_000
const CLOCKS = 1000
const PAGES = 1000
const TARGET_S = 60
const WRITES_PER_S = 100

export type Inbox = {
  conversations: number
  opened: { perS: number }
  lists: Wait[]
  clocks: { count: number; tookMs: number; quiet: Waits; busy: Waits }
}

type Server = {
  url: string
  token: string
  /** Applies a settings document. */
  apply: (document: object) => void
  /** Runs wrk with one connection. */
  measure: (env: Record<string, string>) => Promise<Omit<Wait, 'name' | 'goal_ms'>>
}
type Listed = {
  data: { id: string; timestamp?: string; type?: string }[]
  next_cursor: string | null
  last_seq: number
}

/** An inbox of 100,000 conversations, with 1,000 SLA targets that are due in the same second. */
export async function inbox(server: Server): Promise<Inbox> {
  const call = caller(server)
  const contacts = ((await call('GET', '/contacts?limit=100')) as Listed).data.map(({ id }) => id)
  const started = performance.now()
  const first = Date.now() - CONVERSATIONS * 60_000
  server.apply({ sla: [] }) // or the old messages would all breach a target at once
  await inBatches(CONVERSATIONS, 48, (n) =>
    call('POST', '/messages', {
      contact_id: contacts[n % contacts.length],
      channel: 'email',
      subject: `Question ${n}`,
      direction: 'inbound',
      body_text: `Hello, this is about order ${n}. When will it arrive?`,
      sent_at: new Date(first + ((n * 7919) % CONVERSATIONS) * 60_000).toISOString(),
    }),
  )
  const opened = { perS: (CONVERSATIONS / (performance.now() - started)) * 1000 }
  return { conversations: CONVERSATIONS, opened, lists: await lists(server), clocks: await clocks(server, contacts) }
}

/** Every request uses a different start time: more pages than the server caches, so that none comes from the cache. */
async function lists({ token, measure }: Server): Promise<Wait[]> {
  const found: Wait[] = []
  const ask = async (name: string, path: string, bound: string) => {
    const file = join(tmpdir(), `dealbox-bench-${process.pid}-inbox`)
    const times = Array.from({ length: PAGES }, (_, n) => new Date(Date.now() - (n + 1) * 3_600_000).toISOString())
    writeFileSync(file, times.map((time) => `${path}&${bound}=${time}`).join('\n'))
    found.push({ name, goal_ms: 2, ...(await measure({ KIND: 'paths', IDS: file, TOKEN: token })) })
  }
  const sorted = '/conversations?sort=-last_message_at'
  const before = 'last_message_at[lt]'
  await ask('newest message first', sorted, before)
  await ask('open ones', `${sorted}&status=open`, before)
  await ask('open ones of nobody', `${sorted}&status=open&owner_id=null`, before)
  await ask('those that wait longest', '/conversations?sort=waiting_since&status=open', 'waiting_since[gt]')
  return found
}

/** Opens all conversations by messages of the same moment, so that their targets are due at the same moment. */
async function clocks(server: Server, contacts: readonly string[]): Promise<Inbox['clocks']> {
  const call = caller(server)
  const targets = { normal: { first_response_s: TARGET_S } }
  server.apply({
    sla: [{ key: 'fast', name: 'Fast', hours: null, targets, match: { field: 'channel', op: 'eq', value: 'chat' } }],
  })
  const quiet = (await writeEvenly(call, WRITES_PER_S, (elapsedMs) => elapsedMs > 5000)).waits
  const dueAt = Date.now() + 12_000
  const sent_at = new Date(dueAt - TARGET_S * 1000).toISOString()
  const { last_seq } = (await call('GET', '/webhooks/events?types=conversation.sla_breached&limit=1')) as Listed
  await inBatches(CLOCKS, 48, (n) =>
    call('POST', '/messages', {
      contact_id: contacts[n % contacts.length],
      channel: 'chat',
      direction: 'inbound',
      body_text: `Is somebody there? ${n}`,
      sent_at,
    }),
  )
  await new Promise((wake) => setTimeout(wake, dueAt - Date.now() - 500))
  const busy = (await writeEvenly(call, WRITES_PER_S, () => Date.now() > dueAt + 2500)).waits
  const breaches = (await eventsOf(call, 'conversation.sla_breached', last_seq)).filter((time) => time >= dueAt)
  if (breaches.length !== CLOCKS) throw new Error(`${breaches.length} of ${CLOCKS} breaches were recorded`)
  return { count: CLOCKS, tookMs: Math.max(...breaches) - dueAt, quiet, busy }
}

/** The times at which the events were written. */
async function eventsOf(call: ReturnType<typeof caller>, type: string, after: number): Promise<number[]> {
  const times: number[] = []
  for (let seq = after; ; ) {
    const path = `/webhooks/events?types=${type}&limit=100&after_seq=${seq}`
    const { data, last_seq } = (await call('GET', path)) as Listed
    if (last_seq === seq) return times
    times.push(...data.map(({ timestamp }) => Date.parse(timestamp as string)))
    seq = last_seq
  }
}
