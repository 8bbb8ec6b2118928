import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { PocketBase } from './pocketbase.ts'
import type { Row } from './report.ts'
import type { Server } from './serving.ts'

// Dealbox beside PocketBase: the same questions to both in turns, so that a busy moment of the machine meets both.

type Measured = Omit<Row, 'name'>
export type Target = { url: string; env: Record<string, string> }
export type Compared = { name: string; bare: number[]; dealbox: Measured[]; pocketbase: Measured[] }

/** Requests of a file: enough that no page is asked for twice within a round. */
const MANY = 20_000
const IDS = 5000

type Deal = { id: string; amount: number; created_at: number; stage_id: string }
type Line = [method: string, path: string, body?: object | undefined]
type Sent = { lines: Line[]; values?: string[] | undefined }

/** The operations, as requests to each of the two. `random` answers from 0 up to but excluding 1. */
function operations(deals: Deal[], stages: string[], idOf: (uuid: string) => string, random: () => number) {
  const pick = (): Deal => deals[Math.floor(random() * deals.length)] as Deal
  const some = Array.from({ length: IDS }, pick)
  const records = '/api/collections/deals/records'
  const of = (each: Deal): string => `${records}/${idOf(each.id)}`
  const api = (each: Deal): string => `/api/v1/deals/${each.id}`
  const first = { dealbox: '/api/v1/deals?limit=50', pocketbase: `${records}?perPage=50&skipTotal=1` }
  const newest = `${first.pocketbase}&sort=-created`

  /** Half before a time, a quarter in a stage too, a quarter up to an amount, largest first. */
  function fresh(index: number): { dealbox: Line; pocketbase: Line } {
    const { created_at, amount, stage_id } = pick()
    const time = new Date(created_at + 1 + Math.floor(random() * 1000)).toISOString()
    if (index % 4 === 3) {
      const most = (amount + random()).toFixed(2)
      const filter = encodeURIComponent(`amount <= ${most}`)
      return {
        dealbox: ['GET', `${first.dealbox}&amount[lte]=${most}&sort=-amount`],
        pocketbase: ['GET', `${first.pocketbase}&sort=-amount&filter=${filter}`],
      }
    }
    const inStage = index % 4 === 2
    const filter = `created < "${time.replace('T', ' ')}"${inStage ? ` && stage = "${stage_id}"` : ''}`
    return {
      dealbox: ['GET', `${first.dealbox}&created_at[lt]=${time}${inStage ? `&stage=${stage_id}` : ''}`],
      pocketbase: ['GET', `${newest}&filter=${encodeURIComponent(filter)}`],
    }
  }

  const pages = Array.from({ length: MANY }, (_, index) => fresh(index))
  const made = { title: 'Rollout of $n seats', amount: 1234.5, currency: 'EUR' }
  const title = { title: 'Changed $n' }
  const stage = { stage: '$v' }
  const both = (dealbox: Line[], pocketbase: Line[], values?: string[]): { dealbox: Sent; pocketbase: Sent } => ({
    dealbox: { lines: dealbox, values },
    pocketbase: { lines: pocketbase, values },
  })
  const changed = (body: object, values?: string[]) =>
    both(
      some.map((each) => ['PATCH', api(each), body]),
      some.map((each) => ['PATCH', of(each), body]),
      values,
    )
  return {
    'list of 50, the same page': both([['GET', first.dealbox]], [['GET', newest]]),
    'list of 50, fresh': both(
      pages.map(({ dealbox }) => dealbox),
      pages.map(({ pocketbase }) => pocketbase),
    ),
    get: both(
      some.map((each) => ['GET', api(each)]),
      some.map((each) => ['GET', of(each)]),
    ),
    create: both([['POST', '/api/v1/deals', made]], [['POST', records, { ...made, stage: stages[0], status: 'open' }]]),
    'PATCH of the title': changed(title),
    'PATCH of the stage': changed(stage, stages),
  }
}

const ROUNDS = 5

/** Asks both in `ROUNDS` rounds of bare, Dealbox and PocketBase. */
export async function beside(
  server: Server,
  pocketbase: PocketBase,
  {
    wrk,
    bare,
    random,
  }: { wrk: (target: Target) => Promise<Measured>; bare: () => Promise<Measured>; random: () => number },
): Promise<Compared[]> {
  const db = new Sqlite(join(server.folder, 'dealbox.db'), { readonly: true })
  const deals = db
    .prepare(
      "SELECT id, coalesce(amount_micros, 0) / 1e6 AS amount, created_at, stage_id FROM deals WHERE status = 'open' ORDER BY id",
    )
    .all() as Deal[]
  const pipeline = '(SELECT pipeline_id FROM stages ORDER BY id LIMIT 1)'
  const stages = db
    .prepare(`SELECT id FROM stages WHERE outcome IS NULL AND pipeline_id = ${pipeline} ORDER BY id LIMIT 3`)
    .pluck()
    .all() as string[]
  db.close()
  const compared = new Map<string, Compared>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, sent] of Object.entries(operations(deals, stages, pocketbase.idOf, random))) {
      const all = compared.get(name) ?? { name, bare: [], dealbox: [], pocketbase: [] }
      compared.set(name, all)
      all.bare.push((await bare()).per_s)
      all.dealbox.push(await wrk(targetOf(server, sent.dealbox, 'dealbox')))
      all.pocketbase.push(await wrk(targetOf(pocketbase, sent.pocketbase, 'pocketbase')))
    }
  }
  return [...compared.values()]
}

function targetOf({ url, token }: { url: string; token: string }, { lines, values = [] }: Sent, name: string): Target {
  const file = join(tmpdir(), `dealbox-bench-${process.pid}-${name}`)
  const text = lines.map(([method, path, body]) => `${method}\t${path}\t${body ? JSON.stringify(body) : ''}\n`)
  writeFileSync(file, text.join(''))
  return { url, env: { LINES: file, VALUES: values.join(','), TOKEN: token } }
}

const sorted = (all: number[]): number[] => all.toSorted((a, b) => a - b)
const median = (all: number[]): number => sorted(all)[all.length >> 1] as number
const spread = (all: number[], digits: number): string =>
  `${median(all).toFixed(digits)} [${Math.min(...all).toFixed(digits)}–${Math.max(...all).toFixed(digits)}]`

export function besideText(compared: Compared[], seconds: string): string {
  const rows = compared.map(({ name, bare, dealbox, pocketbase }) => {
    const ratio = dealbox.map(({ per_s }, index) => per_s / (pocketbase[index] as Measured).per_s)
    const share = dealbox.map(({ per_s }, index) => per_s / (bare[index] as number))
    const of = (all: Measured[]): string[] => [
      Math.round(median(all.map(({ per_s }) => per_s))).toLocaleString('en-US'),
      `${median(all.map(({ p50_ms }) => p50_ms)).toFixed(1)} / ${median(all.map(({ p99_ms }) => p99_ms)).toFixed(1)}`,
    ]
    const failed = [...dealbox, ...pocketbase].reduce((sum, each) => sum + each.failed, 0)
    return [name, ...of(dealbox), spread(share, 3), ...of(pocketbase), spread(ratio, 1), failed].join(' | ')
  })
  return `## Beside PocketBase

\`npm run bench -- --only pocketbase\`: 100,000 deals, 20,000 companies and 40,000 contacts in both; wrk with 32 connections,
${ROUNDS} rounds of a bare server, Dealbox and PocketBase 0.39.9 for each row, ${seconds} s each. Medians, and of the ratios the lowest and
highest round. "fresh" asks a different question each time: half for deals before a random time, a quarter in a stage too, and
a quarter up to a random amount, largest first. Ids are 5,000 random ones. Both may use all cores; Dealbox answers on one.
PocketBase writes with \`synchronous=NORMAL\`, so a power cut may take writes that it has acknowledged, and keeps no events,
history, search index or custom fields.

operation | Dealbox requests/s | p50 / p99 ms | share of bare | PocketBase requests/s | p50 / p99 ms | Dealbox / PocketBase | failed
--- | ---: | ---: | ---: | ---: | ---: | ---: | ---:
${rows.join('\n')}
`
}
