import { useEffect, useMemo } from 'preact/hooks'
import { type KeysetList, list, type Query } from '../../data/pages.ts'
import { record } from '../../data/records.ts'
import type { Meeting } from '../../data/types.ts'

/** A list of meetings as long as it is shown, kept current. `isWhole` loads all of it, up to so many. */
export function useMeetings(
  query: Query,
  isWhole?: { most: number },
): { found: KeysetList; meetings: readonly Meeting[] } {
  const key = JSON.stringify(query)
  const found = useMemo(() => list('meetings', query), [key])
  useEffect(() => {
    void load(found, isWhole?.most ?? 1)
    const stop = found.fresh.subscribe((count) => count > 0 && queueMicrotask(found.showFresh))
    return () => {
      stop()
      found.dispose()
    }
  }, [found])
  const { member_id: who, status } = query
  const meetings = found.ids.value.flatMap((id) => {
    const meeting = record('meetings', id).value as Meeting | null | undefined
    // The server's list follows a moment later: what was changed here leaves at once.
    if (!meeting || (status !== undefined && meeting.status !== status)) return []
    return who !== undefined && !meeting.participants.some(({ member_id }) => member_id === who) ? [] : [meeting]
  })
  return { found, meetings }
}

async function load(found: KeysetList, most: number): Promise<void> {
  do await found.more()
  while (found.ids.peek().length < most && !found.done.peek() && found.error.peek() === undefined)
}
