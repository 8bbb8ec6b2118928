import * as v from 'valibot'
import { badQuery } from '../http/query.ts'
import type { Segment as Said } from '../lib/captions/captions.ts'
import * as f from '../lib/fields.ts'
import * as c from '../store/rows/columns.ts'
import { MAX_SEGMENTS, Segment, SegmentsGiven } from './segments.ts'
import { MAX_SPEAKERS, Speaker, SpeakerGiven } from './speakers.ts'

// 1. The wire form.

const language = f.doc(f.nullable(f.language), 'Language of the transcript, for example "en" or "pt-BR".')
const source = f.doc(f.nullable(f.line()), 'Source of the transcript, for example "zoom".')

export const Transcript = f.doc(
  f.object({
    id: f.id,
    meeting_id: f.doc(f.id, 'The meeting of the transcript.'),
    language,
    source,
    speakers: f.doc(v.array(Speaker), 'Speakers of the transcript.'),
    segments: f.doc(v.array(Segment), 'A page of the segments, in the order of their start.'),
    next_cursor: f.doc(v.nullable(v.string()), 'The cursor of the next page of segments; null on the last page.'),
    duration_ms: f.doc(f.count(), 'Latest end of a segment.'),
    word_count: f.doc(f.count(), 'Number of words, separated by white space.'),
    mended: f.optional(
      f.doc(
        v.array(v.string()),
        'In the answer to PUT of a caption file: what was mended in it, by lines, as in "Line 5: a comma stands for the point."; at most 20 of them and a line with the number of the rest. Empty if the file was as it should be; omitted everywhere else.',
      ),
    ),
    ...f.recordFields,
  }),
  'A transcript is the text of a meeting, with speakers and times. A meeting has at most one.',
)
/** As it is stored and read. */
export type Transcript = Omit<v.InferOutput<typeof Transcript>, 'mended'>

export const TranscriptPut = f.object({
  language: f.optional(language),
  source: f.optional(source),
  speakers: f.optional(
    f.doc(f.arrayOf(SpeakerGiven, MAX_SPEAKERS), 'Speakers; if omitted, those that the segments name.'),
  ),
  segments: f.doc(SegmentsGiven, `Up to ${MAX_SEGMENTS} segments. They may overlap.`),
})
export type TranscriptPut = v.InferOutput<typeof TranscriptPut>

/** Reads the parameter of GET. Throws 400. */
export function readQ(q: string | undefined): string | undefined {
  if (q === undefined || v.is(f.line(), q)) return q
  throw badQuery('The parameter "q" must be a text of at most 255 characters.')
}

// 2. The row.

const ofMeeting = {
  id: c.plain('id'),
  meeting_id: c.plain('meeting_id'),
  language: c.plain('language'),
  source: c.text('source'),
  speakers: c.json('speakers'),
}
const summed = {
  duration_ms: c.integer('duration_ms'),
  word_count: c.integer('word_count'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
}
/** JSON text that is inserted into the row: a page of segments. */
const inserted = { name: '', sql: 'NULL', json: (text: never) => text ?? '[]', store: () => null, isComputed: true }

export const columns = c.columns<Transcript>({ ...ofMeeting, segments: inserted, next_cursor: c.computed(), ...summed })
export const SEGMENTS = Object.keys(Transcript.entries).indexOf('segments')
export const NEXT_CURSOR = SEGMENTS + 1

/** All stored columns except the segments: those of an export. */
export const exported = c.columns<Stored>({ ...ofMeeting, words: c.text('words'), ...summed })
export type Stored = Omit<Transcript, 'segments' | 'next_cursor'> & { words: string }

/** Returns the wire form with all segments. */
export function whole(
  { words, id, meeting_id, language, source, speakers, ...rest }: Stored,
  said: Said[],
): Transcript {
  const segments = said.map((segment, index) => ({ index, ...segment }))
  return { id, meeting_id, language, source, speakers, segments, next_cursor: null, ...rest }
}
