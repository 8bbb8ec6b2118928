import * as v from 'valibot'
import { LAST_MS, type Segment as Said } from '../lib/captions/captions.ts'
import * as f from '../lib/fields.ts'
import { queryOf, wordsOf } from '../lib/words.ts'
import type { SqlPart } from '../store/list/conditions.ts'
import * as c from '../store/rows/columns.ts'
import type { Database } from '../store/sqlite/driver.ts'
import { statements } from '../store/sqlite/statements.ts'

// The segments of a transcript.

export const MAX_SEGMENTS = 20_000

const fields = {
  speaker: f.doc(f.nullable(f.title), 'Key of the speaker; null if unknown.'),
  start_ms: f.doc(f.count(LAST_MS), 'Start of the segment, in milliseconds from the beginning of the recording.'),
  end_ms: f.doc(f.count(LAST_MS), 'End of the segment, not before `start_ms`.'),
  text: f.doc(
    v.pipe(
      f.longText(),
      v.check((text) => text.trim() !== '', 'empty|must not be empty'),
      v.metadata({ minLength: 1 }),
    ),
    'Text of the segment.',
  ),
}

export const Segment = f.named(
  'TranscriptSegment',
  f.object({ index: f.doc(f.count(), 'Position of the segment, starting at 0.'), ...fields }),
)
const SegmentGiven = f.named(
  'TranscriptSegmentInput',
  f.object({ ...fields, speaker: v.exactOptional(fields.speaker, null) }),
)
export type Segment = v.InferOutput<typeof Segment>

export const SegmentsGiven = v.pipe(
  f.arrayOf(SegmentGiven, MAX_SEGMENTS),
  v.examples([[{ speaker: null, start_ms: 0, end_ms: 2400, text: 'Good morning.' }]]),
)

const columns = c.columns<Segment>({
  index: c.integer('position'),
  speaker: c.text('speaker'),
  start_ms: c.integer('start_ms'),
  end_ms: c.integer('end_ms'),
  text: c.text('text'),
})

/** The columns of an export. */
export const exportedSegments = c.columns<Said & { transcript_id: string; position: number }>(
  {
    transcript_id: c.plain('transcript_id'),
    position: c.integer('position'),
    speaker: c.text('speaker'),
    start_ms: c.integer('start_ms'),
    end_ms: c.integer('end_ms'),
    text: c.text('text'),
  },
  { words: ({ text }) => wordsOf([text]).join(' ') },
)

type Row = [position: number, speaker: string | null, start_ms: number, end_ms: number, text: string]

/** A page as JSON text, and the index of its last segment if more follow. */
export type SegmentPage = { json: string; last: number | null }

/** The segments of transcripts, in the order of their start. */
export function segmentRows(db: Database) {
  const prepare = statements(db)
  const from = `SELECT ${columns.select} FROM transcript_segments WHERE org_id = ? AND transcript_id = ?`
  const every = db.prepare(`${from} ORDER BY position`).raw()
  const forget = db.prepare('DELETE FROM transcript_segments WHERE org_id = ? AND transcript_id = ?')
  const insert = db.prepare(
    `INSERT INTO transcript_segments (org_id, transcript_id, position, speaker, start_ms, end_ms, text, words)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )

  /** Reads the segments after an index; with `q`, those in which each of its words begins a word. */
  function read(org: number, id: string, after: number, limit: number, q?: string): SegmentPage {
    const test = q === undefined ? { sql: '', values: [] } : testOf(q)
    const statement = prepare(`${from} AND position > ?${test.sql} ORDER BY position LIMIT ?`)
    const rows = statement.all(org, id, after, ...test.values, limit + 1) as Row[]
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? (shown.at(-1) as Row)[0] : null
    return { json: `[${shown.map(columns.json).join(',')}]`, last }
  }

  function all(org: number, id: string): Said[] {
    return (every.all(org, id) as Row[]).map(([, speaker, start_ms, end_ms, text]) => ({
      speaker,
      start_ms,
      end_ms,
      text,
    }))
  }

  /** Whether the stored segments equal the given ones. */
  function are(org: number, id: string, given: readonly Said[]): boolean {
    const rows = every.all(org, id) as Row[]
    return rows.length === given.length && rows.every((row, at) => isSame(row, given[at] as Said))
  }

  /** `words` are the words of each segment. */
  function replace(org: number, id: string, given: readonly Said[], words: readonly string[][]): void {
    forget.run(org, id)
    given.forEach(({ speaker, start_ms, end_ms, text }, at) => {
      insert.run(org, id, at, speaker, start_ms, end_ms, text, words[at]?.join(' '))
    })
  }

  return { read, all, are, replace }
}

/** The most distinct words by which a meeting can be found; the longest talks have some 5,000. */
const MAX_WORDS = 20_000

/** The distinct words of all segments, up to that limit. */
export function foundBy(words: readonly string[][]): string[] {
  const found = new Set<string>()
  for (const each of words) {
    for (const word of each) found.add(word)
    if (found.size >= MAX_WORDS) break
  }
  return [...found].slice(0, MAX_WORDS)
}

/** Does not use has_words: a function in TypeScript takes three times as long, which is 20 ms for 20,000 segments. */
function testOf(q: string): SqlPart {
  const query = queryOf(q)
  if (query.length === 0) return { sql: ' AND FALSE', values: [] }
  const alternatives = query.map((words) => words.map(() => "instr(' ' || words, ?) > 0").join(' AND '))
  return { sql: ` AND (${alternatives.join(' OR ')})`, values: query.flat().map((word) => ` ${word}`) }
}

const isSame = ([, speaker, start_ms, end_ms, text]: Row, given: Said): boolean =>
  speaker === given.speaker && start_ms === given.start_ms && end_ms === given.end_ms && text === given.text
