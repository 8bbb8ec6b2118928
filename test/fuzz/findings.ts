import { type Answer, curlOf, type Request } from './request.ts'

/** `number` is that of the request in its run; null for what is not about one request of it. */
export type Finding = { number: number | null; operation: string; what: string[]; request: string; answer: string }

export const MAX_FINDINGS = 20

export type Tally = ReturnType<typeof newTally>

/** What was answered, and what was wrong with it. */
export function newTally(url: string, token: string) {
  const findings: Finding[] = []
  const byStatus: Record<string, number> = {}
  const byOperation: Record<string, Record<string, number>> = {}
  let found = 0

  function add(finding: Finding): void {
    found++
    if (findings.length < MAX_FINDINGS) findings.push(finding)
  }

  return {
    findings,
    byStatus,
    byOperation,
    found: () => found,
    isFull: () => found >= MAX_FINDINGS,
    add,
    /** Nothing where nothing is wrong. */
    addOf: (request: Request, answer: Answer, what: string[]): void => {
      if (what.length === 0) return
      const number = request.number < 0 ? null : request.number
      const operation = request.operation?.id ?? 'outside'
      add({ number, operation, what, request: curlOf(request, url, token), answer: shown(answer) })
    },
    /** What is about no request. */
    addWhere: (where: string, what: string[]): void => {
      if (what.length > 0) add({ number: null, operation: where, what, request: '', answer: '' })
    },
    count: (operation: string, status: number): void => {
      byStatus[status] = (byStatus[status] ?? 0) + 1
      byOperation[operation] ??= {}
      byOperation[operation][status] = (byOperation[operation][status] ?? 0) + 1
    },
  }
}

export const shown = ({ status, headers, body }: Answer): string =>
  `${status} ${headers['content-type'] ?? ''} ${body.slice(0, 600)}`.trim()

/** Bytes as a command line for a shell. */
export const printfOf = (bytes: Buffer, host: string): string => {
  const text = bytes.toString('latin1').slice(0, 2000)
  const escaped = text.replace(/[^\x21-\x26\x28-\x7e ]|[\\%]/g, (one) =>
    one === '%' ? '%%' : `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
  return `printf '${escaped}' | nc -N ${host.replace(':', ' ')}`
}
