import * as v from 'valibot'
import { refuseHigher } from '../../../auth/roles.ts'
import { columns, type Member, memberStore } from '../../../crm/members/members.ts'
import type { Deps } from '../../../deps.ts'
import type { Need, Route } from '../../../http/route.ts'
import type { Caller, Session } from '../../../lib/caller.ts'
import * as f from '../../../lib/fields.ts'
import type { Remedy, RunKind } from '../../../store/jobs/kinds.ts'
import type { ScreenParts } from '../../parts.ts'
import { bulkJournal } from '../bulk/journal.ts'
import { type Asked, HandOver, handOverChecks } from './asked.ts'
import { awayStore, HAND_BACK } from './away.ts'
import { HAND_OVER_UNDO, handingBack } from './back.ts'
import { HAND_OVER, handingOver } from './give.ts'
import { NEEDED } from './rights.ts'
import { workOf } from './work.ts'

const Away = f.object({
  returns_on: f.doc(v.nullable(f.date), 'Another date of return; null brings back at once what is left.'),
})

/** What members have, and handing it over: docs/decisions/061-hand-over.md. */
export function handOverRoutes({ store, deps }: Pick<ScreenParts, 'store' | 'deps'>): Route<Need>[] {
  const { db } = deps
  const { find } = memberStore(deps)
  const { counts } = workOf(deps)
  const { start } = handingOver(deps)
  const { checkReturn } = handOverChecks(deps)
  const away = awayStore(deps)
  const deactivated = db
    .prepare("SELECT id FROM members WHERE org_id = ? AND status = 'deactivated' ORDER BY id")
    .pluck()

  /** Deactivated members who still have something to go on with. */
  function left(org: number) {
    const all = (deactivated.all(org) as string[]).map((id) => ({ id, open: counts(org, id).open }))
    return all.filter(({ open }) => Object.keys(open).length > 0)
  }

  function changeAway(who: Caller, member: Member, date: string | null): void {
    refuseHigher((who.session as Session).role, member.role)
    if (date !== null) checkReturn(who.org, member, date)
    away.change(who.org, member.id, date)
  }

  const common = { role: NEEDED, name: 'member' } as const
  const one = {
    ...common,
    kind: 'write',
    method: 'post',
    returns: v.looseObject({}),
    status: 202,
    find: (who: Caller, id = '') => columns.present(find(who, id)),
  } as const
  return [
    {
      ...common,
      kind: 'data',
      method: 'get',
      path: '/members/left',
      summary: 'List what deactivated members still have',
      read: ({ org }) => ({ json: JSON.stringify({ data: left(org) }) }),
    },
    {
      ...common,
      kind: 'data',
      method: 'get',
      path: '/members/:id/work',
      summary: 'Count what a member has',
      read: (who, [id = '']) => {
        find(who, id)
        return { json: JSON.stringify(counts(who.org, id)) }
      },
    },
    {
      ...one,
      path: '/members/:id/hand-over',
      summary: 'Hand over what a member has',
      body: HandOver,
      audit: { action: 'member.handed_over', detail: ({ body }) => detailOf(body as Asked) },
      run: ({ who, record, body }) => start(store, who, record as Member, body as Asked),
    },
    {
      ...one,
      path: '/members/:id/away',
      summary: 'Change when a member comes back',
      body: Away,
      audit: { action: 'member.away_changed', detail: ({ body }) => body as v.InferOutput<typeof Away> },
      run: ({ who, record, body }) => {
        changeAway(who, record as Member, (body as v.InferOutput<typeof Away>).returns_on)
        return { id: record.id }
      },
    },
  ]
}

/** Who got what, and whether the member may still sign in. */
const detailOf = ({ to, finished, deactivate, returns_on }: Asked) => ({
  to,
  ...(finished && { finished }),
  ...(deactivate && { status: 'deactivated' }),
  ...(returns_on && { returns_on }),
})

export function handOverKinds(deps: Deps): RunKind[] {
  const { run } = handingOver(deps)
  const { runUndo, runReturn } = handingBack(deps)
  return [
    { kind: HAND_OVER, atOnce: 1, run: (job, { store }) => void run(job, store) },
    { kind: HAND_OVER_UNDO, atOnce: 1, run: (job, { store }) => void runUndo(job, store) },
    { kind: HAND_BACK, atOnce: 1, isDated: true, run: (job, { store }) => void runReturn(job, store) },
  ]
}

/** A change whose job is dropped is finished: its counts show how far it came. */
export function handOverRemedies(deps: Deps): Record<string, Remedy> {
  const { stored, startUndo } = bulkJournal(deps)
  const { stop } = handingOver(deps)
  const { end } = handingBack(deps)
  const ends =
    (run: (org: number, row: NonNullable<ReturnType<typeof stored>>) => void) => (org: number, id: string) => {
      const row = stored(org, id)
      if (row) run(org, row)
    }
  return {
    [HAND_OVER]: { drop: ends(stop) },
    [HAND_OVER_UNDO]: { drop: ends(end) },
    [HAND_BACK]: {
      drop: ends((org, row) => {
        startUndo(org, row.id)
        end(org, row)
      }),
    },
  }
}
