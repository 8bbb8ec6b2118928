import type { Segment, Speaker, Transcript } from './types.ts'

type Who = Pick<Speaker, 'name' | 'member_id' | 'contact_id'>

/** The talk time of each speaker, by key: what overlaps counts once. As the server counts it. */
export function talkTimes(segments: readonly Segment[]): Map<string | null, number> {
  const talks = new Map<string | null, number>()
  const heard = new Map<string | null, number>()
  for (const { speaker, start_ms, end_ms } of segments) {
    const until = heard.get(speaker) ?? 0
    if (end_ms <= until) continue
    talks.set(speaker, (talks.get(speaker) ?? 0) + end_ms - Math.max(start_ms, until))
    heard.set(speaker, end_ms)
  }
  return talks
}

/** Whether nobody has said yet who it is: files call such a voice by a number. */
export const isUnknown = ({ key, name, member_id, contact_id }: Speaker): boolean =>
  member_id === null && contact_id === null && (name === null || name === key)

export const named = (before: Transcript, key: string, who: Who): Transcript => ({
  ...before,
  speakers: before.speakers.map((each) => (each.key === key ? { ...each, ...who } : each)),
})

/** Two speakers are one: the name that somebody has given survives, whichever of them had it. */
export function merged(before: Transcript, from: string, to: string): Transcript {
  const [gone, kept] = [from, to].map((key) => before.speakers.find((each) => each.key === key))
  if (!gone || !kept || from === to) return before
  const known = isUnknown(kept) ? gone : kept
  const { name, member_id, contact_id } = known
  return {
    ...before,
    speakers: before.speakers.flatMap((each) =>
      each.key === from ? [] : each.key === to ? [{ ...each, name, member_id, contact_id }] : [each],
    ),
    segments: before.segments.map((each) => (each.speaker === from ? { ...each, speaker: to } : each)),
  }
}

/** One line is somebody else's; the others stay. */
export const given = (before: Transcript, index: number, speaker: string | null): Transcript => ({
  ...before,
  segments: before.segments.map((each) => (each.index === index ? { ...each, speaker } : each)),
})

const SHADES = 6

/** By the order in which they stand: the same everywhere on the page. */
export function shadeOf(speakers: readonly Speaker[], key: string | null): string {
  const at = speakers.findIndex((each) => each.key === key)
  return at < 0 ? 's0' : `s${(at % SHADES) + 1}`
}
