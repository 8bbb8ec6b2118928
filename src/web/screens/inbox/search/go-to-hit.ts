import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Hit } from '../../../../inbox/conversations/hits.ts'
import type { Thread } from '../thread-data.ts'

/** Who opens what was found sees the message with the hit, however old it is. Once: what is scrolled to afterwards stays. */
export function useGoToHit(
  scroller: RefObject<HTMLElement | null>,
  { messages, earlier, more }: Thread,
  hit: Hit | null | undefined,
): void {
  const gone = useRef<Hit | null>(null)
  const shown = messages.value
  useEffect(() => {
    if (!hit || gone.current === hit || shown === undefined) return
    if (!shown.some(({ id }) => id === hit.message_id)) {
      if (earlier.peek() !== null) void more()
      return
    }
    gone.current = hit
    const box = scroller.current
    const message = box?.querySelector<HTMLElement>(`[data-message="${hit.message_id}"]`)
    const place = message?.querySelector('mark') ?? message
    place?.scrollIntoView({ block: 'center' })
  }, [hit, shown])
}
