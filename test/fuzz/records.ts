import { matches, queryOf, wordsOf } from '../../src/lib/words.ts'
import type { Said } from './captions.ts'
import type { Operation } from './document.ts'
import { ENROLLED, ENROLLMENT, PERFORMANCE, SEQUENCE } from './figures.ts'
import { type Answer, jsonOf, type Request } from './request.ts'

// What an answer has to be beyond its schema: what the fields of a record say together, and what other forms have in them.

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON of every shape
type Any = any

/** The items of a page: of a list, or of a record that is answered page by page. */
export function pageOf(operation: Operation | undefined, body: Any): Any[] | undefined {
  const isPage = operation?.method === 'GET' && operation.query.some(({ name }) => name === 'cursor')
  return isPage ? (body?.data ?? body?.segments) : undefined
}

export type Rule = [what: string, isWrong: (record: Any) => boolean]

/** By the name of the record in the document. */
const RECORDS: Record<string, Rule[]> = {
  Conversation: [
    ['closed without closed_at, or the other way', (one) => (one.status === 'closed') !== (one.closed_at !== null)],
    ['snoozed without an end, or the other way', (one) => (one.status === 'snoozed') !== (one.snoozed_until !== null)],
    ['closed, and yet somebody waits', (one) => one.status === 'closed' && one.waiting_since !== null],
    ['somebody waits since after the last message', (one) => one.waiting_since > one.last_message_at],
    ['an answer after the last message', (one) => one.first_response_at > one.last_message_at],
    [
      'a breach without the status, or the other way',
      ({ sla }) => (sla.status === 'breached') !== sla.breaches.length > 0,
    ],
    ['a promise of no policy', ({ sla }) => sla.policy_id === null && sla.status === 'ok'],
    ['a breach before its time', ({ sla }) => sla.breaches.some((one: Any) => one.breached_at < one.due_at)],
  ],
  Message: [
    ['received, and yet not inbound', (one) => (one.direction === 'inbound') !== (one.status === 'received')],
    ['failed without an error', (one) => one.status === 'failed' && one.error === null],
    ['queued, and no email', (one) => one.status === 'queued' && one.channel !== 'email'],
    ['queued for nobody', (one) => one.status === 'queued' && [...one.to, ...one.cc, ...one.bcc].length === 0],
    ['of a sequence, and yet not outbound', (one) => one.enrollment_id !== null && one.direction !== 'outbound'],
    ['a note that has another status', (one) => one.direction === 'note' && one.status !== 'sent'],
    [
      'another author than the direction says',
      (one) => (one.author.type === 'contact') !== (one.direction === 'inbound'),
    ],
    // What was held is sent later.
    ['sent after it was made', (one) => one.sent_at > one.created_at && one.direction !== 'outbound'],
    ['held, and yet not queued', (one) => one.send_at !== null && one.status !== 'queued'],
    ['data of another length', (one) => one.attachments.some(isOtherLength)],
    ['code in the HTML', ({ body_html }) => /<script/i.test(body_html ?? '')],
  ],
  Meeting: [
    ['an end that is not after its start', (one) => one.starts_at >= one.ends_at],
    ['two organizers', (one) => one.participants.filter(({ role }: Any) => role === 'organizer').length > 1],
    ['a participant who is nobody', (one) => one.participants.some((each: Any) => isNobody(each))],
    ['a participant who is two', (one) => one.participants.some((each: Any) => each.contact_id && each.member_id)],
  ],
  Transcript: [
    ['more talk than time', (one) => one.speakers.some(({ talk_ms }: Any) => talk_ms > one.duration_ms)],
    ['a segment behind the end', (one) => one.segments.some(({ end_ms }: Any) => end_ms > one.duration_ms)],
    ['a segment that ends before it starts', (one) => one.segments.some((each: Any) => each.end_ms < each.start_ms)],
    ['segments out of order', ({ segments }) => !isAscending(segments, 'start_ms') || !isAscending(segments, 'index')],
    ['a speaker of nobody', ({ segments, speakers }) => hasStranger(segments, speakers)],
  ],
  Hours: [
    ['open and yet to be opened before it closes', (one) => one.is_open && one.next_open_at < one.next_close_at],
    ['closed and yet to be closed before it opens', (one) => !one.is_open && one.next_close_at < one.next_open_at],
  ],
}
Object.assign(RECORDS, { Enrollment: ENROLLMENT, Sequence: SEQUENCE, SequencePerformance: PERFORMANCE })
/** The answer of a PUT is the same record with all of its segments. */
RECORDS.ReplaceTranscriptAnswer = RECORDS.Transcript!

const isOtherLength = ({ data, size_bytes }: Any): boolean =>
  data !== undefined && Buffer.byteLength(data, 'base64') !== size_bytes
// A contact that was deleted leaves its name, perhaps no email.
const isNobody = ({ contact_id, member_id, email, name }: Any): boolean => !contact_id && !member_id && !email && !name
const isAscending = (all: Any[], by: string): boolean =>
  all.every((each, at) => at === 0 || each[by] >= all[at - 1][by])

function hasStranger(segments: Any[], speakers: Any[]): boolean {
  const keys = new Set([null, ...speakers.map(({ key }) => key)])
  return segments.some(({ speaker }) => !keys.has(speaker))
}

/** What is wrong with the records of an answer. */
export function recordFaults(operation: Operation | undefined, body: Any): string[] {
  const rules = body.skipped ? ENROLLED : (RECORDS[operation?.shows ?? ''] ?? [])
  const records: Any[] = operation?.isList ? (body.data ?? []) : [body]
  return rules
    .filter(([, isWrong]) => records.some((record) => isWrong(record)))
    .map(([what]) => `the record says what cannot be: ${what}`)
}

/** A page of the segments of a transcript: without a gap, or those that are asked for. */
export function partFaults({ operation, target }: Request, body: Any): string[] {
  const segments = body?.segments as Any[] | undefined
  if (operation?.method !== 'GET' || !segments) return []
  const query = new URLSearchParams(target.split('?')[1])
  const [q, limit] = [query.get('q'), Number(query.get('limit') ?? 50)]
  const said: string[] = []
  if (body.next_cursor !== null && segments.length !== limit)
    said.push(`a page of ${segments.length} with the limit ${limit}, and yet there is a next one`)
  if (q === null) {
    const [first = 0] = segments.map(({ index }) => index)
    if (segments.some(({ index }, at) => index !== first + at)) said.push('a page with a gap')
    if (!query.has('cursor') && first !== 0) said.push(`a first page that begins at ${first}`)
    return said
  }
  const asked = queryOf(q)
  const wrong = segments.find(({ text }) => !matches(wordsOf([text]).join(' '), asked))
  if (wrong) said.push(`the segment ${wrong.index} has not what q asks for`)
  return said
}

/** A file of captions was read as it was meant. */
export function saidFaults(meant: Said[], body: Any): string[] {
  const read = body?.segments as Any[] | undefined
  if (read?.length !== meant.length) return [`${meant.length} segments were sent, and ${read?.length} read`]
  const at = meant.findIndex((each, index) =>
    (['speaker', 'start_ms', 'end_ms', 'text'] as const).some((name) => each[name] !== read[index][name]),
  )
  if (at < 0) return []
  return [`the segment ${at} was meant as ${JSON.stringify(meant[at])} and read as ${JSON.stringify(read[at])}`]
}

/** The files of a new message have the length of what was sent. */
export function fileFaults(request: Request, body: Any): string[] {
  const sizes = request.uploaded?.sizes ?? []
  const inJson = ((jsonOf(request) as Any)?.attachments ?? []).map(({ data }: Any) => Buffer.byteLength(data, 'base64'))
  const sent = [...inJson, ...sizes]
  const shown = body.attachments.map(({ size_bytes }: Any) => size_bytes)
  return sent.join() === shown.join() ? [] : [`files of ${sent} bytes were sent, and ${shown} are shown`]
}

const FORMS: Record<string, (text: string) => string | undefined> = {
  'text/vtt': (text) => (text.startsWith('WEBVTT\n') ? undefined : 'does not begin with WEBVTT'),
  'application/x-subrip': (text) => {
    const blocks = text.split(/\n\n/).filter((block) => block !== '')
    const wrong = blocks.findIndex((block, at) => !block.startsWith(`${at + 1}\n`) || !SRT_TIMES.test(block))
    return wrong < 0 ? undefined : `has a block ${wrong + 1} that is none`
  },
  'text/plain': (text) => (/\n\n\n/.test(text) ? 'has two empty lines in a row' : undefined),
  'text/calendar': (text) => {
    if (!text.startsWith('BEGIN:VCALENDAR\r\n') || !text.trimEnd().endsWith('END:VCALENDAR')) return 'is no calendar'
    const lines = text.trimEnd().split('\r\n')
    if (lines.some((line) => /[\r\n]/.test(line))) return 'has another end of a line'
    if (lines.some((line) => Buffer.byteLength(line) > 75)) return 'has a line of more than 75 octets'
    return lines.filter((line) => line === 'BEGIN:VEVENT').length === 1 ? undefined : 'has not one event'
  },
}
const SRT_TIMES = /^\d+\n\d\d:\d\d:\d\d,\d{3} --> \d\d:\d\d:\d\d,\d{3}\n/

/** Another form of a record: whole, as text, and without an entity tag. */
export function formFaults(form: string, { method }: Request, { headers, body }: Answer): string[] {
  const said: string[] = []
  if (headers['content-type'] !== `${form}; charset=utf-8`) said.push(`${form} as ${headers['content-type']}`)
  if (headers.etag !== undefined) said.push(`an ETag ${headers.etag} of ${form}`)
  if (headers.link !== undefined) said.push(`a Link of ${form}`)
  if (!headers.vary?.split(/, */).includes('Accept')) said.push(`Vary is ${headers.vary}`)
  if (body.includes('\0') || !body.isWellFormed()) said.push('a text with NUL or half of a surrogate pair')
  const wrong = method === 'HEAD' ? undefined : FORMS[form]?.(body)
  return wrong ? [...said, `the ${form} ${wrong}`] : said
}
