// Pages deals, makes one, sends a message with a file, and stores a transcript.
import { equal, ok } from 'node:assert/strict'
import { client } from './client/client.gen.ts'
import * as dealbox from './client/sdk.gen.ts'
import type { Deal } from './client/types.gen.ts'

client.setConfig({ baseUrl: process.env.API ?? '', auth: process.env.TOKEN ?? '', throwOnError: true })

const deals: Deal[] = []
for (let cursor: string | null | undefined; cursor !== null; ) {
  const query = {
    limit: 20,
    status: 'open',
    'amount[gte]': 0.01,
    'owner_id[ne]': 'null',
    ...(cursor ? { cursor } : {}),
  } as const
  const { data: page } = await dealbox.listDeals({ query, throwOnError: true })
  deals.push(...page.data)
  cursor = page.next_cursor
}
ok(deals.length > 20 && deals.every(({ amount }) => amount !== null))

const body = { title: 'Rollout', amount: 123456789.12, currency: 'EUR' }
const { data: made } = await dealbox.createDeal({ body, throwOnError: true })
const { data: deal } = await dealbox.getDeal({ path: { id: made.id }, throwOnError: true })
equal(deal.amount, 123456789.12)

const file = { name: 'offer.txt', content_type: 'text/plain', data: Buffer.from('An offer').toString('base64') }
const from = { email: 'eva@firm.example' }
const { data: message } = await dealbox.createMessage({
  body: { direction: 'inbound', channel: 'chat', from, body_text: 'Hello', attachments: [file] },
  throwOnError: true,
})
equal(message.attachments[0]?.size_bytes, 8)

const times = { starts_at: '2026-11-20T09:00:00Z', ends_at: '2026-11-20T10:00:00Z' }
const { data: meeting } = await dealbox.createMeeting({ body: { title: 'Demo', ...times }, throwOnError: true })
const segments = [{ start_ms: 0, end_ms: 2400, text: 'Good morning.' }]
const path = { id: meeting.id }
const { data: transcript } = await dealbox.replaceTranscript({ path, body: { segments }, throwOnError: true })
equal(transcript.segments[0]?.text, 'Good morning.')

const { data: lists } = await dealbox.listLists({ throwOnError: true })
ok(lists.data.some(({ filter }) => filter !== null && 'all' in filter))
