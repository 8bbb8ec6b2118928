import { type Deps, once } from '../deps.ts'
import { changeRoute, type RecordQuery, type Rendered, type Route } from '../http/route.ts'
import type { Caller } from '../lib/caller.ts'
import { type Captions, type Segment as Said, speakersOf as voicesOf } from '../lib/captions/captions.ts'
import { decodeCaptions } from '../lib/captions/decode.ts'
import { writeText } from '../lib/captions/plain.ts'
import { spokenBy } from '../lib/captions/spoken-by.ts'
import { writeSrt } from '../lib/captions/subrip.ts'
import { writeVtt } from '../lib/captions/webvtt.ts'
import { timeOfId } from '../lib/id.ts'
import { same } from '../lib/merge.ts'
import { field, invalid, notFound } from '../lib/problem.ts'
import { rfc3339 } from '../lib/time.ts'
import { wordsOf } from '../lib/words.ts'
import type { RawRow } from '../store/rows/columns.ts'
import { finder } from '../store/rows/find.ts'
import { links } from '../store/rows/links.ts'
import { rows } from '../store/rows/rows.ts'
import { type Meeting, columns as meetingColumns } from './meeting.ts'
import { meetingStore } from './meetings.ts'
import { foundBy, MAX_SEGMENTS, segmentRows } from './segments.ts'
import {
  contactsOf,
  MAX_SPEAKERS,
  membersOf,
  recognized,
  type Speaker,
  type SpeakerGiven,
  speakerReader,
  speakersOf,
  swapContact,
} from './speakers.ts'
import {
  columns,
  exported,
  NEXT_CURSOR,
  readQ,
  SEGMENTS,
  type Stored,
  Transcript,
  TranscriptPut,
  whole,
} from './transcript.ts'
import { ABOUT_FILES, CAPTION_FILES, fromForm, mendedIn, SRT, VTT } from './transcript-files.ts'

// The wire form and the row are in transcript.ts.

// 3. The statements and the rules.

/** What a PUT starts from: the meeting, and its transcript, if any; version 0 stands for none. */
type MeetingTranscript = { id: string; version: number; meeting: Meeting; stored: Stored | undefined }

/** A given transcript: without speakers if only the segments name them. */
type FoundTranscript = { speakers?: SpeakerGiven[]; segments: Said[] }

export const transcriptStore = once((deps: Deps) => {
  const { db, clock, outbox } = deps
  const meetings = meetingStore(deps)
  const segments = segmentRows(db)
  const people = speakerReader(db)
  const { insert, update, remove: removeRow } = rows(db, 'transcripts', exported)
  const byId = finder(db, 'transcripts', exported)
  const where = 'FROM transcripts WHERE org_id = ? AND meeting_id = ?'
  const rowOf = db.prepare(`SELECT ${columns.select} ${where}`).raw()
  const storedOf = db.prepare(`SELECT ${exported.select} ${where}`).raw()
  const ofContact = db
    .prepare('SELECT transcript_id FROM transcript_contacts WHERE org_id = ? AND contact_id = ?')
    .pluck()
  const setContacts = links(db, 'transcript_contacts', 'transcript_id', 'contact_id')
  const setMembers = links(db, 'transcript_members', 'transcript_id', 'member_id')

  /** Returns the transcript of a meeting. Throws 404. */
  function find(who: Caller, meetingId: string): RawRow {
    const row = rowOf.get(who.org, meetingId) as RawRow | undefined
    if (!row) throw notFound()
    return row
  }

  /** Throws 404 if there is no such meeting. */
  function place(who: Caller, meetingId: string): MeetingTranscript {
    const meeting = meetingColumns.present(meetings.find(who, meetingId))
    const row = storedOf.get(who.org, meetingId) as RawRow | undefined
    const stored = row && exported.present(row)
    return { id: stored?.id ?? meetingId, version: stored?.version ?? 0, meeting, stored }
  }

  /** Returns a page of the segments, or of those that `q` finds. */
  function show(who: Caller, row: RawRow, { given, limit, after, cursorAt }: RecordQuery): Rendered {
    const id = row[0] as string
    const { json, last } = segments.read(who.org, id, Number(after?.key ?? -1), limit, readQ(given.get('q')))
    const next = last === null ? null : cursorAt({ key: last, id })
    const shown = [...row]
    shown[SEGMENTS] = json
    shown[NEXT_CURSOR] = next
    return { json: columns.json(shown), next }
  }

  function captions(who: Caller, row: RawRow): Captions {
    const { id, speakers } = columns.present(row)
    return { speakers, segments: segments.all(who.org, id) }
  }

  /** Replaces the transcript of a meeting. A file identifies speakers by name. */
  function put(who: Caller, to: MeetingTranscript, given: TranscriptPut, isFile: boolean): Transcript {
    const { meeting, stored: before } = to
    const found = isFile ? transcriptOf(who, meeting, given.segments) : given
    check(who.org, found)
    const said = found.segments.toSorted((one, other) => one.start_ms - other.start_ms)
    const words = said.map(({ text }) => wordsOf([text]))
    const id = before?.id ?? clock.id()
    const after: Stored = {
      id,
      meeting_id: meeting.id,
      language: given.language ?? null,
      source: given.source ?? null,
      speakers: speakersOf(found.speakers, said),
      words: foundBy(words).join(' '),
      duration_ms: said.reduce((last, { end_ms }) => Math.max(last, end_ms), 0),
      word_count: said.reduce((sum, { text }) => sum + countWords(text), 0),
      created_at: before?.created_at ?? rfc3339(timeOfId(id)),
      updated_at: rfc3339(before ? clock.now() : timeOfId(id)),
      version: (before?.version ?? 0) + 1,
    }
    const isSaid = before !== undefined && segments.are(who.org, id, said)
    if (before && isSaid && WRITABLE.every((name) => same(before[name], after[name]))) return whole(before, said)
    write(who.org, before, after)
    if (!isSaid) segments.replace(who.org, id, said, words)
    meetings.transcriptChanged(who, meeting.id, true)
    tell(who, after, before)
    return whole(after, said)
  }

  /** Returns the content of a file, with speakers identified by the names of participants. */
  function transcriptOf({ org }: Caller, meeting: Meeting, given: Said[]): FoundTranscript {
    const there = people.peopleOf(org, meeting)
    const names = there.map(([name]) => name)
    const { speakers, segments } = spokenBy({ speakers: voicesOf(given), segments: given }, names)
    return { speakers: recognized(speakers, there), segments }
  }

  /** Throws 422 with a pointer for each violated rule. */
  function check(org: number, { speakers, segments }: FoundTranscript): void {
    const errors = speakers ? people.errorsIn(org, speakers) : []
    const keys = speakers && new Set(speakers.map(({ key }) => key))
    segments.forEach(({ speaker, start_ms, end_ms }, index) => {
      if (end_ms < start_ms)
        errors.push(field(`/segments/${index}/end_ms`, 'wrong_order', 'must not be before start_ms'))
      if (speaker !== null && keys && !keys.has(speaker))
        errors.push(field(`/segments/${index}/speaker`, 'unknown_speaker', 'must be the key of one of the speakers'))
    })
    if (segments.length > MAX_SEGMENTS)
      errors.push(field('/segments', 'too_many', `must have at most ${MAX_SEGMENTS} items`))
    // Speakers that were omitted or come from a file have not been counted yet.
    if (voicesOf(segments).length > MAX_SPEAKERS)
      errors.push(field('/segments', 'too_many_speakers', `must name at most ${MAX_SPEAKERS} speakers`))
    if (errors.length > 0) throw invalid(...errors.slice(0, MAX_ERRORS))
  }

  function write(org: number, before: Stored | undefined, after: Stored): void {
    if (before) update(org, before, after)
    else insert(org, after)
    const old = before?.speakers ?? []
    setContacts(org, after.id, contactsOf(old), contactsOf(after.speakers))
    setMembers(org, after.id, membersOf(old), membersOf(after.speakers))
  }

  function tell(who: Caller, { words, ...after }: Stored, before?: Stored): void {
    outbox.record(who, 'transcript.ready', after, before)
  }

  /** Inserts a transcript unchanged, without its segments and without an event. Its meeting must exist. */
  function restore(org: number, stored: Stored): void {
    write(org, undefined, stored)
    meetings.transcriptChanged({ org, member: null }, stored.meeting_id, true)
  }

  /** Changes the references of speakers exactly as given. */
  function relink(who: Caller, before: Stored, { speakers }: Pick<Stored, 'speakers'>): Stored {
    const after = { ...before, speakers, updated_at: rfc3339(clock.now()), version: before.version + 1 }
    write(who.org, before, after)
    tell(who, after, before)
    return after
  }

  /** Changes what was said, and by whom, for the erasure of a person. */
  function rewrite(
    who: Caller,
    id: string,
    edit: (before: Pick<Stored, 'speakers'> & { segments: Said[] }) => { speakers: Speaker[]; segments: Said[] },
  ): void {
    const before = exported.present(byId(who, id))
    const { speakers, segments: said } = edit({ speakers: before.speakers, segments: segments.all(who.org, id) })
    const words = said.map(({ text }) => wordsOf([text]))
    const after: Stored = {
      ...before,
      speakers,
      words: foundBy(words).join(' '),
      word_count: said.reduce((sum, { text }) => sum + countWords(text), 0),
      updated_at: rfc3339(clock.now()),
      version: before.version + 1,
    }
    write(who.org, before, after)
    segments.replace(who.org, id, said, words)
    meetings.transcriptChanged(who, after.meeting_id, true)
    tell(who, after, before)
  }

  /** Keeps the name of a contact that is being deleted as a speaker. */
  function clearContact(who: Caller, contactId: string): void {
    for (const id of ofContact.all(who.org, contactId) as string[]) {
      const before = exported.present(byId(who, id))
      relink(who, before, { speakers: swapContact(before.speakers, contactId, null) })
    }
  }

  function remove(who: Caller, { id, meeting_id }: Transcript): void {
    removeRow(who.org, id) // deletes its segments and its rows in the link tables, too
    meetings.transcriptChanged(who, meeting_id, false)
  }

  return { find, byId, place, show, captions, put, restore, relink, rewrite, clearContact, remove }
})

const MAX_ERRORS = 100
const WRITABLE = ['language', 'source', 'speakers'] as const

const countWords = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

// 4. The routes.

const MAX_BYTES = 8 * 1_048_576

export const transcripts = (deps: Deps): Route[] => {
  const { find, place, show, captions, put, remove } = transcriptStore(deps)
  const common = { path: '/meetings/:id/transcript', name: 'transcript' }
  return [
    {
      ...common,
      kind: 'read',
      method: 'get',
      scope: 'rest.meetings.transcript.read',
      summary: 'Get the transcript of a meeting',
      description: `Segments are paginated. As \`${VTT}\`, \`${SRT}\` or \`text/plain\`, the whole transcript is returned, without \`q\`, \`limit\` and \`cursor\`.`,
      columns,
      returns: Transcript,
      find,
      paged: true,
      parameters: {
        q: {
          schema: { type: 'string', maxLength: 255 },
          description:
            'Return only segments in which each of these words is the beginning of a word, ignoring case and accents.',
        },
      },
      show,
      forms: {
        [VTT]: (who, row) => writeVtt(captions(who, row)),
        [SRT]: (who, row) => writeSrt(captions(who, row)),
        'text/plain': (who, row) => writeText(captions(who, row)),
      },
    },
    {
      ...common,
      kind: 'write',
      method: 'put',
      scope: 'rest.meetings.transcript.write',
      operation: 'replaceTranscript',
      summary: 'Replace the transcript of a meeting',
      description: `Returns 200 even if there was no transcript before. The response contains all segments. ${ABOUT_FILES} The body can have up to 8 MiB.`,
      body: TranscriptPut,
      accepts: CAPTION_FILES,
      decode: decodeCaptions,
      form: { part: 'transcript', files: 'file', maxFiles: 1, read: fromForm },
      maxBytes: MAX_BYTES,
      maxItems: MAX_SEGMENTS,
      returns: Transcript,
      status: 200,
      find: place,
      prefetch: async (body) => mendedIn(body),
      run: ({ who, body, record, known }) => {
        const mended = known as string[] | undefined
        const transcript = put(who, record as MeetingTranscript, body, mended !== undefined)
        return mended ? { ...transcript, mended } : transcript
      },
    },
    changeRoute({
      ...common,
      method: 'delete',
      scope: 'rest.meetings.transcript.write',
      operation: 'deleteTranscript',
      summary: 'Delete the transcript of a meeting',
      description: 'The meeting remains, but its transcript can no longer be found by search.',
      find,
      columns,
      status: 204,
      run: ({ who, record }) => void remove(who, record),
    }),
  ]
}
