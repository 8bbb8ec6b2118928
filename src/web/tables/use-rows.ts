import { useEffect, useRef, useState } from 'preact/hooks'
import type { PageKind } from '../components/kinds.ts'
import { me } from '../data/boot.ts'
import { client } from '../data/current.ts'
import { onNewDay } from '../lib/today.ts'
import { type RowQuery, type Rows, rows } from './table/rows.ts'

/** Opens the rows of a query, which follow the events of the server. */
export function openRows(kind: PageKind, query: RowQuery): Rows {
  const { api, store, events, refreshers } = client()
  const onNews = (callback: (id: string, isMine: boolean) => void) =>
    events.onEvent(({ type, actor, data }, of) => {
      const isMine = actor.id === me.peek().id
      if (of === kind && !type.endsWith('.deleted')) callback(data.object.id, isMine && type.endsWith('.created'))
      // Records were put into the list that is shown, or taken out.
      else if (of === 'lists' && data.object.id === query.list_id) callback(data.object.id, isMine)
    })
  const opened = rows({ api, store, onNews }, kind, query)
  // When events are missing, all that is in view is read anew.
  const refresh = async () => {
    await opened.reload()
    if (opened.error.peek() !== undefined) throw opened.error.peek()
  }
  refreshers.add(refresh)
  const isFiltered = query.filter !== undefined || query.list_id !== undefined
  const stopDays = isFiltered ? onNewDay(() => void opened.reload()) : () => undefined
  const dispose = () => {
    refreshers.delete(refresh)
    stopDays()
    opened.dispose()
  }
  return { ...opened, dispose }
}

const nameOf = (kind: PageKind, query: RowQuery, version = ''): string => `${kind} ${JSON.stringify(query)} ${version}`

/** Rows that were asked for before their table is there. */
let prepared: { name: string; rows: Rows } | undefined

/** Asks for the first rows of a table that is about to be shown; resolves when they are there. */
export function prepareRows(kind: PageKind, query: RowQuery): Promise<void> {
  prepared?.rows.dispose()
  prepared = { name: nameOf(kind, query), rows: openRows(kind, query) }
  return prepared.rows.reach(0)
}

function takePrepared(name: string): Rows | undefined {
  const { rows } = prepared?.name === name ? prepared : {}
  if (!rows) prepared?.rows.dispose()
  prepared = undefined
  return rows
}

/**
 * The rows of a query. When it changes, or what it means by the `version` of its list, the old ones stay until the first of the
 * new ones are here.
 */
export function useRows(kind: PageKind, query: RowQuery, version?: string): Rows {
  const name = nameOf(kind, query, version)
  const [shown, setShown] = useState(() => ({ name, rows: takePrepared(name) ?? openRows(kind, query) }))
  const latest = useRef(shown)
  useEffect(() => {
    if (latest.current.name === name) return
    const next = openRows(kind, query)
    let isOver = false
    void next.reach(0).then(() => {
      if (isOver) return
      latest.current.rows.dispose()
      latest.current = { name, rows: next }
      setShown(latest.current)
    })
    return () => {
      isOver = true
      if (latest.current.rows !== next) next.dispose()
    }
  }, [name])
  useEffect(() => () => latest.current.rows.dispose(), [])
  return shown.rows
}
