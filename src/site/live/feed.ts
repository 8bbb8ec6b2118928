import type { EventReader, KeyedEvent } from '../../events/reading.ts'
import { eventFrame } from './frames.ts'

export type Frame = { seq: number; type: string; text: string }

/** Read at once. */
const BATCH = 200
/** Kept for the streams that follow: most ask for the newest events at the same moment. */
const MAX_KEPT = 400
const MAX_KEPT_CHARS = 2_097_152

/** The frames of the newest events of an organisation, read once for all its streams. */
export function eventFeed(reader: Pick<EventReader, 'after'>, org: number) {
  let kept: Frame[] = []
  let chars = 0

  /**
   * The frames after a seq, in order without gaps; a part of them if there are many, none if there is no newer one. The
   * first may be after a gap: of events that were purged, or of numbers that a standby left out when it took over.
   */
  function after(seq: number): readonly Frame[] {
    const from = kept[0]?.seq ?? Number.POSITIVE_INFINITY
    const last = kept.at(-1)?.seq ?? -1
    if (seq + 1 >= from && seq < last) return kept.slice(seq + 1 - from, seq + 1 - from + BATCH)
    const read = untilGap(reader.after(org, seq, BATCH)).map(frameOf)
    if (seq >= last) keep(read, seq === last && read[0]?.seq === seq + 1)
    return read
  }

  function keep(read: readonly Frame[], follows: boolean): void {
    if (read.length === 0) return
    kept = follows ? kept.concat(read) : [...read]
    chars = kept.reduce((sum, { text }) => sum + text.length, 0)
    let dropped = 0
    while (kept.length - dropped > MAX_KEPT || chars > MAX_KEPT_CHARS) chars -= (kept[dropped++] as Frame).text.length
    kept = kept.slice(dropped)
  }

  return { after }
}

const frameOf = (event: KeyedEvent): Frame => ({ seq: event.seq, type: event.type, text: eventFrame(event) })

function untilGap(events: KeyedEvent[]): KeyedEvent[] {
  const first = events[0]?.seq ?? 0
  const gap = events.findIndex(({ seq }, at) => seq !== first + at)
  return gap < 0 ? events : events.slice(0, gap)
}
