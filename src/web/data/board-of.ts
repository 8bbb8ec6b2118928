import { type Board, dealBoard } from './board.ts'
import { boot } from './boot.ts'
import { client } from './current.ts'

/** The board of a pipeline; call `reload()` to load it, and `dispose()` when it leaves the screen. */
export function boardOf(pipeline: string): Board {
  const open = boot.value.stages.filter(({ pipeline_id, is_open }) => pipeline_id === pipeline && is_open)
  const { api, store, timers, events, refreshers } = client()
  const parts = { api, store, timers, onEvent: events.onEvent, refreshers }
  return dealBoard(parts, pipeline, new Set(open.map(({ id }) => id)))
}
