import { showToast } from '../components/toast.tsx'
import { client } from '../data/current.ts'
import { deletion, type Kind } from '../data/records.ts'
import { sayWhy } from './say-why.ts'

/** How long the event of a deletion may take to come. */
const PATIENCE_MS = 10_000

/** Restores a record that was just deleted on this page, as soon as the event of its deletion is known. */
export function undoDeletion(kind: Kind, id: string): void {
  let isOver = false
  const stop = deletion(kind, id).subscribe((found) => {
    if (isOver || !found?.eventId) return
    isOver = true
    queueMicrotask(() => stop())
    void restore(found.eventId)
  })
  setTimeout(() => {
    isOver = true
    stop()
  }, PATIENCE_MS)
}

/** Restores a record from the bin, by the event of its deletion. Says so if it fails. */
export async function restore(eventId: string): Promise<boolean> {
  try {
    await client().api.request('POST', `/app/bin/${eventId}/restore`, { key: `restore-${eventId}` })
    return true
  } catch (error) {
    showToast({ text: sayWhy(error), kind: 'error' })
    return false
  }
}
