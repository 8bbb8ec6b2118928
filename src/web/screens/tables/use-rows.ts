import { useEffect, useRef, useState } from 'preact/hooks'
import { type RowQuery, type Rows, rows } from '../../components/table/rows.ts'
import { me } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import type { TableKind } from './objects.ts'

/** Opens the rows of a query, which follow the events of the server. */
export function openRows(kind: TableKind, query: RowQuery): Rows {
  const { api, store, events } = client()
  const onNews = (callback: (id: string, isMine: boolean) => void) =>
    events.onEvent(({ type, actor, data }, of) => {
      if (of === kind && !type.endsWith('.deleted')) {
        callback(data.object.id, actor.id === me.peek().id && type.endsWith('.created'))
      }
    })
  return rows({ api, store, onNews }, kind, query)
}

const nameOf = (kind: TableKind, query: RowQuery): string => `${kind} ${JSON.stringify(query)}`

/** Rows that were asked for before their table is there. */
let prepared: { name: string; rows: Rows } | undefined

/** Asks for the first rows of a table that is about to be shown; resolves when they are there. */
export function prepareRows(kind: TableKind, query: RowQuery): Promise<void> {
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

/** The rows of a query. When it changes, the old ones stay until the first of the new ones are here. */
export function useRows(kind: TableKind, query: RowQuery): Rows {
  const name = nameOf(kind, query)
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
