import assert from 'node:assert/strict'
import { applySettings } from '../../../src/app/settings/document.ts'
import { DAY_MS, HOUR_MS } from '../../../src/lib/time.ts'
import { type Row, recordsOf } from '../../support/records.ts'
import { startScreens } from '../../support/screens.ts'
import { startServer } from '../../support/server.ts'

// The board of the design: 26 open deals, as of Tuesday, 24 November 2026, 10:06 in Berlin.

export const NOW = Date.UTC(2026, 10, 24, 9, 6)

const STAGES = [
  ['lead', 'Lead in', 10],
  ['qualified', 'Qualified', 25],
  ['demo', 'Demo held', 40],
  ['proposal', 'Proposal sent', 50],
  ['negotiation', 'Negotiation', 75],
] as const

const PEOPLE = [
  ['JL', 'Jonas Lindqvist', 'member'],
  ['AK', 'Ana Kovačević', 'admin'],
  ['PR', 'Priya Raman', 'member'],
  ['MI', 'Mateo Ibáñez', 'member'],
] as const

type Task = [title: string, type: 'todo' | 'call' | 'email' | 'meeting', due: string]
type Line = [
  stage: string,
  title: string,
  company: string,
  amount: string,
  days: number,
  owner: string,
  task: Task | number | null,
]

/** A task and when it is due, in Berlin; or how many days nothing has happened; or nothing next. */
const DEALS: Line[] = [
  [
    'lead',
    'Replacement gauges, plant 2',
    'Northgate Dairy Cooperative',
    'GBP 18000',
    6,
    'MI',
    ['Call Siobhán', 'call', '22 10:00'],
  ],
  ['lead', 'Calibration lab extension', 'Ványa Optika Kft.', 'EUR 22400', 2, 'PR', ['Call Ilona', 'call', '24 15:00']],
  [
    'lead',
    'Torque sensors for assembly line 7',
    'Castellón Cerámica S.A.',
    'EUR 31500',
    4,
    'JL',
    ['Send data sheet', 'email', '26 00:00'],
  ],
  [
    'lead',
    'Gas detection, tank farm',
    'Brightwater Utilities',
    'EUR 12900',
    3,
    'MI',
    ['Call back', 'call', '27 00:00'],
  ],
  [
    'lead',
    'Wind tunnel probes',
    'Helvetia Präzision AG',
    'EUR 29600',
    2,
    'PR',
    ['Send references', 'email', '30 00:00'],
  ],
  ['lead', 'Inquiry from the Hannover stand', 'Lumen & Wray', '', 1, '', null],
  [
    'qualified',
    'Loggers for 14 delivery vans',
    'Polaris Freight',
    'EUR 9600',
    3,
    'MI',
    ['Answer questions', 'todo', '23 10:00'],
  ],
  [
    'qualified',
    'Portable analysers, first fleet of twelve',
    'Øresund Robotics ApS',
    'EUR 64000',
    8,
    'JL',
    ['Demo', 'meeting', '25 09:30'],
  ],
  [
    'qualified',
    'Annual service, 38 instruments',
    'Kestrel Marine Ltd',
    'EUR 27800',
    5,
    'MI',
    ['Call Oluwaseun', 'call', '25 23:59'],
  ],
  [
    'qualified',
    'Spindle monitoring retrofit',
    'Grünwald Maschinenbau GmbH & Co. KG',
    'EUR 48500',
    11,
    'PR',
    ['Send offer', 'todo', '27 00:00'],
  ],
  [
    'qualified',
    'Test rig for the second shift',
    'Werft Warnow GmbH',
    'EUR 49400',
    12,
    'JL',
    ['Call Henrike', 'call', '30 00:00'],
  ],
  ['qualified', 'Flow meters for the Rheinfelden works', 'Brugger Wasserwerke AG', 'CHF 48500', 34, 'JL', 21],
  ['qualified', 'Ultrasonic thickness gauges', 'Łódź Textile Works', 'EUR 15000', 9, 'PR', null],
  [
    'demo',
    'Multi-site rollout of line sensors',
    'Société Nouvelle des Ateliers de Saint-Étienne',
    'EUR 92000',
    19,
    'JL',
    ['Follow up', 'todo', '19 09:00'],
  ],
  [
    'demo',
    'Vibration analysis, pilot on two presses',
    'Hoshino Seiki',
    'JPY 5400000',
    3,
    'MI',
    ['Send summary', 'email', '24 23:59'],
  ],
  [
    'demo',
    'Lab balances and two-year service',
    'Aurelia Biolabs',
    'EUR 38600',
    7,
    'PR',
    ['Call Friederike', 'call', '26 10:00'],
  ],
  [
    'demo',
    'Handheld readers for field crews',
    'Brightwater Utilities',
    'EUR 24500',
    12,
    'MI',
    ['Trial ends', 'todo', '30 00:00'],
  ],
  [
    'demo',
    'Colour measurement, glaze line',
    'Castellón Cerámica S.A.',
    'EUR 31000',
    6,
    'JL',
    ['Second demo', 'meeting', '31 00:00'],
  ],
  [
    'proposal',
    'Leak detection for six vessels',
    'Kestrel Marine Ltd',
    'GBP 43200',
    14,
    'MI',
    ['Send revised terms', 'email', '23 09:00'],
  ],
  [
    'proposal',
    'Complete metrology room, phase one',
    'Helvetia Präzision AG',
    'CHF 100000',
    6,
    'PR',
    ['Ask for decision', 'call', '25 00:00'],
  ],
  [
    'proposal',
    'Cold-chain loggers, 400 pieces',
    'Polaris Freight',
    'EUR 58000',
    4,
    'JL',
    ['Meeting', 'meeting', '26 14:00'],
  ],
  [
    'proposal',
    'Weighbridge sensors, three sites',
    'Agrícola Peñafiel',
    'EUR 46300',
    8,
    'PR',
    ['Call Begoña', 'call', '27 11:00'],
  ],
  ['proposal', 'Humidity control, archive rooms', 'Stadtarchiv Marburg', 'EUR 19900', 41, 'JL', 16],
  [
    'negotiation',
    'Pressure test stand',
    'Werft Warnow GmbH',
    'EUR 21300',
    17,
    'PR',
    ['Check payment terms', 'todo', '21 09:00'],
  ],
  [
    'negotiation',
    'Framework agreement 2027 to 2029',
    'Tierney Foods',
    'EUR 74000',
    9,
    'JL',
    ['Send contract', 'email', '24 23:59'],
  ],
  [
    'negotiation',
    'Optical comparators',
    'Ványa Optika Kft.',
    'EUR 16700',
    2,
    'MI',
    ['Call purchasing', 'call', '25 00:00'],
  ],
]

export type KitBoard = Awaited<ReturnType<typeof startKitBoard>>

/** Starts a server with the organisation of the design. `only: 'settings'` makes no deals. */
export async function startKitBoard({ only }: { only?: 'settings' } = {}) {
  const server = await startServer()
  const { store, a } = server
  store.transaction(() =>
    applySettings(store, a.org, {
      org: { name: 'Tarn Instruments', timezone: 'Europe/Berlin', currency: 'EUR' },
      members: [
        { email: 'ana@acme.example', name: 'Ana', role: 'owner' },
        ...PEOPLE.map(([key, name, role]) => ({ email: `${key.toLowerCase()}@tarn.example`, name, role })),
      ],
      pipelines: [
        {
          key: 'sales',
          name: 'New business',
          is_default: true,
          stages: [
            ...STAGES.map(([key, name, probability]) => ({ key, name, probability })),
            { key: 'won', name: 'Won', outcome: 'won' },
            { key: 'lost', name: 'Lost', outcome: 'lost' },
          ],
        },
        {
          key: 'partners',
          name: 'Renewals',
          is_default: false,
          stages: [
            { key: 'due', name: 'Due', probability: 60 },
            { key: 'won', name: 'Renewed', outcome: 'won' },
            { key: 'lost', name: 'Ended', outcome: 'lost' },
          ],
        },
      ],
      close_reasons: [
        { key: 'fit', name: 'Best fit', outcome: 'won' },
        { key: 'price', name: 'Too expensive', outcome: 'lost' },
        { key: 'silent', name: 'No answer', outcome: 'lost' },
      ],
    } as never),
  )
  const { newRecord, newId, getRecord, patchRecord } = recordsOf(() => server)
  const { data: stages } = await getRecord('/stages?limit=100')
  const stageIds: Record<string, string> = {}
  const [{ pipeline_id: pipeline }] = stages
  for (const [key, name] of STAGES)
    stageIds[key] = stages.find((each: Row) => each.name === name && each.pipeline_id === pipeline).id
  const members: Record<string, string> = {}
  const { data: people } = await getRecord('/members?limit=100')
  for (const [key, name] of PEOPLE) members[key] = people.find((each: Row) => each.name === name).id
  const { data: reasons } = await getRecord('/close-reasons')
  const reasonIds = Object.fromEntries(reasons.map((each: Row) => [each.name, each.id]))
  const deals: Row = {}
  const moveTo = (at: number) => server.jump(at - server.now())

  if (only !== 'settings') {
    await usualStays()
    await closedDeals()
    await openDeals()
  }
  moveTo(NOW)
  const screens = await startScreens(server)

  /** Six deals that went through all stages, eight days each, so that the server knows what is usual. */
  async function usualStays(): Promise<void> {
    const start = NOW - 130 * DAY_MS
    const ids: string[] = []
    moveTo(start)
    for (let index = 0; index < 6; index++) ids.push(await newId('/deals', { title: `Earlier ${index}` }))
    for (const [step, [key]] of STAGES.slice(1).entries()) {
      moveTo(start + (step + 1) * 8 * DAY_MS)
      for (const id of ids) await patchRecord(`/deals/${id}`, { stage: stageIds[key] })
    }
    moveTo(start + 41 * DAY_MS)
    for (const id of ids) await close(id, 'Best fit')
  }

  async function close(id: string, reason: string): Promise<void> {
    const { status, text } = await server.call('POST', `/deals/${id}/close`, { reason_id: reasonIds[reason] })
    assert.equal(status, 200, text)
  }

  /** Two won and three lost in November. */
  async function closedDeals(): Promise<void> {
    moveTo(NOW - 60 * DAY_MS)
    for (const reason of ['Best fit', 'Best fit', 'Too expensive', 'Too expensive', 'No answer'])
      deals[`closed ${Object.keys(deals).length}`] = { id: await newId('/deals', { title: 'Closed' }), reason }
  }

  async function openDeals(): Promise<void> {
    const companies = new Map<string, string>()
    for (const [, , name] of DEALS) if (!companies.has(name)) companies.set(name, await newId('/companies', { name }))
    const order = DEALS.toSorted((one, other) => other[4] - one[4])
    const entered = (days: number) => NOW - days * DAY_MS - HOUR_MS
    const steps = order.flatMap(([stage, title, company, price, days, owner]) => [
      {
        at: entered(stage === 'lead' ? days : days + 8),
        run: async () => {
          const [currency, amount] = price.split(' ')
          deals[title] = await newRecord('/deals', {
            title,
            company_id: companies.get(company),
            owner_id: members[owner] ?? null,
            ...(price ? { amount: Number(amount), currency } : {}),
          })
        },
      },
      {
        at: entered(days),
        run: async () => {
          if (stage !== 'lead')
            deals[title] = await patchRecord(`/deals/${deals[title].id}`, { stage: stageIds[stage] })
        },
      },
    ])
    // A deal with a task ahead was worked on two days ago.
    const notes = DEALS.flatMap(([, title, , , days, , task]) => {
      const since = typeof task === 'number' ? task : days > 8 ? 2 : null
      return since === null
        ? []
        : [{ at: entered(since), run: () => newId('/notes', { body: 'Called', deal_ids: [deals[title].id] }) }]
    })
    const closings = Object.values<Row>(deals).map(({ id, reason }, index) => ({
      at: NOW - (20 - index) * DAY_MS,
      run: () => close(id, reason),
    }))
    for (const { at, run } of [...steps, ...notes, ...closings].sort((one, other) => one.at - other.at)) {
      moveTo(at)
      await run()
    }
    for (const [, title, , , , , task] of DEALS) {
      if (!Array.isArray(task)) continue
      const [name, type, due] = task
      const [day = '', time = ''] = due.split(' ')
      const [hour, minute] = time.split(':').map(Number)
      const due_at = new Date(Date.UTC(2026, 10, Number(day), (hour ?? 0) - 1, minute)).toISOString()
      await newId('/tasks', { title: name, type, due_at, deal_ids: [deals[title]?.id] })
    }
  }

  return {
    ...server,
    screens,
    url: screens.url,
    pipeline: pipeline as string,
    stageIds,
    members,
    reasonIds,
    deals,
    newRecord,
    newId,
    getRecord,
    patchRecord,
    stop: async () => {
      await screens.stop()
      await server.stop()
    },
  }
}
