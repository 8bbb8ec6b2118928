import { bytesPerRow, judged, rowsOf } from './judge.ts'
import type { Sample } from './sample.ts'

export type About = {
  minutes: number
  /** Seconds of a day of the short clock. */
  day: number
  perS: number
  server: string
  node: string
  machine: string
  date: string
}

/** Every so many minutes has a row. */
const EVERY = 5

/** The section of docs/benchmarks.md. */
export function soakText(about: About, samples: readonly Sample[]): string {
  const last = samples.at(-1) as Sample
  const shown = samples.filter(({ minute }) => minute % EVERY === 0 || minute === last.minute || minute === 1)
  const all = judged(samples)
  const grows = all.filter(({ isLevel }) => !isLevel).map(({ name }) => name.replace(/,.*/, ''))
  const requests = sum(samples.map((sample) => sample.requests))
  const failed = sum(samples.map((sample) => sum(Object.values(sample.failed))))
  const statuses = Object.entries(countsOf(samples.map((sample) => sample.failed)))
  const { sent, chores, streams, logged } = last
  const warned = Object.entries(logged).filter(([what]) => !what.startsWith('info'))
  return `## Soak

\`npm run bench -- --only soak --minutes ${about.minutes}\` on ${about.date}: ${about.machine}, Node ${about.node},
${about.server}, while other programs used the machine, which the p99 and the longest waits show. "bare" is a
\`node:http\` server on the same machine that does nothing but answer the same client ten times a second.

The profile 10k, and ${about.perS} requests a second at an even pace, whether or not earlier ones are answered: lists, searches,
single records, creates, changes, moves, closes and deletions, notes, tasks, enrollments, answers to conversations, and the
requests of the screens. Beside it: three browsers that open streams of events and leave them, mails that come in by IMAP
(Dovecot) and go out by SMTP, three webhooks, one of which refuses every tenth delivery, a sequence, SLA targets, imports of
CSV files that are undone later, and exports.

A day takes ${about.day} seconds: ${Math.floor(last.days)} nights with ${last.nights} backups, of which old ones are deleted, a restore drill each week, and purges of
events and the audit log after 7 days and of deleted records after 30. What comes every minute comes ${round(86_400 / about.day)} times as often
as usual, and a mail that takes longer than ${((600 * about.day) / 86_400).toFixed(1)} s is cut off and sent anew, as otherwise after ten minutes.

${round(requests)} requests, of which ${round(failed)} failed${statuses.length > 0 ? ` (${listed(statuses)})` : ''}. ${round(sent['mails sent'] ?? 0)} mails were sent and ${round(sent['mails imported'] ?? 0)} imported,
${round(sent['webhooks delivered'] ?? 0)} events delivered to webhooks and ${round(sent['webhooks failed'] ?? 0)} refused, ${round(streams.events)} read from streams;
${chores.imports} imports, ${chores.undone} of them undone, and ${chores.exports} exports by commands beside the server${chores.failed ? `, of which ${chores.failed} failed` : ''}.
${warned.length === 0 ? 'The server logged no warning.' : `Warnings and errors in the log: ${listed(warned)}.`}

minute | memory MiB | heap MiB | log MiB | descriptors | threads | CPU % | reads p50 / p99 / max ms | writes p50 / p99 / max ms | screens p50 / p99 / max ms | bare p50 / p99 / max ms | failed | backups | database MiB | rows
---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---:
${shown.map(row).join('\n')}

Memory, log, descriptors and threads are the largest of twelve looks in the minute; the database is without its free pages.
Whether each levels off: the medians of the third and the last quarter of the time.

measure | third quarter | last quarter | may grow by | levels off
--- | ---: | ---: | ---: | ---
${all.map(({ name, third, last, allowed, isLevel, digits }) => [name, third.toFixed(digits), last.toFixed(digits), allowed.toFixed(digits), isLevel ? 'yes' : '**no**'].join(' | ')).join('\n')}

${grows.length === 0 ? 'All of them level off.' : `**Not levelled off: ${grows.join(', ')}.**`} The database grows with its rows: events, deliveries, the audit log and deleted
records level off with their retention, and conversations, which only go with their contact, do not. Growth
${mostGrown(samples)}.
`
}

const row = (sample: Sample): string => {
  const waits = ({ p50, p99, max }: Sample['waits']['reads']) =>
    `${p50.toFixed(1)} / ${p99.toFixed(1)} / ${max.toFixed(0)}`
  const { minute, rssMb, heapMb, logMb, descriptors, threads, cpuShare, failed, backups, usedMb } = sample
  return [
    ...[
      minute,
      rssMb.toFixed(0),
      heapMb.toFixed(0),
      logMb.toFixed(1),
      descriptors,
      threads,
      (cpuShare * 100).toFixed(0),
    ],
    ...[waits(sample.waits.reads), waits(sample.waits.writes), waits(sample.waits.screens), waits(sample.waits.bare)],
    ...[sum(Object.values(failed)), backups, usedMb.toFixed(1), round(rowsOf(sample))],
  ].join(' | ')
}

/** The tables that grew most in the last half. */
function mostGrown(samples: readonly Sample[]): string {
  const [half, last] = [samples[Math.floor(samples.length / 2)] as Sample, samples.at(-1) as Sample]
  const grown = Object.entries(last.rows).map(([table, count]) => [table, count - (half.rows[table] ?? 0)] as const)
  const most = grown.filter(([, more]) => more > 0).toSorted(([, one], [, other]) => other - one)
  const named = most.slice(0, 5).map(([table, more]) => `${table} by ${round(more)}`)
  const per = `${Math.round(bytesPerRow(last))} bytes a row`
  return `in the last half: ${named.join(', ') || 'none'}; ${per}`
}

function countsOf(all: readonly Record<string, number>[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const each of all) for (const [name, count] of Object.entries(each)) counts[name] = (counts[name] ?? 0) + count
  return counts
}

const listed = (counts: readonly [string, number][]): string =>
  counts.map(([name, count]) => `${round(count)} × ${name}`).join(', ')
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)
const round = (value: number): string => Math.round(value).toLocaleString('en')
