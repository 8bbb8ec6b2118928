import assert from 'node:assert/strict'
import type { ListRoute } from '../../src/http/route.ts'
import type { Row } from '../store/model.ts'
import { startServer, type TestServer } from '../support/server.ts'

// A server whose lists have something to page, to sort and to filter.

export const DEALS = 120
const TITLES = ['Åland', 'aland', 'ALAND', 'Łódź', 'lodz', 'Straße', 'strasse', 'Zürich', '日本', '🚀 launch', 'b', 'B']

export type Filled = Awaited<ReturnType<typeof startFilled>>

export async function startFilled() {
  const server = await startServer()
  await fill(server)
  const lists: ListRoute[] = server.routes.filter((route) => route.kind === 'list')
  /** All records of each list, by its path. */
  const records = new Map<string, Row[]>()
  for (const { path, filters } of lists) {
    const all = Object.entries(filters).flatMap(([name, { lifts }]) => (lifts ? [`${name}=true`] : []))
    records.set(path, (await walk(path, [...all, 'limit=100'])).flat())
  }

  /** The pages of a list, by next_cursor; the Link of each has to name the same page. */
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

  /** Asks for a 400 with this code; gives its detail. */
  async function refused(path: string, code = 'invalid_query', options = {}): Promise<string> {
    const { status, body } = await server.call('GET', path, undefined, options)
    assert.equal(status, 400, path)
    assert.equal(body.code, code, path)
    return body.detail
  }

  return { server, lists, walk, refused, recordsOf: (path: string) => records.get(path) as Row[] }
}

export const idsOf = (rows: Row[]): string[] => rows.map(({ id }) => id)

/** Deals with ties and gaps in every field, and some of everything that they refer to. */
async function fill({ a, advance, call }: TestServer): Promise<void> {
  const make = async (path: string, body: Row): Promise<string> => {
    const { status, body: made } = await call('POST', path, body)
    assert.equal(status, 201, JSON.stringify(made))
    return made.id
  }
  const tags = [await make('/tags', { name: 'Éclair' }), await make('/tags', { name: 'eclair 2', color: '#00ff00' })]
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
    if (n % 6 === 0) await call('PATCH', `/deals/${id}`, { stage: a.stages.demo })
    if (n % 10 === 0) await call('POST', `/deals/${id}/close`, { reason_id: n % 20 ? a.reasons.won : a.reasons.lost })
  }
}
