import type { Size } from './scale.ts'
import type { Waited } from './scale-requests.ts'

const number = (value: number | undefined, digits = 0): string =>
  value === undefined || Number.isNaN(value)
    ? '—'
    : value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })

const table = (head: string[], rows: string[][]): string =>
  [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows].map((cells) => cells.join(' | ')).join('\n')

const titleOf = ({ what, size, mb }: Size): string =>
  `${number(size)} ${what === 'orgs' ? 'organisations' : 'deals'} (${number(mb / 1000, 2)} GB)`

type Figure = [name: string, of: (size: Size) => string]

const FIGURES: Figure[] = [
  ['rows filled', ({ filled }) => number(filled.rows)],
  ['open the folder: processor s', ({ opened }) => number(opened?.warm.cpuS, 2)],
  ['open the folder: MB read', ({ opened }) => number(opened?.warm.readMb)],
  ['start to the first answer, nothing in memory: s', ({ start }) => number(start.cold.firstAnswerS, 1)],
  ['start to the first answer again: s', ({ start }) => number(start.warm.firstAnswerS, 1)],
  ['start: processor s', ({ start }) => number(start.warm.cpuS, 2)],
  ['memory after the start: MB', ({ start }) => number(start.warm.rssMb)],
  ['memory after the requests: MB', ({ start }) => number(start.warm.rssAfterMb)],
  ['/metrics: ms', ({ start }) => number(start.warm.metricsMs)],
  ['migration from the previous schema: processor s', ({ migrated }) => number(migrated?.cpuS, 1)],
  ['migration: s', ({ migrated }) => number(migrated?.seconds, 1)],
  ['quick_check: processor s', ({ checks }) => number(checks?.quick.cpuS, 1)],
  ['integrity_check: processor s', ({ checks }) => number(checks?.full.cpuS, 1)],
  ['foreign_key_check: processor s', ({ checks }) => number(checks?.references.cpuS, 1)],
  ['doctor: s', ({ doctorS }) => number(doctorS, 1)],
  ['backup: MB', ({ backup }) => number(backup?.mb)],
  ['backup, checked: s', ({ backup }) => number(backup?.made, 1)],
  ['verify: s', ({ backup }) => number(backup?.verified, 1)],
]

const OF_ONE: Figure[] = [
  ['board: processor s', ({ board }) => number(board?.board.cpuS, 2)],
  ['board: MB', ({ board }) => number(board?.boardMb, 1)],
  ['deals closed in 30 days, counted: processor s', ({ board }) => number(board?.closed.cpuS, 2)],
  ['what the browser app asks first: processor s', ({ board }) => number(board?.boot.cpuS, 2)],
  ['export: s', (size) => number(size.export?.seconds, 1)],
  ['export: MB', (size) => number(size.export?.mb)],
]

/** The tables of docs/scale.md. */
export function scaleText(sizes: readonly Size[]): string {
  const parts = (['orgs', 'deals'] as const).flatMap((what) => {
    const some = sizes.filter((size) => size.what === what)
    if (some.length === 0) return []
    const figures = what === 'deals' ? [...FIGURES, ...OF_ONE] : FIGURES
    return [
      table(
        [what === 'orgs' ? 'many organisations' : 'one organisation', ...some.map(titleOf)],
        figures.map(([name, of]) => [name, ...some.map(of)]),
      ),
      requests(some, 'cold', 'one client, after a start with nothing in memory: p50 / p99 ms, KB read'),
      requests(some, 'warm', 'the same again'),
      table(
        ['recurring work: longest pause in ms', ...some.map(titleOf)],
        (some[0] as Size).recurring.map(({ name }, at) => [
          name,
          ...some.map(({ recurring }) => number(recurring[at]?.longestMs, 1)),
        ]),
      ),
    ]
  })
  return `${parts.join('\n\n')}\n`
}

function requests(sizes: readonly Size[], how: 'cold' | 'warm', title: string): string {
  const cell = (waited: Waited | undefined): string =>
    waited
      ? `${number(waited.p50, 1)} / ${number(waited.p99, 1)}, ${number(waited.kbRead)}${waited.failed ? ` (${waited.failed} failed)` : ''}`
      : '—'
  const names = (sizes[0] as Size)[how].map(({ name }) => name)
  return table(
    [title, ...sizes.map(titleOf)],
    names.map((name) => [name, ...sizes.map((size) => cell(size[how].find((waited) => waited.name === name)))]),
  )
}
