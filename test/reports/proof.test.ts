import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { showSettings } from '../../src/app/settings/document.ts'
import { writeExport } from '../../src/exports/write.ts'
import { REPORT_NAMES } from '../../src/site/reports/reports.ts'
import { scratch } from '../exports/export-fixture.ts'
import { type AppServer, startApp } from '../support/app-data.ts'
import type { Row } from '../support/records.ts'
import { examples, seedOf } from '../support/seed.ts'
import { randomYear } from './organisation.ts'
import { type Asking, type Figure, type Figures, readExport, recount } from './recount.ts'

// Each figure of each report is counted anew from the export, and each bar has the count and the sums of its list.

const { folder, drop } = scratch()
after(drop)

/** The figure of an answer as the plain program has it. */
const plain = ({ count, unpriced, sums, timed, ms }: Row) => ({
  ...{ count, unpriced, timed, ms },
  sums: Object.fromEntries(
    sums.map(({ currency, count, amount, weighted }: Row) => [`${currency}`, { count, amount, weighted }]),
  ),
})

const NOTHING: Figure = { count: 0, unpriced: 0, sums: {}, lengths: [] }
const expected = (figures: Figures, key: string) => {
  const { lengths, ...rest } = figures.get(key) ?? NOTHING
  return { ...rest, timed: lengths.length, ms: lengths.reduce((sum, each) => sum + each, 0) }
}

function medianOf(lengths: readonly number[]): number | null {
  const sorted = [...lengths].sort((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  if (sorted.length === 0) return null
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

for (let round = 0; round < examples(10); round++) {
  const seed = seedOf(4100 + round)
  describe(`an organisation at random, seed ${seed}`, () => {
    let app: AppServer
    let all: ReturnType<typeof readExport>
    let timezone: string
    before(async () => {
      app = await startApp()
      await randomYear(app, seed, 260)
      timezone = showSettings(app.store, app.a.org).org.timezone
      const place = join(folder, `org-${seed}`)
      writeExport(app.store, app.a.org, place)
      all = readExport(place)
    })
    after(() => app.stop())

    /** Each bar and series, and all of them, with the figure that the report has. */
    const figuresOf = (part: Row): [key: string, query: string, figure: Row][] => [
      [`${part.id}/*/*`, `part=${part.id}`, part.total.all],
      ...Object.entries(part.total.series).map(
        ([name, own]) => [`${part.id}/*/${name}`, `part=${part.id}&series=${name}`, own] as [string, string, Row],
      ),
      ...part.bars.flatMap(({ bar, all, series }: Row) => {
        const query = `part=${part.id}&bar=${encodeURIComponent(bar)}`
        return [
          [`${part.id}/${bar}/*`, query, all],
          ...Object.entries(series).map(([name, own]) => [`${part.id}/${bar}/${name}`, `${query}&series=${name}`, own]),
        ]
      }),
    ]

    async function wholeList(name: string, query: string): Promise<Row> {
      const first = await app.ok('viewer', 'GET', `/reports/${name}/list?${query}&limit=40`)
      const data = [...first.data]
      for (let cursor = first.next_cursor; cursor !== null; ) {
        const next = await app.ok('viewer', 'GET', `/reports/${name}/list?${query}&limit=40&cursor=${cursor}`)
        data.push(...next.data)
        cursor = next.next_cursor
      }
      return { measure: first.measure, data }
    }

    for (const name of REPORT_NAMES)
      test(`${name}: each figure is that of the export, and that of its list`, async () => {
        const { a } = app
        for (const [filter, asking] of [
          ['', {}],
          [`owner_id=${a.owner},none`, { owners: [a.owner, null] }],
          [`currency=EUR&pipeline_id=${a.pipelines.sales}`, { currency: 'EUR', pipeline: a.pipelines.sales }],
        ] as [string, Partial<Asking>][]) {
          const path = `/reports/${name}?${filter}`
          const report = await app.ok('viewer', 'GET', path)
          assert.equal(report.timezone, timezone)
          const now = Date.parse(report.as_of)
          const months = monthsOf(report.to ?? '2026-01')
          const figures = recount(name, all, timezone, { now, months, ...asking })
          const told = new Set<string>()
          for (const part of report.parts)
            for (const [key, query, figure] of figuresOf(part)) {
              told.add(key)
              if (!(part.id === 'stages' && key.startsWith('stages/*/')))
                assert.deepEqual(plain(figure), expected(figures, key), `${path} ${key}`)
              if (figure.median_ms !== undefined)
                assert.equal(figure.median_ms, medianOf(figures.get(key)?.lengths ?? []), `${path} ${key}`)
              const list = await wholeList(name, `${filter}&as_of=${report.as_of}&${query}`)
              assert.deepEqual(list.measure, figure, `${path} ${key}: the list says another figure`)
              assert.equal(list.data.length, figure.count, `${path} ${key}: its list`)
              for (const { currency, amount } of figure.sums) {
                const own = list.data.filter((each: Row) => each.currency === currency && each.amount_micros !== null)
                const sum = own.reduce((all: bigint, each: Row) => all + BigInt(each.amount_micros), 0n)
                assert.equal(microsOf(amount), sum, `${path} ${key}: its rows add up to another sum`)
              }
            }
          for (const key of figures.keys()) assert.ok(told.has(key), `${path} does not tell ${key}`)
        }
      })
  })
}

function microsOf(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(6, '0'))
}

/** Twelve months up to this one. */
function monthsOf(last: string): string[] {
  const [year = 0, month = 0] = last.split('-').map(Number)
  return Array.from({ length: 12 }, (_, at) => new Date(Date.UTC(year, month - 12 + at, 1)).toISOString().slice(0, 7))
}
