import type { Client } from './client.ts'
import { blank } from './make.ts'

// What every run starts with, whatever the seed of the organisation has: conversations to write into, meetings with and
// without a transcript, and contacts who are enrolled. Some are as large as they may be: what memory they take is taken before it is measured.

const MEETINGS = 40
const TRANSCRIPTS = 15
const CONVERSATIONS = 12
const SEGMENTS = 75
const LARGE = 3
const ENROLLED = 8
const MINUTE_MS = 60_000
const START_MS = Date.UTC(2026, 0, 5, 9)

const WORDS = 'offer desks delivery Thursday price discount warranty invoice contract September'.split(' ')

/** Throws where something is refused. */
export async function prepare(client: Client, base: string, token: string): Promise<void> {
  // biome-ignore lint/suspicious/noExplicitAny: answers are JSON of every shape
  async function call(method: string, path: string, given?: object): Promise<any> {
    const request = blank(undefined, method, base + path)
    request.headers.push(['Authorization', `Bearer ${token}`])
    if (given) {
      request.headers.push(['Content-Type', 'application/json'])
      request.body = Buffer.from(JSON.stringify(given))
    }
    const { status, body } = await client.send(request)
    if (status >= 300) throw new Error(`${method} ${path} before the start: ${status} ${body}`)
    return JSON.parse(body)
  }

  const contacts: { id: string }[] = (await call('GET', '/contacts?limit=50')).data
  const contactAt = (index: number): string => contacts[index % contacts.length]!.id
  for (let index = 0; index < MEETINGS; index++) {
    const { id } = await call('POST', '/meetings', {
      title: `Review ${index}`,
      starts_at: new Date(START_MS + 60 * index * MINUTE_MS).toISOString(),
      ends_at: new Date(START_MS + (60 * index + 45) * MINUTE_MS).toISOString(),
      timezone: index % 2 ? 'Europe/Berlin' : null,
      participants: [{ contact_id: contactAt(index) }],
    })
    const long = index < LARGE ? 20_000 : SEGMENTS
    if (index < TRANSCRIPTS) await call('PUT', `/meetings/${id}/transcript`, { segments: talk(index, long) })
  }
  for (let index = 0; index < CONVERSATIONS; index++) {
    const { conversation_id } = await call('POST', '/messages', {
      direction: 'inbound',
      contact_id: contactAt(index),
      channel: index % 2 ? 'email' : 'chat',
      subject: `Order ${1000 + index}`,
      body_text: `Where is my order ${1000 + index}?`,
    })
    if (index % 3 !== 0) continue
    await call('POST', '/messages', { direction: 'outbound', conversation_id, body_text: 'On its way.' })
    const attachments = [{ name: 'all.zip', data: Buffer.alloc(10 * 1_048_576, index).toString('base64') }]
    await call('POST', '/messages', { direction: 'note', conversation_id, attachments })
  }
  const { data: sequences } = await call('GET', '/sequences?status=active')
  for (const [index, { id }] of sequences.entries()) {
    const some = contacts.slice(ENROLLED * index, ENROLLED * (index + 1))
    await call('POST', '/enrollments', { sequence_id: id, contact_ids: some.map(({ id }) => id) })
  }
}

const talk = (from: number, length: number) =>
  Array.from({ length }, (_, index) => ({
    speaker: `speaker ${index % 3}`,
    start_ms: index * 2000,
    end_ms: index * 2000 + 1900,
    text: `The ${WORDS[(from + index) % WORDS.length]} of ${from}, point ${index}.`,
  }))
