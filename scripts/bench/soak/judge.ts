import type { Sample } from './sample.ts'

/** What has to level off: by how much the last quarter of the time may be above the third, as a share or at least so much. */
type Measure = { name: string; of: (sample: Sample) => number; share: number; least: number; digits: number }

const MEASURES: Measure[] = [
  { name: 'memory, MiB', of: ({ rssMb }) => rssMb, share: 0.05, least: 10, digits: 0 },
  { name: 'JavaScript heap, MiB', of: ({ heapMb }) => heapMb, share: 0.1, least: 10, digits: 0 },
  { name: 'write-ahead log, MiB', of: ({ logMb }) => logMb, share: 0.1, least: 1, digits: 1 },
  { name: 'file descriptors', of: ({ descriptors }) => descriptors, share: 0, least: 2, digits: 0 },
  { name: 'threads', of: ({ threads }) => threads, share: 0, least: 1, digits: 0 },
  { name: 'p99 of reads, ms', of: ({ waits }) => waits.reads.p99, share: 0.25, least: 5, digits: 1 },
  { name: 'p99 of writes, ms', of: ({ waits }) => waits.writes.p99, share: 0.25, least: 5, digits: 1 },
  { name: 'p99 of screens, ms', of: ({ waits }) => waits.screens.p99, share: 0.25, least: 5, digits: 1 },
  { name: 'p99 of a bare server beside it, ms', of: ({ waits }) => waits.bare.p99, share: 0.25, least: 5, digits: 1 },
  { name: 'processor time, % of a core', of: ({ cpuShare }) => cpuShare * 100, share: 0.1, least: 3, digits: 0 },
  { name: 'backups', of: ({ backups }) => backups, share: 0, least: 1, digits: 0 },
  { name: 'jobs that are due', of: ({ jobs }) => jobs.due, share: 0, least: 20, digits: 0 },
  { name: 'deliveries that wait', of: ({ deliveries }) => deliveries, share: 0, least: 100, digits: 0 },
  { name: 'database, bytes a row', of: bytesPerRow, share: 0.03, least: 0, digits: 0 },
]

export const rowsOf = ({ rows }: Pick<Sample, 'rows'>): number =>
  Object.values(rows).reduce((sum, count) => sum + count, 0)

export function bytesPerRow(sample: Sample): number {
  return (sample.usedMb * 1_048_576) / rowsOf(sample)
}

export type Judged = { name: string; third: number; last: number; allowed: number; isLevel: boolean; digits: number }

/** Whether each measure has levelled off. A measure that falls has. */
export function judged(samples: readonly Sample[]): Judged[] {
  const quarter = (number: number): readonly Sample[] => {
    const at = (part: number): number => Math.round((samples.length * part) / 4)
    return samples.slice(at(number - 1), at(number))
  }
  return MEASURES.map(({ name, of, share, least, digits }) => {
    const [third, last] = [median(quarter(3).map(of)), median(quarter(4).map(of))]
    const allowed = Math.max(third * share, least)
    return { name, third, last, allowed, isLevel: last - third <= allowed, digits }
  })
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const half = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? (sorted[half] ?? 0) : ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2
}
