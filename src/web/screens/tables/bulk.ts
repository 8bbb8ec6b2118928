import { signal } from '@preact/signals'
import { toFilter } from '../../components/filters/conditions.ts'
import { countOf, type Selection } from '../../components/table/selection.ts'
import { showToast } from '../../components/toast.tsx'
import type { ListState } from '../../components/views/list-state.ts'
import { client } from '../../data/current.ts'
import { format } from '../../lib/locale.ts'
import { sayWhy } from '../../shell/say-why.ts'
import type { TableKind } from './objects.ts'
import { texts } from './texts.ts'

// Changes of many records: the server makes them one by one, and this shows how far it is. All of one change is undone at once.

export type Target =
  | { ids: readonly string[] }
  | { filter: unknown; q?: string; list_id?: string; exclude?: string[]; expected: number }

/** What the selection stands for: single records, or whatever the filter selects. */
export function targetOf(
  selection: Selection,
  { conditions, q }: Pick<ListState, 'conditions' | 'q'>,
  total: number,
  listId?: string,
): Target {
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
  close?: { reason_id: string }
  delete?: true
}

export type BulkState = {
  id: string
  total: number
  done: number
  failed_count: number
  /** The first of them. */
  failed: { id: string; detail: string }[]
  /** What an undo left as it is, since it was changed again. */
  kept: { id: string; detail: string }[]
  finished_at: string | null
  undone_at: string | null
}

/** What was not changed by the last change of many, for the dialog that shows it. */
export const failures = signal<{ kind: TableKind; state: BulkState } | null>(null)

const POLL_MS = 300

/** Starts a change. Resolves when the server has taken all records, unless the page is left: it goes on all the same. */
export async function changeMany(
  kind: TableKind,
  target: Target,
  change: Change,
  done: (count: number) => string,
): Promise<void> {
  const { api } = client()
  try {
    const { body } = await api.request<{ id: string; total: number }>('POST', '/app/bulk', {
      body: { kind, ...target, ...change },
    })
    const state = await follow(body.id, (now, total) => texts().bulk.working(now, total))
    const changed = state.total - state.failed_count
    const undo = () => void undoMany(state)
    if (state.failed_count > 0) {
      showToast({
        kind: 'error',
        text: `${done(changed)}. ${texts().bulk.failed(state.failed_count)}`,
        action: {
          label: texts().bulk.show,
          run: () => {
            failures.value = { kind, state }
          },
        },
      })
    } else showToast({ text: done(changed), icon: change.delete ? 'trash' : 'check', undo })
  } catch (error) {
    showToast({ kind: 'error', text: sayWhy(error) })
  }
}

/** Looks how far the server is, until it is done. A change of a moment shows nothing in between. */
async function follow(
  id: string,
  words: (done: string, total: string) => string,
  member: 'finished_at' | 'undone_at' = 'finished_at',
) {
  const number = (count: number) => format.peek().number(count)
  let close: (() => void) | undefined
  for (let tries = 0; ; tries++) {
    const state = await client().api.get<BulkState>(`/app/bulk/${id}`)
    if (state[member] !== null) {
      close?.()
      return state
    }
    if (tries > 0) close = showToast({ kind: 'working', text: words(number(state.done), number(state.total)) })
    await new Promise((resolve) => setTimeout(resolve, tries === 0 ? 60 : POLL_MS))
  }
}

export async function undoMany({ id }: BulkState): Promise<void> {
  try {
    await client().api.request('POST', `/app/bulk/${id}/undo`)
    const state = await follow(id, (done, total) => texts().bulk.working(done, total), 'undone_at')
    const isWhole = state.kept.length === 0
    showToast({
      text: isWhole ? texts().bulk.undone : texts().bulk.undoFailed,
      icon: 'undo',
      kind: isWhole ? 'done' : 'error',
    })
  } catch (error) {
    showToast({ kind: 'error', text: sayWhy(error) })
  }
}
