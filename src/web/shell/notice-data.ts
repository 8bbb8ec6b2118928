import { useEffect, useRef, useState } from 'preact/hooks'
import { pathWith } from '../data/api.ts'
import { boot, page } from '../data/boot.ts'
import { client } from '../data/current.ts'
import { findEntry } from '../lib/router/match.ts'
import { entries } from '../lib/router.ts'
import { newNotices } from './new-notices.ts'

// What concerns me, for the bell and for the page of notices.

export type Notice = {
  id: string
  kind: string
  at: string
  actor_id: string | null
  record: { kind: string; id: string; title: string }
  read_at: string | null
  detail: HandOver | ServerState | null
}
type HandOver = { counts: Counts; until?: string }
/** The checks of the server that need somebody, and those that are well again. */
type ServerState = { bad: string[]; well: string[] }
type Counts = Record<string, number>
type Answer = { data: Notice[]; next_cursor: string | null }

/** Marks them as read, or all. */
export async function markRead(body: { ids: string[] } | { all: true }): Promise<void> {
  const answer = await client().api.request<{ unread: number }>('POST', '/app/notifications/read', { body })
  const now = boot.peek()
  page.value = { ...now, counts: { ...now.counts, notifications: answer.body.unread } }
}

/** Records that open beside their list. */
const BESIDE: Readonly<Record<string, string>> = { tasks: '/tasks?task=', conversations: '/inbox?c=' }

/** Where the record of a notice is; null where it has no screen: then the notice only says it. */
export function placeOf({ record, detail }: Notice): string | null {
  // Of what was handed over, the first kind that has a screen: its table begins with what is new.
  if (detail) return screenAt('counts' in detail ? `/${Object.keys(detail.counts)[0]}` : '/settings/operation')
  const beside = BESIDE[record.kind]
  return beside ? beside + record.id : screenAt(`/${record.kind}/${record.id}`)
}

const screenAt = (path: string): string | null => (findEntry(entries.value, path) ? path : null)

/** The newest ones first, read again as soon as there is another; `more` reads older ones. */
export function useNotices() {
  const [notices, setNotices] = useState<readonly Notice[] | null>(null)
  const known = useRef<readonly Notice[]>([])
  const [isFailed, setFailed] = useState(false)
  const cursor = useRef<string | null>(null)
  const count = newNotices.value

  function show(next: readonly Notice[]): void {
    known.current = next
    setNotices(next)
  }

  async function read(after: string | null): Promise<void> {
    try {
      const { data, next_cursor } = await client().api.get<Answer>(
        pathWith('/app/notifications', { cursor: after ?? undefined }),
      )
      setFailed(false)
      const last = data.at(-1)?.id ?? ''
      // Older ones that were loaded stay below the first page, which may have lost some of its own.
      const older = after === null && next_cursor !== null ? known.current.filter(({ id }) => id < last) : []
      if (older.length === 0) cursor.current = next_cursor
      show(after === null ? [...data, ...older] : [...known.current, ...data])
    } catch {
      setFailed(true)
    }
  }
  useEffect(() => void read(null), [count])

  /** Whether it was read stands at the row at once; only the mark is lost if the server does not answer. */
  function noteRead(which: (notice: Notice) => boolean): void {
    const now = new Date().toISOString()
    show(known.current.map((each) => (which(each) && !each.read_at ? { ...each, read_at: now } : each)))
  }

  return {
    notices,
    isFailed,
    hasMore: cursor.current !== null,
    more: () => read(cursor.current),
    open: ({ id, read_at }: Notice): void => {
      if (read_at !== null) return
      noteRead((each) => each.id === id)
      void markRead({ ids: [id] }).catch(() => undefined)
    },
    readAll: async (): Promise<void> => {
      try {
        await markRead({ all: true })
        noteRead(() => true)
      } catch {
        setFailed(true)
      }
    },
  }
}
