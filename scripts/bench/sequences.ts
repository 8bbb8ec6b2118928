import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { caller, inBatches, type Waits, writeEvenly } from './client.ts'

const ENROLLMENTS = 10_000
const WRITES_PER_S = 100
const LEAD_MS = 3000
const MAX_MS = 300_000

export type Sequences = {
  enrollments: number
  writesPerS: number
  /** From their due time until the last step was done, and until the last mail was sent. */
  stepsMs: number
  mailsMs: number
  quiet: Waits
  busy: Waits
}

type Server = { url: string; token: string; apply: (document: object) => void }
type Listed = { data: { id: string; name?: string }[]; next_cursor: string | null }

/** 10,000 enrollments whose first mail is due at the same moment, and how long writes take in the meantime. */
export async function sequences(server: Server): Promise<Sequences> {
  const sink = fork(join(import.meta.dirname, 'sink.mjs'), { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  try {
    const [port] = (await once(sink.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
    const call = caller(server)
    server.apply({
      mailboxes: [
        {
          key: 'bench',
          name: 'Bench',
          address: 'bench@example.com',
          is_default: true,
          smtp: { host: '127.0.0.1', port: Number(port), tls: 'none' },
        },
      ],
      sequences: [
        {
          key: 'bench',
          name: 'Bench',
          status: 'active',
          steps: [
            { type: 'email', delay_s: 0, subject: 'Hello {{contact.first_name}}', body: 'Hello {{contact.name}}.' },
            { type: 'task', delay_s: 86_400, task_title: 'Look after {{contact.name}}' },
          ],
        },
      ],
    })
    const { data } = (await call('GET', '/sequences?limit=100')) as Listed
    const sequence_id = data.find(({ name }) => name === 'Bench')?.id
    const contacts = await makeContacts(call)
    const quiet = (await writeEvenly(call, WRITES_PER_S, (elapsedMs) => elapsedMs > 8000)).waits
    const dueAt = Date.now() + 60_000
    await inBatches(ENROLLMENTS / 100, 2, (n) =>
      call('POST', '/enrollments', {
        sequence_id,
        contact_ids: contacts.slice(n * 100, n * 100 + 100),
        start_at: new Date(dueAt).toISOString(),
      }),
    )
    await sleep(dueAt - LEAD_MS / 10 - Date.now())
    let stepsMs = 0
    let mailsMs = 0
    const watching = watch()
    const busy = (await writeEvenly(call, WRITES_PER_S, () => mailsMs > 0 || Date.now() - dueAt > MAX_MS)).waits
    await watching
    return { enrollments: ENROLLMENTS, writesPerS: WRITES_PER_S, stepsMs, mailsMs, quiet, busy }

    /** Counts in another process, to not disturb the measurement. */
    async function watch(): Promise<void> {
      while (mailsMs === 0 && Date.now() - dueAt < MAX_MS) {
        await sleep(250)
        sink.send('how many')
        const [count] = (await once(sink, 'message')) as [number]
        const waiting = (await call('GET', '/enrollments?status=scheduled&limit=1')) as Listed
        if (stepsMs === 0 && waiting.data.length === 0) stepsMs = Date.now() - dueAt
        if (count >= ENROLLMENTS) mailsMs = Date.now() - dueAt
      }
    }
  } finally {
    sink.kill()
  }
}

async function makeContacts(call: ReturnType<typeof caller>): Promise<string[]> {
  const ids: string[] = []
  await inBatches(ENROLLMENTS, 48, async (n) => {
    const emails = [{ email: `bench${n}@firm.example` }]
    const { id } = (await call('POST', '/contacts', { first_name: `Bench ${n}`, emails })) as { id: string }
    ids.push(id)
  })
  return ids
}

const sleep = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, Math.max(0, ms)))
