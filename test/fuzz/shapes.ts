import { htmlText } from './html.ts'
import { reference, type Sketch } from './values.ts'

// What fields of a body say together, which a schema has no word for: drawn one by one, hardly any body would be taken.

type Any = Record<string, unknown>
type Shape = (sketch: Sketch, body: Any) => void

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** In a hundred; the others stay as they were drawn. */
const SHAPED = 88

/** Makes a body of the operation out of one that only the schema allows. */
export function shape(sketch: Sketch, operation: string, body: Any): void {
  const isShaped = sketch.draw.chance(SHAPED)
  if (isShaped) SHAPES[operation]?.(sketch, body)
}

const SHAPES: Record<string, Shape> = {
  createMeeting: (sketch, body) => {
    meetInTime(body)
    body.participants &&= body.participants === null ? [] : takePart(sketch, body.participants as Any[])
  },
  updateMeeting: (sketch, body) => {
    meetInTime(body)
    if (Array.isArray(body.participants)) body.participants = takePart(sketch, body.participants as Any[])
  },
  replaceTranscript: transcript,
  updateConversation: conversation,
  createMessage: message,
  createEnrollment: enrollment,
}

/** A time some way from now. */
const at = ({ now }: Sketch, ms: number): string => new Date(now + ms).toISOString()

function meetInTime(body: Any): void {
  const { starts_at: starts, ends_at: ends } = body
  if (typeof starts !== 'string' || typeof ends !== 'string') return
  if (Date.parse(starts) > Date.parse(ends)) Object.assign(body, { starts_at: ends, ends_at: starts })
}

/** Each known by one thing, and one of them the organizer at most. */
function takePart(sketch: Sketch, participants: Any[]): Any[] {
  const organizer = sketch.draw.below(8)
  return participants.map(({ contact_id, member_id, email, ...rest }, index) => {
    const own = contact_id ? { contact_id } : member_id ? { member_id } : { email: email ?? `p${index}@x.example` }
    return { ...rest, ...own, role: index === organizer ? 'organizer' : 'attendee' }
  })
}

function transcript(sketch: Sketch, body: Any): void {
  const { draw } = sketch
  const [keepsSpeakers, isPlain, way, many] = [draw.chance(50), draw.chance(70), draw.below(1000), draw.below(400)]
  const speakers = (body.speakers ?? []) as Any[]
  const byKey = new Map(speakers.map((each) => [String(each.key).normalize('NFC'), asGiven(each)]))
  if (keepsSpeakers) body.speakers = [...byKey.values()]
  else delete body.speakers
  const keys = [...byKey.keys(), null]
  const drawn = ((body.segments ?? []) as Any[]).map(({ index: _, ...each }, index): Any => {
    const times = [each.start_ms, each.end_ms].map((ms) => (typeof ms === 'number' ? ms : 0))
    const [start_ms, end_ms] = (isPlain ? times.map(plainMs) : times).sort((one, other) => one - other)
    const speaker = keepsSpeakers ? keys[index % keys.length] : each.speaker
    return { ...each, start_ms, end_ms, ...(speaker === undefined ? {} : { speaker }) }
  })
  body.segments = drawn
  if (drawn.length === 0 || way >= 100) return
  // As long as a talk; seldom as long as one may be, or longer.
  const length = way < 8 ? 20_000 : way < 12 ? 20_001 : way < 20 ? 1000 + many : many
  body.segments = Array.from({ length }, (_, index) => ({ ...drawn[index % drawn.length] }))
}

const LAST_MS = 359_999_999
const plainMs = (ms: number): number => Math.floor(Math.min(Math.abs(ms), LAST_MS))

/** One of an answer is no more than was given. */
function asGiven({ talk_ms: _, member_id, contact_id, ...rest }: Any): Any {
  return { ...rest, ...(contact_id ? { contact_id } : { member_id: member_id ?? null }) }
}

function conversation(sketch: Sketch, body: Any): void {
  const { draw } = sketch
  const [ahead, ago, isUnread] = [200 + draw.below(2500), draw.below(4), draw.chance(20)]
  if (body.status === 'snoozed') body.snoozed_until = at(sketch, ahead)
  else delete body.snoozed_until
  if ('read_at' in body) body.read_at = isUnread ? null : at(sketch, -ago * ago * MINUTE_MS)
}

/** Into a conversation, or by somebody who opens one. */
function message(sketch: Sketch, body: Any): void {
  const { draw } = sketch
  const [way, isNow, ago, isDay] = [draw.below(100), draw.chance(65), draw.below(90_000), draw.chance(20)]
  const contactId = reference(sketch, 'contact_id')
  // Also one that a sequence writes in, which few lists show.
  const [isSeen, seen] = [draw.chance(25), sketch.observed.value('conversation_id', draw.below(1 << 20))]
  const known = reference(sketch, 'conversation_id')
  const conversationId = isSeen && typeof seen === 'string' ? seen : known
  const channel = draw.one(['email', 'chat', 'sms', 'phone', 'other'])
  const [isKnown, externalId] = [draw.chance(30), `<m${draw.below(60)}@x.example>`]
  const html = htmlText(draw)
  const { from, contact_id, conversation_id, channel: _, subject, ...rest } = body as { from?: Any } & Any
  for (const name of Object.keys(body)) delete body[name]
  Object.assign(body, rest)
  if (way < 65 || rest.direction === 'note') {
    body.conversation_id = conversationId
    if (rest.direction === 'inbound' && from && way % 2) body.from = reachable(from, way)
  } else {
    Object.assign(body, { channel, ...(subject === undefined ? {} : { subject }) })
    if (rest.direction === 'inbound' && way < 85) body.from = reachable(from ?? {}, way)
    else body.contact_id = contactId
  }
  if (isNow) delete body.sent_at
  else body.sent_at = at(sketch, -ago - (isDay ? DAY_MS : 0))
  if (typeof body.body_html === 'string' && way % 3) body.body_html = html
  if (Array.isArray(body.attachments))
    body.attachments = body.attachments.map(({ id: _, size_bytes: __, data = '', ...each }: Any) => ({ ...each, data }))
  if (isKnown) body.external_id = externalId // which another message of the channel may have
  if (!body.body_text && !body.body_html) body.body_text = `Hello ${way}`
}

/** One contact, several, or a list; mostly at once, so that something happens while it is fuzzed. */
function enrollment(sketch: Sketch, body: Any): void {
  const { draw } = sketch
  const [way, hasStart, ahead] = [draw.below(100), draw.chance(25), draw.below(8000)]
  const contacts = Array.from({ length: 1 + draw.below(4) }, () => reference(sketch, 'contact_id'))
  const [sequenceId, listId] = [reference(sketch, 'sequence_id'), reference(sketch, 'list_id')]
  const several = way < 3 ? Array(101).fill(contacts[0]) : [...new Set(contacts)]
  const { contact_id, contact_ids, list_id, start_at, deal_id, sender_id, ...rest } = body
  for (const name of Object.keys(body)) delete body[name]
  // Most are about no deal, so that one that is closed does not end them all.
  Object.assign(body, rest, { sequence_id: sequenceId }, way % 4 === 0 ? { deal_id } : {}, way % 3 ? {} : { sender_id })
  if (way < 55) body.contact_id = contacts[0]
  else if (way < 90) body.contact_ids = several
  else body.list_id = listId
  if (hasStart) body.start_at = at(sketch, ahead - 1000)
}

const reachable = (from: Any, way: number): Any =>
  from.email || from.phone ? from : { ...from, email: `sender${way}@x.example` }
