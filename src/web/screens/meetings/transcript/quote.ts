import { whole } from '../../../lib/base.ts'
import { clockOf } from './clock.ts'
import { timeIn } from './search.ts'
import type { Segment, Transcript } from './types.ts'

/** What somebody said, and where. */
export type Quote = { text: string; name: string | null; ms: number }

export const nameOfSpeaker = ({ speakers }: Transcript, key: string | null): string | null => {
  const speaker = speakers.find((each) => each.key === key)
  return speaker ? (speaker.name ?? speaker.key) : key
}

/** The address of a second of a meeting. */
export const addressAt = (meeting: string, ms: number): string => `/meetings/${meeting}#t=${Math.floor(ms / 1000)}`

/** What is chosen on the page, from where it begins; without a choice, the segment. */
export function quoteOf(transcript: Transcript, at: Segment): Quote {
  const chosen = chosenText()
  if (!chosen) return { text: at.text, name: nameOfSpeaker(transcript, at.speaker), ms: at.start_ms }
  const first = transcript.segments[chosen.index] ?? at
  return { text: chosen.text, name: nameOfSpeaker(transcript, first.speaker), ms: timeIn(first, chosen.from) }
}

function chosenText(): { text: string; index: number; from: number } | undefined {
  const selection = getSelection()
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return undefined
  const range = selection.getRangeAt(0)
  const rows = [...document.querySelectorAll<HTMLElement>('.segment .words')].filter((words) =>
    range.intersectsNode(words),
  )
  const parts = rows.map((words) => {
    const part = document.createRange()
    part.selectNodeContents(words)
    if (words.contains(range.startContainer)) part.setStart(range.startContainer, range.startOffset)
    if (words.contains(range.endContainer)) part.setEnd(range.endContainer, range.endOffset)
    return part.toString()
  })
  const text = parts.join(' ').replace(/\s+/g, ' ').trim()
  const [first] = rows
  if (text === '' || !first) return undefined
  const before = document.createRange()
  before.selectNodeContents(first)
  if (first.contains(range.startContainer)) before.setEnd(range.startContainer, range.startOffset)
  else before.collapse(true)
  const index = Number(first.closest<HTMLElement>('.segment')?.dataset.segment)
  return { text, index, from: before.toString().length }
}

/** In Markdown, with a link back to the second. */
export function markdownOf(meeting: string, { text, name, ms }: Quote): string {
  const lines = text.split('\n').map((line) => `> ${line}`)
  const place = `[${clockOf(ms)}](${whole(addressAt(meeting, ms))})`
  return `${lines.join('\n')}\n\n${name ? `${name}, ` : ''}${place}\n\n`
}

/** As text, for a task: it names the place, and opens it. */
export const textOf = (meeting: string, { text, name, ms }: Quote): string =>
  `“${text}”\n${name ? `${name}, ` : ''}${clockOf(ms)}: ${whole(addressAt(meeting, ms))}`
