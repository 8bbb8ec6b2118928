import { companyStore } from '../../../src/crm/companies.ts'
import { contactStore } from '../../../src/crm/contacts.ts'
import { dealStore } from '../../../src/crm/deals/deals.ts'
import { tagStore } from '../../../src/crm/tags.ts'
import { customFieldStore } from '../../../src/records/custom-fields/custom-fields.ts'
import { seedOf } from '../../support/seed.ts'
import type { TestServer } from '../../support/server.ts'
import type { FilterContext, Listed, Row } from './naive.ts'

// Some hundred records of each object, with ties, gaps and values of every custom field.

export const TEXTS = ['Łódź', 'lodz', 'ÅLAND', 'aland 2', "O'Hara", '50% off', 'a_b', 'a*b', '日本', '🚀', 'z']
export const AMOUNTS = [0, 0.000001, 1.5, 1000, 25000.1, 123456789.123456, 9000000000000]
const OPTIONS = ['a', 'b', 'c d', 'É']
const DAY_MS = 86_400_000
const TYPES = {
  ...{
    txt: 'text',
    num: 'number',
    flag: 'boolean',
    day: 'date',
    at: 'datetime',
    pick: 'select',
    picks: 'multi_select',
  },
  ...{ link: 'url', mail: 'email', tel: 'phone', who: 'member' },
}

/** A small seeded generator: the same records each time. */
function random(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const pick = <One>(all: readonly One[]): One => all[Math.floor(next() * all.length)] as One
  const some = <One>(one: One): One | null => (next() < 0.3 ? null : one)
  return { next, pick, some, subset: <One>(all: readonly One[]) => all.filter(() => next() < 0.35) }
}

export type SampleRecords = { context: FilterContext; records: Record<Listed, Row[]>; ids: Record<string, string[]> }

export function addSampleRecords({ store, deps, a, advance }: TestServer, many: number): SampleRecords {
  const { next, pick, some, subset } = random(seedOf(7))
  const who = { org: a.org, member: a.owner }
  const stores = { contact: contactStore(deps), company: companyStore(deps), deal: dealStore(deps) }
  const [tags, fields] = [tagStore(deps), customFieldStore(deps)]
  const now = store.clock.now()
  const day = () => new Date(now + Math.floor(next() * 20 - 10) * DAY_MS).toISOString().slice(0, 10)
  const time = () => new Date(now + pick([-9, -3, -1, 0, 1, 3]) * DAY_MS + pick([-1, 0, 0, 1])).toISOString()
  const records: SampleRecords['records'] = { contact: [], company: [], deal: [] }
  const tagIds: string[] = []

  const custom = () => {
    const all: Row = {
      txt: pick(TEXTS),
      num: pick([-1.5, 0, 2, 1e300]),
      flag: pick([true, false]),
      day: day(),
      at: time(),
    }
    Object.assign(all, { pick: pick(OPTIONS), picks: subset(OPTIONS), who: pick([a.owner]) })
    Object.assign(all, { link: 'https://x.example/É', mail: 'Ana@É.example', tel: '+1 555 0100' })
    return Object.fromEntries(Object.entries(all).filter(() => next() < 0.6))
  }
  const address = () => some({ city: some(pick(TEXTS)), line1: some(pick(TEXTS)), country: some(pick(['DE', 'PT'])) })
  const common = () => ({ owner_id: some(a.owner), tag_ids: subset(tagIds), custom_fields: custom() })

  store.transaction(() => {
    for (const object of ['contact', 'company', 'deal'] as const) {
      for (const [key, type] of Object.entries(TYPES)) {
        const options = type.endsWith('select') ? OPTIONS.map((value) => ({ value, label: value, color: null })) : []
        fields.create(who, { object, key, type, label: key, options } as never)
      }
    }
    for (const name of ['one', 'two', 'three']) tagIds.push(tags.create(who, { name }).id)
    for (let n = 0; n < many; n++) {
      advance(pick([0, 0, 1]))
      records.company.push(
        stores.company.create(who, {
          ...common(),
          name: pick(TEXTS),
          domains: subset([`c${n}.example`, `d${n}.example`, `e${n % 1e6}.test`]),
          industry: some(pick(TEXTS)),
          employee_count: some(pick([0, 1, 250, 9007199254740991])),
          annual_revenue: some(pick(AMOUNTS)),
          currency: some(pick(['EUR', 'USD'])),
          phone: some('+49 30 1234'),
          address: address(),
          parent_company_id: n > 4 ? some(pick(records.company).id) : null,
          external_id: some(`C-${n}`),
          originally_created_at: some(`${day()}T12:00:00.000Z`),
        }),
      )
    }
    for (let n = 0; n < many; n++) {
      advance(pick([0, 0, 1]))
      records.contact.push(
        stores.contact.create(
          who,
          {
            ...common(),
            first_name: pick(TEXTS),
            last_name: some(pick(TEXTS)),
            emails: subset(['Ana', 'bo', 'C%d']).map((name, at) => ({
              ...{ email: `${name}${n % 7}@Example.com`, label: 'work' as const, is_primary: at === 0 },
            })),
            phones: subset(['+1 555 0100', '030-99']).map((number, at) => ({
              ...{ number, label: 'work' as const, is_primary: at === 0 },
            })),
            job_title: some(pick(TEXTS)),
            company_id: some(pick(records.company).id),
            address: address(),
            timezone: some(pick(['Europe/Berlin', 'Asia/Tokyo'])),
            language: some('pt-BR'),
            do_not_contact: pick([true, false]),
            source: some(pick(TEXTS)),
            external_id: some(`x${n}`),
            originally_created_at: some(`${day()}T12:00:00.000Z`),
          },
          { allow_duplicate: true },
        ),
      )
    }
    for (let n = 0; n < many; n++) {
      advance(pick([0, 0, 1]))
      const made = stores.deal.create(who, {
        ...common(),
        title: pick(TEXTS),
        amount: some(pick(AMOUNTS)),
        currency: some(pick(['EUR', 'USD'])),
        company_id: some(pick(records.company).id),
        primary_contact_id: some(pick(records.contact).id),
        expected_close_date: some(day()),
        external_id: some(`d${n}`),
        originally_created_at: some(`${day()}T12:00:00.000Z`),
      })
      const reason_id = pick([a.reasons.won, a.reasons.lost])
      const later = next()
      if (later < 0.6) advance(1)
      if (later < 0.3) records.deal.push(stores.deal.close(who, made, { reason_id }))
      else records.deal.push(later < 0.6 ? stores.deal.patch(who, made, { stage: a.stages.demo }) : made)
    }
  })
  store.db.prepare('UPDATE contacts SET unsubscribed_at = ? WHERE org_id = ? AND do_not_contact').run(now, a.org)
  const unsubscribed_at = new Date(now).toISOString()
  records.contact = records.contact.map((each) => (each.do_not_contact ? { ...each, unsubscribed_at } : each))

  const context = {
    companies: new Map(records.company.map((company) => [company.id, company])),
    custom: { contact: TYPES, company: TYPES, deal: TYPES },
    now: store.clock.now(),
    timezone: 'Europe/Berlin',
    member: a.owner,
  }
  return { context, records, ids: { tags: tagIds } }
}
