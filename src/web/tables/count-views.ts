import { boot } from '../data/boot.ts'
import { client } from '../data/current.ts'
import { serverNow } from '../lib/server-time.ts'
import { viewCounts } from '../shell/view-counts.ts'
import { isOfBoardShape } from './deals/fields.ts'
import { dealFields } from './deals/filter-fields.ts'
import { conditionsForTable } from './deals/table-conditions.ts'
import { type FilteredKind, filterFieldsOf } from './filter-fields.ts'
import { INBOX, inboxQuery } from './inbox-query.ts'
import { countRows, rowQuery } from './list-query.ts'
import type { RowQuery } from './table/rows.ts'
import { savedState } from './views/list-state.ts'
import { findView, type View } from './views/saved-views.ts'

// Counts of saved views: in the sidebar and on their tabs, each asked for once, and anew when its records have changed.

const MOST_COUNTED = 8
/** While records change, as in an import, counts follow at this pace. */
const PACE_MS = 15_000

const watched = new Set<readonly View[]>()
/** What was counted, or is: each view as it was then. Another object for each time, so that a late answer is known. */
const counted = new Map<string, { version: number }>()
let stop: (() => void) | undefined

/** Counts the first of these views, as long as they are shown. */
export function countViews(views: readonly View[]): () => void {
  const own = views.slice(0, MOST_COUNTED)
  watched.add(own)
  if (watched.size === 1) stop = follow()
  void countNew()
  return () => {
    watched.delete(own)
    if (watched.size > 0) return
    stop?.()
    counted.clear() // from here on nobody hears of what changes
  }
}

function follow(): () => void {
  const { events, timers, refreshers } = client()
  const changed = new Set<string>()
  let timer: (() => void) | undefined
  const again = (kinds: ReadonlySet<string>) => {
    for (const view of shown()) if (kinds.has(view.object)) counted.delete(view.id)
    return countNew()
  }
  const stopListening = events.onEvent((_, kind) => {
    changed.add(kind)
    timer ??= timers.after(PACE_MS, () => {
      timer = undefined
      const kinds = new Set(changed)
      changed.clear()
      void again(kinds)
    })
  })
  const refresh = () => again(new Set(['deals', 'contacts', 'companies', 'conversations']))
  refreshers.add(refresh)
  return () => {
    timer?.()
    stopListening()
    refreshers.delete(refresh)
  }
}

const shown = (): View[] => [...new Map([...watched].flat().map((view) => [view.id, view])).values()]

async function countNew(): Promise<void> {
  await Promise.all(
    shown()
      .filter((view) => counted.get(view.id)?.version !== view.version)
      .map(countOne),
  )
}

/** A view whose count does not come has none, until it is asked for again. */
async function countOne(view: View): Promise<void> {
  const asked = { version: view.version }
  counted.set(view.id, asked)
  const query = queryOf(view)
  const count = query && (await countRows(view.object as FilteredKind, query).catch(() => undefined))
  if (findView(view.id)?.version !== view.version || counted.get(view.id) !== asked) return
  const counts = new Map(viewCounts.peek())
  if (count === undefined) counts.delete(view.id)
  else counts.set(view.id, count)
  viewCounts.value = counts
}

/** Of deals the open ones of the view's pipeline; undefined where only the page can tell. */
function queryOf({ object, query }: View): RowQuery | undefined {
  if (object === 'tasks') return undefined
  const fields = object === 'deals' ? dealFields('') : filterFieldsOf(object)
  const kinds = new Map(fields.map(({ name, kind }) => [name, kind]))
  const state = savedState(query, { kindOf: (field) => kinds.get(field), more: ['pipeline', ...INBOX] })
  const { conditions } = state
  if (object === 'conversations') return inboxQuery(state)
  if (object !== 'deals') return rowQuery(state)
  if (conditions.some(isOfBoardShape)) return undefined
  const { pipelines, stages } = boot.peek()
  const pipeline = pipelines.find(({ id }) => id === state.more.pipeline) ?? pipelines.find((each) => each.is_default)
  const open = stages.flatMap(({ id, pipeline_id, is_open }) => (is_open && pipeline_id === pipeline?.id ? id : []))
  return rowQuery({ ...state, conditions: conditionsForTable(conditions, open, serverNow()) })
}
