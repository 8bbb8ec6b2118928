/**
 * Samples at the start that do not count: caches fill until some 150,000 requests were answered, and run.ts takes a
 * sample every 500. Of a shorter run it is the first half.
 */
const WARM_UP = 300
/**
 * So much may the mean of the second half be above that of the first: a body of 18 MiB, or a mail that is composed with
 * its files, takes some of it, and the system does not get it back at once.
 */
const MAX_GROWTH_MB = 48
const MAX_GROWTH = 0.1
/** With fewer there are no halves to speak of. */
const FEWEST_SAMPLES = 20

export type Rss = {
  first_half_mb: number
  second_half_mb: number
  peak_mb: number
  /** From start to end, at even distances. */
  samples_mb: number[]
}

/** Whether memory stays flat, from samples of resident memory in MB that were taken at even distances. */
export function memoryGrowth(samples: number[]): { rss: Rss | null; faults: string[] } {
  const counted = samples.slice(Math.min(WARM_UP, Math.floor(samples.length / 2)))
  if (counted.length === 0) return { rss: null, faults: [] }
  const middle = Math.floor(counted.length / 2)
  const [first, second] = [mean(counted.slice(0, middle)), mean(counted.slice(middle))]
  const bound = first + Math.max(MAX_GROWTH_MB, first * MAX_GROWTH)
  const rss = {
    first_half_mb: Math.round(first),
    second_half_mb: Math.round(second),
    peak_mb: Math.round(samples.reduce((most, each) => Math.max(most, each), 0)),
    samples_mb: samples.filter((_, index) => index % Math.ceil(samples.length / 50) === 0).map(Math.round),
  }
  const isGrown = samples.length >= FEWEST_SAMPLES && second > bound
  return { rss, faults: isGrown ? [`memory grew from ${rss.first_half_mb} to ${rss.second_half_mb} MB`] : [] }
}

const mean = (all: number[]): number => all.reduce((sum, each) => sum + each, 0) / Math.max(all.length, 1)
