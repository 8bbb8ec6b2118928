import type { FieldError } from '../../lib/problem.ts'
import { sayWhy } from '../components/say-why.ts'
import { showToast } from '../components/toast.tsx'
import { client } from '../data/current.ts'
import { format } from '../lib/locale.ts'

/** How far the server is with a change of many records. */
export type BulkState = {
  id: string
  total: number
  done: number
  failed_count: number
  /** The first of them. */
  failed: { id: string; code: string; detail: string; errors?: FieldError[] }[]
  finished_at: string | null
}

const POLL_MS = 300

/** Looks how far the server is, until it is done or stopped. A change of a moment shows nothing in between. */
export async function followBulk(
  id: string,
  words: (done: string, total: string) => string,
  stopLabel: string,
): Promise<BulkState> {
  const number = (count: number) => format.peek().number(count)
  const { api } = client()
  // What has finished in the same moment is as good as stopped: the next look says so.
  const stop = () =>
    void api.request('POST', `/app/bulk/${id}/stop`).catch((error) => showToast({ kind: 'error', text: sayWhy(error) }))
  let close: (() => void) | undefined
  for (let tries = 0; ; tries++) {
    const state = await api.get<BulkState>(`/app/bulk/${id}`)
    if (state.finished_at !== null) {
      close?.()
      return state
    }
    if (tries > 0)
      close = showToast({
        kind: 'working',
        text: words(number(state.done), number(state.total)),
        action: { label: stopLabel, run: stop },
      })
    await new Promise((resolve) => setTimeout(resolve, tries === 0 ? 60 : POLL_MS))
  }
}
