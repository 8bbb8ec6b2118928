import { type Deps, once } from '../deps.ts'
import type { Caller } from '../lib/caller.ts'
import { matches, type Query, queryOf, wordsOf } from '../lib/words.ts'
import { columns as meetingColumns } from './meeting.ts'
import { meetingStore } from './meetings.ts'
import { type Segment, segmentRows } from './segments.ts'

/** Where in a meeting a search has found something: in what was said, at a time of the transcript, or in another text. */
export type MeetingHit = { meeting_id: string; text: string; start_ms: number | null; speaker: string | null }

/** Of a line that is longer, what is around the hit. */
const MAX_LINE = 160
const BEFORE = 40

/** Says why meetings were found. */
export const meetingHits = once((deps: Deps) => {
  const { db } = deps
  const { find } = meetingStore(deps)
  const segments = segmentRows(db)
  const exists = db.prepare('SELECT 1 FROM meetings WHERE org_id = ? AND id = ?').pluck()
  const transcriptOf = db.prepare('SELECT id, speakers FROM transcripts WHERE org_id = ? AND meeting_id = ?')

  /** For each of the meetings the line that has all words, or the longest of them; those whose title has them all are left out. */
  function hitsIn(who: Caller, ids: readonly string[], q: string): MeetingHit[] {
    const query = queryOf(q)
    if (query.length === 0) return []
    return ids.flatMap((id) => {
      if (exists.get(who.org, id) === undefined) return []
      const hit = hitIn(who, id, q, query)
      return hit ? [hit] : []
    })
  }

  function hitIn(who: Caller, id: string, q: string, query: Query): MeetingHit | undefined {
    const { title, description, location, summary, participants } = meetingColumns.present(find(who, id))
    if (isIn(title, query)) return undefined
    const said = saidIn(who.org, id, q, query)
    if (said) return said
    const people = participants.map(({ name, email }) => [name, email].filter(Boolean).join(' '))
    const lines = [summary, description, location].flatMap((text) => text?.split('\n') ?? [])
    const found =
      [...lines, ...people].find((line) => isIn(line, query)) ??
      [...lines, ...people].find((line) =>
        isIn(
          line,
          query.flat().map((word) => [word]),
        ),
      )
    return found === undefined
      ? undefined
      : { meeting_id: id, text: around(found, query.flat()), start_ms: null, speaker: null }
  }

  function saidIn(org: number, id: string, q: string, query: Query): MeetingHit | undefined {
    const words = query.flat()
    const transcript = transcriptOf.get(org, id) as { id: string; speakers: string } | undefined
    if (!transcript) return undefined
    // What was said across two lines is found by its longest word.
    const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '')
    for (const asked of [q, longest]) {
      const [first] = JSON.parse(segments.read(org, transcript.id, -1, 1, asked).json) as Segment[]
      if (!first) continue
      const speakers = JSON.parse(transcript.speakers) as { key: string; name: string | null }[]
      const name = speakers.find(({ key }) => key === first.speaker)?.name ?? null
      return { meeting_id: id, text: around(first.text, words), start_ms: first.start_ms, speaker: name }
    }
    return undefined
  }

  return { hitsIn }
})

const isIn = (text: string, query: Query): boolean => matches(wordsOf([text]).join(' '), query)

/** The part of a line around the first of the words. */
function around(text: string, words: readonly string[]): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length <= MAX_LINE) return line
  const lower = line.toLowerCase()
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0)
  const from = Math.max(0, Math.min(...(places.length > 0 ? places : [0])) - BEFORE)
  const start = from === 0 ? 0 : line.indexOf(' ', from) + 1
  const cut = line.slice(start, start + MAX_LINE).toWellFormed()
  return `${start > 0 ? '…' : ''}${cut}${start + MAX_LINE < line.length ? '…' : ''}`
}
