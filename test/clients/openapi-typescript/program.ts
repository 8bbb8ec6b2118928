// Pages deals, makes one, sends a message with a file, and stores a transcript.
import { equal, ok } from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.d.ts'

const { API = '', TOKEN = '' } = process.env
const client = createClient<paths>({ baseUrl: API, headers: { Authorization: `Bearer ${TOKEN}` } })

/** Returns what was answered; throws the problem that was answered instead. */
async function data<Data>(call: Promise<{ data?: Data; error?: components['schemas']['Problem'] }>): Promise<Data> {
  const { data, error } = await call
  if (data === undefined) throw new Error(error?.detail)
  return data
}

const deals: components['schemas']['Deal'][] = []
for (let cursor: string | null | undefined; cursor !== null; ) {
  const query = {
    limit: 20,
    status: 'open',
    'amount[gte]': 0.01,
    'owner_id[ne]': 'null',
    ...(cursor ? { cursor } : {}),
  } as const
  const page = await data(client.GET('/deals', { params: { query } }))
  deals.push(...page.data)
  cursor = page.next_cursor
}
ok(deals.length > 20 && deals.every(({ amount }) => amount !== null))

const made = await data(client.POST('/deals', { body: { title: 'Rollout', amount: 123456789.12, currency: 'EUR' } }))
const deal = await data(client.GET('/deals/{id}', { params: { path: { id: made.id } } }))
equal(deal.amount, 123456789.12)

const file = { name: 'offer.txt', content_type: 'text/plain', data: Buffer.from('An offer').toString('base64') }
const from = { email: 'eva@firm.example' }
const message = await data(
  client.POST('/messages', {
    body: { direction: 'inbound', channel: 'chat', from, body_text: 'Hello', attachments: [file] },
  }),
)
equal(message.attachments[0]?.size_bytes, 8)

const times = { starts_at: '2026-11-20T09:00:00Z', ends_at: '2026-11-20T10:00:00Z' }
const meeting = await data(client.POST('/meetings', { body: { title: 'Demo', ...times } }))
const segments = [{ start_ms: 0, end_ms: 2400, text: 'Good morning.' }]
const path = { id: meeting.id }
const transcript = await data(client.PUT('/meetings/{id}/transcript', { params: { path }, body: { segments } }))
equal(transcript.segments[0]?.text, 'Good morning.')

const lists = await data(client.GET('/lists'))
ok(lists.data.some(({ filter }) => filter !== null && 'all' in filter))

const { error: problem } = await client.PATCH('/deals/{id}', { params: { path: { id: deal.id } }, body: { title: '' } })
equal(problem?.errors?.[0]?.pointer, '/title')

// Each line below one that expects an error has to be one.

// @ts-expect-error a title is required
type NoTitle = Check<components['schemas']['CreateDealRequest'], Record<never, never>>
// @ts-expect-error there is no such field
type NoField = Check<keyof components['schemas']['UpdateDealRequest'], 'pipeline_id'>
// @ts-expect-error there is no such operator
type NoOperator = Check<keyof NonNullable<paths['/deals']['get']['parameters']['query']>, 'status[gte]'>
// @ts-expect-error contacts are not closed
type NoPath = paths['/contacts/{id}/close']
// @ts-expect-error no other status
type NoStatus = Check<components['schemas']['Deal']['status'], 'lapsed'>
type Check<Wide, Narrow extends Wide> = Narrow

export type { NoField, NoOperator, NoPath, NoStatus, NoTitle }
