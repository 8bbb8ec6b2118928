/** What is measured apart: the API reads, writes, and answers the browser app; and a bare node:http server beside it. */
export const KINDS = ['reads', 'writes', 'screens', 'bare'] as const
export type Kind = (typeof KINDS)[number]

export type Waits = { count: number; p50: number; p99: number; max: number }
export type Tallied = {
  requests: number
  waits: Record<Kind, Waits>
  /** By status, or code of the failed connection. */
  failed: Record<string, number>
  /** The first failures, with their answers. */
  examples: string[]
}

const EXAMPLES = 5

/** The requests of a minute. */
export function tally() {
  let took = empty()
  let failed: Record<string, number> = {}
  let examples: string[] = []

  return {
    answered: (kind: Kind, ms: number): void => void took[kind].push(ms),
    failed(kind: Kind, ms: number, status: string, what: string): void {
      took[kind].push(ms)
      failed[status] = (failed[status] ?? 0) + 1
      if (examples.length < EXAMPLES) examples.push(what)
    },
    /** And starts anew. */
    take(): Tallied {
      const waits = Object.fromEntries(KINDS.map((kind) => [kind, waitsOf(took[kind])])) as Record<Kind, Waits>
      const requests = KINDS.reduce((sum, kind) => sum + (kind === 'bare' ? 0 : took[kind].length), 0)
      const taken = { requests, waits, failed, examples }
      took = empty()
      failed = {}
      examples = []
      return taken
    },
  }
}

export type Tally = ReturnType<typeof tally>

const empty = (): Record<Kind, number[]> => ({ reads: [], writes: [], screens: [], bare: [] })

function waitsOf(all: number[]): Waits {
  all.sort((one, other) => one - other)
  const at = (share: number): number => all[Math.min(all.length - 1, Math.floor(all.length * share))] ?? 0
  return { count: all.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}
