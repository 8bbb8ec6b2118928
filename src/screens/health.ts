import type { Deps } from '../deps.ts'
import type { Log } from '../http/log.ts'
import { mailboxStore } from '../inbox/mailboxes/mailboxes.ts'
import { Problem } from '../lib/problem.ts'
import { installationId, isHeldAlone } from '../store/installation.ts'
import type { Store } from '../store/open.ts'

/** `warn`: the operator should look into it; the server works nevertheless. */
type Passed = { status: 'pass' | 'warn'; detail?: string }
/** The server cannot work: `code` and `detail` are those of the response, which is 503. */
type Failed = { status: 'fail'; code: string; detail: string }
export type Finding = Passed | Failed

/** Visible without a token: contains nothing about single records or file locations. */
export type Readiness = {
  status: 'ready'
  /** Mailboxes by their receiving status, such as {ok: 2, failing: 1}. */
  mailboxes: Record<string, number>
  checks: Record<string, Passed>
}

export type HealthOptions = {
  store: Store
  deps: Deps
  stopping: Pick<AbortSignal, 'aborted'>
  log: Log
  isSendingPaused?: boolean | undefined
}

/** Returns a function that runs the health checks. It throws Problem 503 with the first check that fails. */
export function health({ store, deps, stopping, log, isSendingPaused = false }: HealthOptions): () => Readiness {
  const { health: storage } = store
  /** Whether the server was started on a disk without a free byte; see `openStore`. */
  const isAlone = isHeldAlone(store.db)
  const probe = installationId(store.db)
  const mailboxes = mailboxStore(deps)
  /** In the order in which they run. */
  const checks: Record<string, () => Finding> = {
    ...{ database, disk, clock, mailboxes: receiving },
    ...(isSendingPaused && { sending: (): Passed => ({ status: 'warn', detail: PAUSED }) }),
  }

  function database(): Finding {
    try {
      probe()
    } catch (error) {
      if (!storage.note(error)) log.error({ err: error }, 'not ready')
      if (storage.damage() === undefined) return unanswered()
    }
    const damage = storage.damage()
    if (damage === undefined) return { status: 'pass' }
    const detail = `The database is damaged (${damage}). Stop the server and restore a backup of the data folder.`
    return { status: 'fail', code: 'database_damaged', detail }
  }

  function unanswered(): Finding {
    const detail = 'The database does not respond; the log of the server has the reason.'
    return { status: 'fail', code: 'database_failed', detail }
  }

  /** Reads and deletions still work. */
  function disk(): Finding {
    const shortage = storage.shortage()
    if (shortage === undefined) return isAlone ? { status: 'warn', detail: ALONE } : { status: 'pass' }
    return { status: 'fail', code: 'storage_full', detail: SHORTAGES[shortage] }
  }

  function clock(): Finding {
    const detail = store.wallClock.warning()
    return detail === undefined ? { status: 'pass' } : { status: 'warn', detail }
  }

  /** A server with a failing mailbox is ready; which one fails, and why, is shown only by "dealbox mailbox list". */
  function receiving(): Finding {
    const failing = mailboxCounts().failing ?? 0
    // Also those that only send.
    const lost = mailboxes.active().filter(({ org, mailbox }) => mailboxes.disconnected(org, mailbox)).length
    const found = [
      ...(lost > 0 ? [`${lost} ${lost === 1 ? 'has' : 'have'} to be connected with "dealbox mailbox connect"`] : []),
      ...(failing > 0 ? [`receiving mail fails for ${failing}`] : []),
    ]
    if (found.length === 0) return { status: 'pass' }
    const [first = '', ...rest] = [...found, '"dealbox mailbox list" shows the reasons.']
    return { status: 'warn', detail: [`${first.slice(0, 1).toUpperCase()}${first.slice(1)}`, ...rest].join('; ') }
  }

  function mailboxCounts(): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const { org, mailbox } of mailboxes.active()) {
      const { status } = mailboxes.health(org, mailbox).receiving
      counts[status] = (counts[status] ?? 0) + 1
    }
    return counts
  }

  return () => {
    if (stopping.aborted) throw notReady('stopping', 'The server is shutting down. Try again in a moment.')
    const found: Record<string, Passed> = {}
    for (const [name, run] of Object.entries(checks)) {
      const finding = run()
      // Later checks may depend on the one that failed.
      if (finding.status === 'fail') throw notReady(finding.code, finding.detail, { ...found, [name]: FAILED })
      found[name] = finding
    }
    return { status: 'ready', mailboxes: mailboxCounts(), checks: found }
  }
}

const FAILED = { status: 'fail' }
const SHORTAGES = {
  full: 'The disk is full. Reads and deletions still work; other writes resume when there is space. Free some space.',
  low: 'The disk has less free space than --min-free. Reads and deletions still work; other writes resume when there is more. Free some space.',
}
const PAUSED =
  'Nothing is sent, since this copy was restored from a backup. "dealbox resume-sending" ends this with the next start.'
const ALONE = 'The server was started without a free byte on the disk. Commands have to wait until it is restarted.'

function notReady(code: string, detail: string, checks?: Record<string, { status: string }>): Problem {
  return new Problem(503, code, detail, { headers: { 'Retry-After': '5' }, ...(checks && { more: { checks } }) })
}
