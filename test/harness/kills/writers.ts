import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Place } from './place.ts'
import { type Body, call, type Server } from './server.ts'

const WRITERS = 8
/** Between two requests of a writer: other work has to get its turn. */
const LONGEST_PAUSE_MS = 20

/** The columns that hold the key of the request by which a record was made. */
export const KEYS = {
  deals: 'title',
  contacts: 'last_name',
  companies: 'name',
  notes: 'body',
  tasks: 'title',
  messages: 'body_text',
} as const
export type Kind = keyof typeof KEYS

/** A write, by its key; one without an answer is sent again, with its key, to the next server. */
export type Work = { key: string; kind: Kind; method: 'POST' | 'PATCH'; path: string; body: Body }
export type Acknowledged = Work & {
  id: string
  version: number
  /** By the clock of the server, as the times of its backups. */
  at: number
}

/** Clients that write all the time, and know what was acknowledged. */
export function writersOf({ random, org }: Place) {
  const acknowledged: Acknowledged[] = []
  const pending: (Work | undefined)[] = []
  const newest: Partial<Record<Kind, string>> = {}
  const lastDeals: (string | undefined)[] = []
  let made = 0
  let replays = 0
  let onNoted = (): void => undefined

  function newWork(writer: number): Work {
    const key = `work-${String(++made).padStart(7, '0')}`
    const deal = lastDeals[writer]
    const links = { deal_ids: deal ? [deal] : [], contact_ids: newest.contacts ? [newest.contacts] : [] }
    const post = (kind: Kind, body: Body): Work => ({ key, kind, method: 'POST', path: `/${kind}`, body })
    const any = random.int(20)
    if (any < 3) return post('contacts', { last_name: key, emails: [{ email: `${key}@firm.example` }] })
    if (any < 5) return post('companies', { name: key })
    if (any < 7) return post('tasks', { title: key, ...links })
    if (any < 9 && deal) return post('notes', { body: key, ...links })
    if (any < 12 && newest.contacts)
      return post('messages', {
        ...{
          direction: 'outbound',
          channel: 'email',
          contact_id: newest.contacts,
          subject: 'An offer',
          body_text: key,
        },
      })
    if (any < 16 && deal) {
      const stage = any % 2 === 0 ? { stage: random.pick([org.stages.demo, org.stages.proposal]) } : {}
      return { key, kind: 'deals', method: 'PATCH', path: `/deals/${deal}`, body: { title: key, ...stage } }
    }
    return post('deals', { title: key, amount: made })
  }

  /** Sends the request; what was sent before is only counted. */
  async function send(server: Server, work: Work): Promise<Acknowledged> {
    const { status, replayed, body } = await call(server, work.method, work.path, work.body, work.key)
    assert.equal(status, work.method === 'POST' ? 201 : 200, `${work.path} ${JSON.stringify(body)}`)
    if (replayed) replays++
    return { ...work, id: body.id, version: body.version, at: Date.now() + server.aheadMs }
  }

  async function write(server: Server, writer: number): Promise<void> {
    for (;;) {
      pending[writer] ??= newWork(writer)
      const work = pending[writer]
      try {
        const done = await send(server, work)
        note(done)
        pending[writer] = undefined
        if (done.kind === 'deals') lastDeals[writer] = done.id
        if (random.chance(0.05)) await again(server)
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
        return
      }
      await pause(random.int(LONGEST_PAUSE_MS))
    }
  }

  function note(done: Acknowledged): void {
    acknowledged.push(done)
    onNoted()
    newest[done.kind] = done.id
  }

  /** A client that sends once more what was acknowledged gets the same answer. */
  async function again(server: Server): Promise<void> {
    const before = acknowledged.length > 0 ? random.pick(acknowledged) : undefined
    if (!before) return
    const { id, version } = await send(server, before)
    assert.deepEqual([id, version], [before.id, before.version], `${before.key} was answered with another record`)
  }

  return {
    acknowledged,
    /** Writes until the server is gone; `begun` resolves with the first answer, and `ended` when all writers have ended. */
    run: (server: Server) => {
      const begun = new Promise<void>((resolve) => {
        onNoted = resolve
      })
      const ended = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(server, writer)))
      return { begun, ended }
    },
    /** Sends what was cut off. */
    finish: async (server: Server): Promise<void> => {
      for (const work of pending) if (work) note(await send(server, work))
      pending.length = 0
    },
    isPending: (id: string): boolean => pending.some((work) => work?.path.endsWith(id)),
    replays: () => replays,
  }
}
export type Writers = ReturnType<typeof writersOf>
