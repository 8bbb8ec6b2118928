import assert from 'node:assert/strict'
import type { ListRoute } from '../../src/http/route.ts'
import { messageTexts, type Row } from '../store/list/model.ts'
import { idsOf } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { setLevels } from '../support/settings.ts'

// A server whose lists have records to page through, sort and filter.

export const DEALS = 120
const TITLES = ['Åland', 'aland', 'ALAND', 'Łódź', 'lodz', 'Straße', 'strasse', 'Zürich', '日本', '🚀 launch', 'b', 'B']

export type ListFixture = Awaited<ReturnType<typeof listFixture>>

export async function listFixture() {
  const server = await startServer()
  try {
    return await readAll(server)
  } catch (error) {
    await server.stop() // or the process would not end
    throw error
  }
}

async function readAll(server: TestServer) {
  await fill(server)
  const opened = await listsBelow(server)
  const lists = server.routes.filter((route) => route.kind === 'list').flatMap((route) => opened(route))
  /** All records of each list, by path. */
  const records = new Map<string, Row[]>()
  for (const { path, filters } of lists) {
    const all = Object.entries(filters).flatMap(([name, { disablesDefault }]) =>
      disablesDefault ? [`${name}=true`] : [],
    )
    records.set(path, (await walk(path, [...all, 'limit=100'])).flat())
  }
  for (const { id } of records.get('/conversations') as Row[]) {
    const messages = (await walk(`/conversations/${id}/messages`, ['limit=100'])).flat()
    const texts = messages.map(({ body_text }) => body_text)
    messageTexts.set(id, texts)
  }

  /** Returns the pages of a list, following next_cursor; the Link header must name the same page. */
  async function walk(path: string, parameters: string[]): Promise<Row[][]> {
    const pages: Row[][] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = [...parameters, ...(cursor === '' ? [] : [`cursor=${cursor}`])].join('&')
      const { status, body, headers } = await server.call('GET', `${path}?${query}`)
      assert.equal(status, 200, `${path}?${query}: ${JSON.stringify(body)}`)
      pages.push(body.data)
      cursor = body.next_cursor
      const link =
        cursor === null ? null : `</api/v1${path}?${[...parameters, `cursor=${cursor}`].join('&')}>; rel="next"`
      assert.equal(headers.get('link'), link)
    }
    return pages
  }

  /** Expects a 400 with this code; returns its detail. */
  async function refused(path: string, code = 'invalid_query', options = {}): Promise<string> {
    const { status, body } = await server.call('GET', path, undefined, options)
    assert.equal(status, 400, path)
    assert.equal(body.code, code, path)
    return body.detail
  }

  return { server, lists, walk, refused, recordsOf: (path: string) => records.get(path) as Row[] }
}

/** For paths that name a list: one list per object and kind. For webhooks: one with deliveries of each status. */
async function listsBelow(server: TestServer) {
  const { a, call } = server
  const ids: string[] = []
  const webhook = await deliveries(server)
  const conversations = idsOf((await call('GET', '/conversations?limit=2&sort=created_at')).body.data)
  for (const [object, path, column] of [
    ['contact', '/contacts', 'last_name'],
    ['company', '/companies', 'name'],
    ['deal', '/deals', 'title'],
  ]) {
    const filter = { field: column, op: 'contains', value: 'a' }
    ids.push((await call('POST', '/lists', { name: `smart ${object}`, object, kind: 'smart', filter })).body.id)
    const { id } = (await call('POST', '/lists', { name: `static ${object}`, object, kind: 'static' })).body
    const add_ids = idsOf((await call('GET', `${path}?limit=40`)).body.data)
    assert.equal((await call('POST', `/lists/${id}/members`, { add_ids })).body.added, add_ids.length)
    ids.push(id)
  }
  return (route: ListRoute): ListRoute[] => {
    const { open, path } = route
    if (!open) return [route]
    const who = { org: a.org, member: a.owner }
    const of = path.startsWith('/webhooks/') ? [webhook] : path.startsWith('/conversations/') ? conversations : ids
    return of.map((id) => ({ ...route, ...open(who, id), path: path.replace(':id', id), open: undefined }))
  }
}

/** Creates webhooks, two of which have deliveries of the existing events; the server itself sends none. */
async function deliveries({ a, call, store, advance }: TestServer): Promise<string> {
  const ids: string[] = []
  for (const status of ['active', 'paused', 'active', 'disabled']) {
    const given = { url: `https://${status}.example/`, event_types: ['*'], status }
    ids.push((await call('POST', '/webhooks', given)).body.id)
  }
  const insert = store.db.prepare(
    `INSERT INTO deliveries (org_id, id, webhook_id, event_id, seq, type, object_id, status, tries, failures,
       is_ordered, created_at, updated_at, version)
     SELECT org_id, ?, ?, id, seq, type, object_id, ?, '[]', 0, 1, at, at, 1 FROM events WHERE org_id = ? AND seq = ?`,
  )
  for (let seq = 1; seq < 260; seq++) {
    advance(seq % 2)
    const status = ['delivered', 'pending', 'delivered', 'failed', 'delivered'][seq % 5]
    insert.run(store.clock.id(), ids[seq % 4 === 0 ? 1 : 0], status, a.org, seq)
  }
  await call('POST', `/webhooks/${ids[0]}/test`)
  return ids[0] as string
}

/** Creates deals with ties and gaps in every field, and several records of everything they refer to. */
async function fill(server: TestServer): Promise<void> {
  const { a, advance, call, store } = server
  const make = async (path: string, body: Row): Promise<string> => {
    const { status, body: made } = await call('POST', path, body)
    assert.equal(status, 201, JSON.stringify(made))
    return made.id
  }
  const promised = { normal: { first_response_s: 3600 } }
  setLevels(store, a.org, {
    hours: ['Early', 'Late', 'Night'].map((name, n) => ({
      ...{ key: name, name, timezone: 'Europe/Berlin', is_default: n === 1 },
      weekly: { mon: [{ from: `1${n}:00`, to: '20:00' }] },
    })),
    sla: ['b', 'a', 'c'].map((key, n) => ({
      key,
      name: key,
      is_default: n === 0,
      hours: 'Late',
      targets: n ? {} : promised,
    })),
    sequences: ['After the fair', 'Back again', 'Cold'].map((name, n) => ({
      ...{ key: name[0] as string, name, status: n === 1 ? 'draft' : 'active', hours: n === 1 ? null : 'Late' },
      steps: [{ type: 'task', delay_s: n, task_title: 'Call {{contact.name}}' }],
    })),
  })
  const tags = [await make('/tags', { name: 'Éclair' }), await make('/tags', { name: 'eclair 2', color: '#00ff00' })]
  for (let n = 0; n < 9; n++) {
    advance(n % 2)
    const object = ['contact', 'company', 'deal'][n % 3]
    await make('/custom-fields', {
      ...{ object, key: `field_${n}`, label: `Field ${n}`, type: 'text' },
      ...{ position: n % 2, is_archived: n % 4 === 0 },
    })
  }
  const companies: string[] = []
  const contacts: string[] = []
  for (let n = 0; n < 8; n++) {
    advance(n % 2)
    companies.push(
      await make('/companies', {
        name: TITLES[n % 5],
        domains: n % 3 === 0 ? [] : [`c${n}.example`, `d${n}.example`],
        parent_company_id: n > 5 ? companies[n % 2] : null,
        owner_id: n % 2 ? a.owner : null,
        tag_ids: tags.slice(0, n % 3),
        external_id: n % 2 ? `ext-${n}` : null,
      }),
    )
    contacts.push(
      await make('/contacts', {
        last_name: TITLES[n % 4],
        emails: n % 3 === 0 ? [] : [{ email: `P${n}@example.com` }, { email: `q${n}@example.com` }],
        company_id: n % 3 ? companies[0] : null,
        owner_id: n % 2 ? a.owner : null,
        tag_ids: tags.slice(n % 3),
        do_not_contact: n % 4 === 0,
        external_id: n % 2 ? null : `ext-${n}`,
      }),
    )
  }
  const deals: string[] = []
  const amounts = [null, 0, 1.5, 1000, 25000.1, 9000000000000, 1000, null]
  for (let n = 0; n < DEALS; n++) {
    advance(n % 3)
    const id = await make('/deals', {
      title: TITLES[n % TITLES.length],
      amount: amounts[n % amounts.length],
      currency: [null, 'EUR', 'USD', 'EUR'][n % 4],
      company_id: companies[n % 11] ?? null,
      primary_contact_id: contacts[n % 13] ?? null,
      owner_id: n % 5 ? a.owner : null,
      tag_ids: tags.slice(n % 3),
      expected_close_date: n % 4 ? `2027-0${1 + (n % 3)}-15` : null,
    })
    deals.push(id)
    if (n % 6 === 0) await call('PATCH', `/deals/${id}`, { stage: a.stages.demo })
    if (n % 10 === 0) await call('POST', `/deals/${id}/close`, { reason_id: n % 20 ? a.reasons.won : a.reasons.lost })
  }
  await enrollAll(server, contacts, deals)
  for (let n = 0; n < 24; n++) {
    advance(n % 3)
    const linked = {
      contact_ids: contacts.slice(0, n % 4),
      company_ids: n % 3 ? [] : companies.slice(n % 5, 3),
      deal_ids: n % 4 ? [] : deals.slice(n, n + 2),
    }
    const note = await make('/notes', {
      title: n % 3 ? TITLES[n % TITLES.length] : null,
      body: `${TITLES[n % 7]} *${n % 5}*`,
      ...linked,
      is_pinned: n % 5 === 0,
    })
    if (n % 7 === 0) await call('PATCH', `/notes/${note}`, { body: 'Łódź, later' })
    const task = await make('/tasks', {
      title: TITLES[n % TITLES.length],
      body: n % 3 ? null : `${TITLES[n % 5]} once more`,
      type: (['todo', 'call', 'email'] as const)[n % 3],
      priority: (['low', 'normal', 'high'] as const)[n % 3],
      due_at: n % 4 ? `202${5 + (n % 3)}-01-0${1 + (n % 2)}T08:00:00Z` : null,
      owner_id: n % 5 ? a.owner : null,
      ...linked,
    })
    if (n % 4 === 1) await call('PATCH', `/tasks/${task}`, { status: n % 8 === 1 ? 'done' : 'canceled' })
    const day = 10 + (n % 4)
    const meeting = await make('/meetings', {
      title: TITLES[n % TITLES.length],
      description: n % 3 ? null : `${TITLES[n % 5]} at last`,
      starts_at: `2026-12-${day}T09:00:00Z`,
      ends_at: `2026-12-${day}T10:00:00Z`,
      status: ['scheduled', 'completed', 'canceled', 'no_show'][n % 4],
      location: n % 4 ? null : 'Łódź',
      participants: [
        ...contacts.slice(0, n % 3).map((contact_id) => ({ contact_id })),
        ...(n % 4 ? [{ member_id: n % 2 ? a.owner : a.deactivated }] : []),
        ...(n % 5 ? [{ email: `zoë${n}@example.com`, name: TITLES[n % 7] }] : []),
      ],
      company_id: n % 3 ? companies[n % 4] : null,
      deal_id: n % 4 ? deals[n % 5] : null,
      owner_id: n % 5 ? a.owner : null,
    })
    if (n % 6 === 0) await call('PATCH', `/meetings/${meeting}`, { summary: 'Éclair, later' })
    await converse(server, n, { contact_id: contacts[n % 5], deal_id: deals[n % 3], tag_ids: tags.slice(n % 3) })
  }
}

/** Enrolls contacts in sequences, in every status that requests can reach. */
async function enrollAll({ a, advance, call }: TestServer, contacts: string[], deals: string[]): Promise<void> {
  const sequences = (await call('GET', '/sequences?status=active')).body.data as Row[]
  for (let n = 0; n < 3 * contacts.length; n++) {
    advance(n % 2)
    const given = {
      ...{ sequence_id: sequences[n % 2]?.id, contact_id: contacts[n % contacts.length] },
      ...{ deal_id: n % 3 ? deals[n % 4] : null, sender_id: a.owner },
      ...(n % 5 === 0 ? { start_at: '2030-01-01T00:00:00Z' } : {}),
    }
    const { status, body } = await call('POST', '/enrollments', given)
    if (status !== 201) continue // a contact with do_not_contact
    for (const wanted of [[], ['paused'], ['stopped'], ['paused', 'active']][n % 4] as string[])
      assert.equal((await call('PATCH', `/enrollments/${body.id}`, { status: wanted })).status, 200)
  }
}

/** Creates a conversation with several messages, many in the first one, and gaps in the fields of its patch. */
async function converse(
  { a, call, advance, now }: TestServer,
  n: number,
  { contact_id, ...links }: Row,
): Promise<void> {
  const channel = (['chat', 'email', 'sms'] as const)[n % 3]
  const say = async (direction: string, where: Row, at: number): Promise<string> => {
    const sent_at = new Date(now() - (at % 3) * 60_000).toISOString()
    const given = { direction, body_text: `${TITLES[at % 7]} ${n % 5}`, sent_at, ...where }
    const { status, body } = await call('POST', '/messages', given)
    assert.equal(status, 201, JSON.stringify(body))
    return body.conversation_id
  }
  const subject = n % 3 ? TITLES[n % TITLES.length] : null
  const id = await say(n % 4 ? 'inbound' : 'outbound', { contact_id, channel, subject }, n)
  const many = n === 0 ? 120 : n % 4
  for (let at = 0; at < many; at++) {
    advance(at % 2)
    await say(['inbound', 'outbound', 'note'][(n + at) % 3] as string, { conversation_id: id }, at)
  }
  const status = ['open', 'pending', 'closed', 'snoozed'][n % 4]
  const given = { status, ...(status === 'snoozed' ? { snoozed_until: '2030-01-01T00:00:00Z' } : {}) }
  const priority = (['normal', 'low', 'urgent'] as const)[n % 3]
  await call('PATCH', `/conversations/${id}`, { ...given, priority, owner_id: n % 5 ? a.owner : null, ...links })
}
