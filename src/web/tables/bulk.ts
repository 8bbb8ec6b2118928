import { signal } from '@preact/signals'
import type { PageKind } from '../components/kinds.ts'
import { sayWhy } from '../components/say-why.ts'
import { showToast } from '../components/toast.tsx'
import { ApiProblem } from '../data/api.ts'
import { explain } from '../data/browser.ts'
import { client } from '../data/current.ts'
import { type BulkState, followBulk } from '../shell/follow-bulk.ts'
import { toFilter } from './filters/conditions.ts'
import type { Asked } from './list-context.ts'
import { countOf, type Selection } from './table/selection.ts'
import { texts } from './texts.ts'

// Changes of many records: the server makes them one by one, and this shows how far it is. All of one change is undone at once.

/** What can be changed in numbers. */
export type BulkKind = PageKind | 'conversations'

export type Target =
  | { ids: readonly string[] }
  | { filter: unknown; q?: string; list_id?: string; exclude?: string[]; expected: number }

/** What the selection stands for: single records, or whatever the filter selects. */
export function targetOf(selection: Selection, { conditions, q, listId }: Asked, total: number): Target {
  if (!selection.isAll) return { ids: [...selection.ids] }
  return {
    filter: toFilter(conditions),
    ...(q.trim() === '' ? {} : { q: q.trim() }),
    ...(listId === undefined ? {} : { list_id: listId }),
    ...(selection.ids.size === 0 ? {} : { exclude: [...selection.ids] }),
    expected: countOf({ ...selection, ids: new Set() }, total),
  }
}

export type Change = {
  patch?: Record<string, unknown>
  add_tag_ids?: string[]
  remove_tag_ids?: string[]
  to_list_id?: string
  from_list_id?: string
  close?: { reason_id: string }
  delete?: true
  assign_by_load?: true
  mailbox_id?: string
}

/** What was not changed by the last change of many, for the dialog that shows it. */
export const failures = signal<{ kind: BulkKind; reasons: Reason[] } | null>(null)

type Reason = { id: string; text: string }

/** In the member's words, as any other refusal. */
async function reasonOf({ id, ...refusal }: BulkState['failed'][number]): Promise<Reason> {
  const problem = new ApiProblem(409, refusal)
  await explain(problem)
  return { id, text: problem.message }
}

/** Starts a change. Resolves when the server has taken all records, unless the page is left: it goes on all the same. */
export async function changeMany(
  kind: BulkKind,
  target: Target,
  change: Change,
  done: (count: number) => string,
): Promise<void> {
  const { api } = client()
  try {
    const { body } = await api.request<{ id: string; total: number }>('POST', '/app/bulk', {
      body: { kind, ...target, ...change },
    })
    const state = await followBulk(body.id, (now, total) => texts().bulk.working(now, total), texts().bulk.stop)
    const changed = state.done - state.failed_count
    if (state.failed_count > 0) {
      const reasons = await Promise.all(state.failed.map(reasonOf))
      showToast({
        kind: 'error',
        text: `${done(changed)}. ${texts().bulk.failed(state.failed_count)}`,
        action: {
          label: texts().bulk.show,
          run: () => {
            failures.value = { kind, reasons }
          },
        },
      })
    } else showToast({ text: done(changed), icon: change.delete ? 'trash' : 'check', step: `bulk-${state.id}` })
  } catch (error) {
    showToast({ kind: 'error', text: sayWhy(error) })
  }
}
