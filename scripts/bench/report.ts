import type { Backups } from './backup.ts'
import type { Inbox } from './inbox.ts'
import type { Wait } from './large.ts'
import type { Written } from './pages.ts'
import type { Sequences } from './sequences.ts'
import type { Webhooks } from './webhooks.ts'

export type Row = { name: string; per_s: number; p50_ms: number; p99_ms: number; requests: number; failed: number }
export type Sizes = { size: string; per_s: number }[]

type Bare = Omit<Row, 'name'>

/** The goals, as a share of the bare server. */
const GOALS: Record<string, number> = {
  'list of 50': 0.08,
  'list of 50, fresh': 0.07,
  'list of 50, filtered by stage': 0.07,
  'list of 50, 1,000 pages deep': 0.07,
  get: 0.33,
  create: 0.1,
  'PATCH of the title': 0.12,
  'PATCH of the stage': 0.1,
}

/** The results as Markdown. */
export function report(results: {
  bare: [Bare, Bare]
  rows: Row[]
  sizes: Sizes
  waiting: { profile: string; rows: Wait[] }
  importSeconds: number
  webhooks: Webhooks
  writes: Written[]
  inbox: Inbox
  sequences: Sequences
  backups: Backups
  memoryMb: number
  seconds: string
  machine: string
}): string {
  const { bare, rows, sizes, waiting, importSeconds, webhooks, writes, inbox, sequences, memoryMb, seconds, machine } =
    results
  const hello = (bare[0].per_s + bare[1].per_s) / 2
  const lines = rows.map(({ name, per_s, p50_ms, p99_ms, failed }) =>
    [
      name,
      round(per_s),
      (per_s / hello).toFixed(3),
      GOALS[name] ?? '',
      p50_ms.toFixed(1),
      p99_ms.toFixed(1),
      failed,
    ].join(' | '),
  )
  const below = rows.filter(({ name, per_s }) => per_s / hello < (GOALS[name] ?? 0))
  const smallest = sizes[0]?.per_s ?? 0
  const pages = sizes.map(({ size, per_s }) => `${size} | ${round(per_s)} | ${(smallest / per_s).toFixed(2)}`)
  const waits = waiting.rows.map(({ name, p50_ms, p99_ms, goal_ms, failed }) =>
    [name, p50_ms.toFixed(1), p99_ms.toFixed(1), goal_ms ?? '', failed].join(' | '),
  )
  return `# Benchmarks

Measured by \`npm run bench -- --write\` on ${new Date().toISOString().slice(0, 10)}: ${machine}, Node ${process.versions.node}, wrk with 32 connections
and ${seconds} s for each row, the server on one core. The server is configured as in production: tokens, scopes, rate limit, a log
line for each request, events and history, \`synchronous=FULL\`. Shares are relative to a bare \`node:http\` server that responds
with \`hello\`, measured in the same run before and after (${round(bare[0].per_s)} and ${round(bare[1].per_s)} requests/s). Machines differ and are shared,
so compare the shares and not the requests/s.

## 100,000 deals

operation | requests/s | share of bare | goal | p50 ms | p99 ms | failed
--- | ---: | ---: | ---: | ---: | ---: | ---:
${lines.join('\n')}

${missedText(below)}

Most lists request the same page again and again, so all responses but the first come from the page cache, which is valid
until anything changes. The **fresh** ones differ each time, so none comes from the cache: half of them before a random
time, a quarter of a stage too, and a quarter by amount.

Resident memory of the server afterwards: ${Math.round(memoryMb)} MB, of which about 90 MB are the mapped executable.

## A page of 50 by the number of deals

deals | requests/s | time, relative to the first row
--- | ---: | ---:
${pages.join('\n')}

## Search and smart lists in the profile ${waiting.profile}

One client, a different query each time, pages of 30 to 89 records. The profile 1m has 1,000,000 deals, 200,000 companies
and 400,000 contacts.

query | p50 ms | p99 ms | goal of p50 | failed
--- | ---: | ---: | ---: | ---:
${waits.join('\n')}

## Import

\`dealbox import contacts\` of a CSV file with 100,000 rows: ${importSeconds.toFixed(1)} s (goal 30 s), including
the search index and events.

${writesText(writes)}
${webhooksText(webhooks)}
${inboxText(inbox)}
${sequencesText(sequences)}
${backupsText(results.backups)}`
}

/** The report with the sections of the one before that were not measured this time, as they stand there. */
export function withOthers(report: string, before: string): string {
  const sections = (text: string): string[] => text.split(/^(?=## )/m).slice(1)
  const headingOf = (section: string): string => section.slice(0, section.indexOf('\n'))
  const measured = new Set(sections(report).map(headingOf))
  const others = sections(before).filter((section) => !measured.has(headingOf(section)))
  return [report, ...others].map((part) => `${part.trim()}\n`).join('\n')
}

const missedText = (missed: readonly { name: string }[]): string =>
  missed.length === 0
    ? 'All goals are reached.'
    : `Goals that are missed: ${missed.map(({ name }) => name).join('; ')}.`

/** Statements of each write, and pages of a batch of 32. */
const MOST: Record<string, { statements: number; pages: number }> = {
  create: { statements: 21, pages: 220 },
  'PATCH of the stage': { statements: 8, pages: 170 },
  'PATCH of the title': { statements: 10, pages: 150 },
}

export function writesText(writes: Written[]): string {
  const rows = writes.map(({ name, statements, pages, pagesInAll, largest }) =>
    [
      name,
      statements.toFixed(1),
      MOST[name]?.statements ?? '',
      pages,
      MOST[name]?.pages ?? '',
      Math.round(pagesInAll),
      largest,
    ].join(' | '),
  )
  const above = writes.filter(({ name, statements, pages }) => {
    const most = MOST[name]
    return most !== undefined && (statements > most.statements || pages > most.pages)
  })
  return `## Pages of writes

Deals all over a database of 100,000, in batches of 32 writes; counted, so the machine does not matter. A page has 4 KB. "In
all" includes what is written beside the commits of the records: the search index and its merges.

operation | statements per write | goal | pages per batch | goal | in all | largest commit (goal 1,000)
--- | ---: | ---: | ---: | ---: | ---: | ---:
${rows.join('\n')}

${missedText(above)}
`
}

export function webhooksText({ events, receivers, perS, writesPerS, quiet, busy }: Webhooks): string {
  const times = (ms: number, before: number): string => `${ms.toFixed(1)} | ${(ms / before).toFixed(1)}`
  return `## Webhooks

${round(events)} events to ${receivers} receivers on the same machine, while a client creates ${writesPerS} deals a second at an even pace: **${round(perS)}
deliveries a second** (goal 2,000), each on its own connection, signed, and stored with its attempt.

writes of the client | p50 ms | times | p99 ms | times
--- | ---: | ---: | ---: | ---:
without deliveries | ${quiet.p50.toFixed(1)} |  | ${quiet.p99.toFixed(1)} |
with deliveries (goal: p99 at most doubled) | ${times(busy.p50, quiet.p50)} | ${times(busy.p99, quiet.p99)}
`
}

export function inboxText({ conversations, opened, lists, clocks }: Inbox): string {
  const rows = lists.map(({ name, p50_ms, p99_ms, goal_ms, failed }) =>
    [name, p50_ms.toFixed(2), p99_ms.toFixed(2), goal_ms ?? '', failed].join(' | '),
  )
  const { count, tookMs, quiet, busy } = clocks
  return `## Inbox

${round(conversations)} conversations, each opened by a message: ${round(opened.perS)} a second from 48 connections. Then one client that requests
a different page of 50 each time, from the first one to one 1,000 hours deep:

list | p50 ms | p99 ms | goal of p50 | failed
--- | ---: | ---: | ---: | ---:
${rows.join('\n')}

${round(count)} SLA targets that are due at the same moment: the last breach was written **${round(tookMs)} ms** later (goal 1,000).
Meanwhile a client that creates deals at an even pace waits ${busy.p50.toFixed(1)} ms (p50) and ${busy.p99.toFixed(1)} ms (p99), and otherwise
${quiet.p50.toFixed(1)} and ${quiet.p99.toFixed(1)} ms.
`
}

export function sequencesText({ enrollments, writesPerS, stepsMs, mailsMs, quiet, busy }: Sequences): string {
  const times = (ms: number, before: number): string => `${ms.toFixed(1)} | ${(ms / before).toFixed(1)}`
  return `## Sequences

${round(enrollments)} enrollments whose first mail is due at the same moment, sent to a mail server on the same machine that accepts
everything at once. The last step had run **${round(stepsMs / 1000)} s** later, and the last mail was sent **${round(mailsMs / 1000)} s** later. Meanwhile a client
creates ${writesPerS} deals a second at an even pace.

writes of the client | p50 ms | times | p99 ms | times
--- | ---: | ---: | ---: | ---:
without due steps | ${quiet.p50.toFixed(1)} |  | ${quiet.p99.toFixed(1)} |
with all steps due (goal: p99 at most doubled) | ${times(busy.p50, quiet.p50)} | ${times(busy.p99, quiet.p99)}
`
}

export function backupsText({ megabytes, tookMs, writesPerS, quiet, busy }: Backups): string {
  const times = (ms: number, before: number): string => `${ms.toFixed(1)} | ${(ms / before).toFixed(1)}`
  return `## Backups

A backup of ${Math.round(megabytes)} MiB, made and checked by the server in **${(tookMs / 1000).toFixed(1)} s**, while a client creates ${writesPerS} deals a second at an
even pace.

writes of the client | p50 ms | times | p99 ms | times
--- | ---: | ---: | ---: | ---:
without a backup | ${quiet.p50.toFixed(1)} |  | ${quiet.p99.toFixed(1)} |
during the backup (goal: p99 at most doubled) | ${times(busy.p50, quiet.p50)} | ${times(busy.p99, quiet.p99)}
`
}

const round = (per_s: number): string => Math.round(per_s).toLocaleString('en')
