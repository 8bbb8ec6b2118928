/**
 * So much more may the server hold in its heap, after a collection of garbage, at the end of a run than halfway: caches
 * still fill. Between 30,000 and 60,000 requests it was 3 MB more.
 */
const MAX_HEAP_GROWTH_MB = 12
/** Resident memory says more about how V8 and the C library keep freed memory than about the server, so its bound is fixed. */
const MAX_RESIDENT_MB = 500
/** Shorter runs have not filled the caches halfway. */
const FEWEST_REQUESTS = 10_000

/** In MB: the heap after a collection of garbage, halfway and at the end, and the most that was resident. */
export type Memory = { heap_halfway_mb?: number; heap_mb?: number; resident_mb: number }

/** What is wrong with the memory that a run of so many requests took. */
export function memoryFaults(requests: number, memory: Memory): string[] {
  const { heap_halfway_mb: halfway = 0, heap_mb: end = 0, resident_mb } = memory
  const faults: string[] = []
  if (requests >= FEWEST_REQUESTS && end - halfway > MAX_HEAP_GROWTH_MB) {
    faults.push(`the heap grew from ${halfway} to ${end} MB in the second half`)
  }
  if (resident_mb > MAX_RESIDENT_MB) faults.push(`${resident_mb} MB were resident, more than ${MAX_RESIDENT_MB}`)
  return faults
}
