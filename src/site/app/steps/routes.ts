import * as v from 'valibot'
import type { Need, RecordQuery, Rendered, Route } from '../../../http/route.ts'
import type { Caller } from '../../../lib/caller.ts'
import * as f from '../../../lib/fields.ts'
import type { ScreenParts } from '../../parts.ts'
import { stepStore } from './steps.ts'
import { stepUndo } from './undo-step.ts'

/** A cursor has an id; the place on the stack is enough here. */
const NO_ID = '00000000-0000-7000-8000-000000000000'

const StepUndo = f.object({
  again: f.optional(f.doc(v.boolean(), 'Does it anew, after it was taken back.')),
})

/** What members did in the screens, to be taken back for 30 days. */
export function stepRoutes({ store, deps }: Pick<ScreenParts, 'store' | 'deps'>): Route<Need>[] {
  const { list } = stepStore(deps)
  const { undo } = stepUndo(deps)
  const common = { role: 'member', name: 'step' } as const

  function read(who: Caller, { limit, after, cursorAt }: RecordQuery): Rendered {
    const found = list(who, (after?.key as number | undefined) ?? Number.MAX_SAFE_INTEGER, limit + 1)
    const data = found.slice(0, limit)
    const last = data.at(-1)
    const next = found.length > limit && last ? cursorAt({ key: last.seq, id: NO_ID }) : null
    return { json: JSON.stringify({ data, next_cursor: next }), next }
  }

  return [
    {
      ...common,
      kind: 'data',
      method: 'get',
      path: '/steps',
      summary: 'List what I changed, newest first',
      paged: true,
      read: (who, _, query) => read(who, query),
    },
    {
      ...common,
      kind: 'write',
      method: 'post',
      path: '/steps/:id/undo',
      summary: 'Take back what I changed',
      body: StepUndo,
      returns: v.looseObject({}),
      status: 200,
      find: (_, id) => ({ id, version: 0 }),
      run: ({ who, record, body }) =>
        undo(store, who, record.id, (body as v.InferOutput<typeof StepUndo>).again === true),
    },
  ]
}
