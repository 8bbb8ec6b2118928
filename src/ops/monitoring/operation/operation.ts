import type { Context } from 'koa'
import type { Access } from '../../../auth/access.ts'
import { auditLog } from '../../../events/audit/log.ts'
import type { Need, Route } from '../../../http/route.ts'
import { conflict, Problem } from '../../../lib/problem.ts'
import { answerJson, type Handler } from '../../../site/handler.ts'
import type { ScreenParts } from '../../../site/parts.ts'
import { orgCount } from '../../../store/orgs/orgs.ts'
import type { Wanted } from '../../backup/nightly.ts'
import type { Operation } from '../notify/operation.ts'
import { shownBackups, shownChecks, shownRuns, shownWays, shownWork } from './shown.ts'

// How the server is and what owners may start: docs/decisions/071-told-without-prometheus.md.

type Parts = Pick<ScreenParts, 'store' | 'dataDir'> & { operation: Operation }

export const operationRoutes = (parts: Parts): Route<Need>[] => {
  const { store, dataDir, operation } = parts
  const count = orgCount(store.db)
  const { newest, nameOf } = auditLog(store)

  /** Owners of one of several organisations are told how the server is, and not where its files are. */
  function show() {
    const isOperator = count() === 'one'
    return {
      checks: shownChecks(operation),
      told: shownWays(operation, isOperator),
      backups: shownBackups(operation, dataDir, isOperator),
      runs: shownRuns(dataDir, { entries: newest(nameOf(null), MOST_ENTRIES), isOperator, places: operation.places }),
      work: shownWork(store.db, isOperator),
    }
  }

  return [
    {
      kind: 'data',
      method: 'get',
      path: '/operation',
      role: 'owner',
      name: 'operation',
      summary: 'How the server is: its checks, who is told, its backups and the last fifty runs',
      read: () => ({ json: JSON.stringify(show()) }),
    },
  ]
}

/** Backups of commands are only in the audit log, among other entries of the installation. */
const MOST_ENTRIES = 300

/**
 * Starts a backup or a drill now. Not routes of the kernel: the work begins after the commit of the entry in the audit log
 * that says who has asked for it.
 */
export function operationHandlers({ store, operation }: Parts): Handler[] {
  const count = orgCount(store.db)
  const { record } = auditLog(store)

  async function start(ctx: Context, { who, token }: Access, what: Wanted['what']): Promise<void> {
    const by = who.member as string
    if (count() !== 'one') throw notForOne()
    const night = operation.night
    if (!night) throw conflict('backups_off', 'This server makes no backups: it was started with --backup-at off.')
    night.checkFree()
    await store.write(() => {
      record({
        org: who.org,
        actor: { type: 'member', member: by, via: `session ${token}` },
        action: `${what}.requested`,
      })
      return null
    })
    night.ask({ what, by })
    answerJson(ctx, 202, {})
  }

  return (['backup', 'drill'] as const).map((what) => ({
    method: 'POST',
    path: `/app/operation/${what}`,
    role: 'owner',
    answer: (ctx, access) => start(ctx, access, what),
  }))
}

const notForOne = (): Problem =>
  new Problem(
    403,
    'several_organisations',
    'A backup is of all organisations of this server. Whoever runs it makes one with "dealbox backup".',
  )
