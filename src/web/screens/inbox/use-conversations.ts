import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { client } from '../../data/current.ts'
import { load } from '../../data/records.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { type RowQuery, type Rows, rows } from '../../tables/table/rows.ts'
import { withFirst } from './search/first.ts'
import { type Numbered, numberedPath } from './search/hits.ts'

/** Several events come as one change of the list. */
const GATHER_MS = 300

type Conversations = {
  rows: Rows
  /** How often it was read anew: what depends on it looks again. */
  isStale: boolean
  /** Reads what is in view anew, as who works with the list wants it. */
  renew: () => void
  /** While the pointer or the focus is in the list, nothing moves in it: what has changed is offered. */
  hold: (isHeld: boolean) => void
}

/** The conversations of a view. What others do moves nothing under the pointer; what I do shows at once. */
export function useConversations(query: RowQuery): Conversations {
  const key = JSON.stringify(query)
  const [isStale, setStale] = useState(false)
  const isHeld = useRef(false)
  const opened = useMemo(() => {
    const { api, store } = client()
    return rows({ api, store }, 'conversations', query)
  }, [key])
  const renew = useMemo(
    () => () => {
      setStale(false)
      void opened.reload()
    },
    [opened],
  )
  useEffect(() => {
    opened.ensure(0, 20)
    const { events, timers, refreshers, isMine, onNotice } = client()
    let stopTimer: (() => void) | undefined
    let isOwn = false
    const refresh = () => opened.reload()
    const stopEvents = events.onEvent(({ key: request }, kind) => {
      if (kind !== 'conversations') return
      isOwn ||= request !== null && isMine(request)
      stopTimer ??= timers.after(GATHER_MS, () => {
        stopTimer = undefined
        if (isHeld.current && !isOwn) setStale(true)
        else renew()
        isOwn = false
      })
    })
    // What one begins to write, here or elsewhere, changes the view of one's drafts alone.
    const stopNotices = query.view === 'drafts' ? onNotice(({ kind }) => kind === 'draft' && renew()) : undefined
    refreshers.add(refresh)
    return () => {
      stopTimer?.()
      stopEvents()
      stopNotices?.()
      refreshers.delete(refresh)
      opened.dispose()
    }
  }, [opened])
  const q = typeof query.q === 'string' ? query.q : ''
  const numbered = useAsk<Numbered>(numberedPath(q), ['conversations']).value?.numbered ?? null
  const shown = useMemo(() => (numbered === null ? opened : withFirst(opened, numbered)), [opened, numbered])
  useEffect(() => {
    if (numbered !== null) void load('conversations', numbered).catch(() => undefined)
  }, [numbered])
  const hold = (isNow: boolean) => {
    isHeld.current = isNow
    if (!isNow && isStale) renew()
  }
  return { rows: shown, isStale, renew, hold }
}
