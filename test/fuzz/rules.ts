// biome-ignore lint/suspicious/noExplicitAny: bodies are JSON of every shape
type Any = any

/** Says of which values a rule may be said, as far as the value, its place and the whole body show it. */
type Rule = (value: unknown, pointer: string, body: Any) => boolean

const isAny: Rule = () => true
const isText: Rule = (value) => typeof value === 'string'
/** Which custom fields an org has, and of what types, is for the org to say. */
const isCustom: Rule = (_, pointer) => pointer.startsWith('/custom_fields/')
/** So is which fields a filter can look at, and what fits them. */
const isFilter: Rule = (_, pointer) => pointer.startsWith('/filter')
const isAt =
  (...pointers: string[]): Rule =>
  (_, pointer) =>
    pointers.includes(pointer)
const both =
  (...rules: Rule[]): Rule =>
  (value, pointer, body) =>
    rules.every((rule) => rule(value, pointer, body))
const either =
  (...rules: Rule[]): Rule =>
  (value, pointer, body) =>
    rules.some((rule) => rule(value, pointer, body))

/**
 * The rules of a body that JSON Schema has no word for: a body that the document allows may be refused by these, and by
 * no other. By the code of the field error.
 */
export const RULES: Record<string, Rule> = {
  // What the records of the org say.
  reference_not_found: isAny, // the id is deleted, of another org, or of another kind of record
  member_deactivated: isAny, // an owner has to be active
  stage_not_open: isAny, // a deal moves to open stages only
  reason_not_active: isAny, // a close reason that is not offered any more
  cycle: isAny, // a company would be above itself
  unknown_field: either(isCustom, isFilter),
  unknown_option: isCustom,
  not_unique: isCustom,
  invalid_type: isCustom, // each custom field has a type of its own
  invalid_id: isCustom,
  url_not_allowed: isText, // a webhook points to no private address
  wrong_object: isAt('/list_id'), // of companies, or of deals: only contacts are enrolled
  list_too_large: isAt('/list_id'),
  // What a contact says against being enrolled.
  do_not_contact: isAt('/contact_id'),
  unsubscribed: isAt('/contact_id'),
  no_email: isAt('/contact_id'),
  // No sequence takes a thousand years: its first step would come behind the last time that there is.
  out_of_range: (value, pointer) => pointer === '/start_at' && String(value) > '9000',
  // What several fields say together.
  no_link: isAny, // a note has to be about something
  more_than_one_primary: isAny, // of the emails, or of the phones
  repeated: isAny, // the same email, phone or option twice
  one_of: both(
    isAt(''),
    (_, __, { contact_id, contact_ids, list_id }) =>
      [contact_id, contact_ids, list_id].filter((each) => each !== undefined).length !== 1,
  ),
  contradiction: isAny, // an id that is to be put into a list and to be taken out of it
  not_smart: isFilter, // a static list has no filter
  not_for_type: isAny, // options, or is_unique, of a custom field whose type has none
  wrong_operator: isFilter,
  invalid_value: isFilter,
  too_deep: isFilter, // of a filter with more than five levels
  too_many: either(isFilter, isAt('/to', '/cc', '/bcc')), // conditions of a filter, in all of its branches; recipients
  // A custom field, the filter of a smart list, the value of most operators, options of a type that chooses.
  required: either(
    isCustom,
    isFilter,
    isAt('/options', '/from/email'),
    both(isAt('/send_at'), (_, __, { send_unless_reply }) => send_unless_reply === true),
    both(isAt('/to'), (_, __, { forwards_message_id }) => typeof forwards_message_id === 'string'),
    isRequired,
  ),
  // What goes with a message that opens a conversation, and with one that does not.
  not_inbound: both(isAt('/from', '/from/phone'), (_, __, { direction }) => direction !== 'inbound'),
  not_ours: both(isAt('/from/email'), (_, __, { direction }) => direction === 'outbound'),
  not_outbound_email: isAt('/to', '/cc', '/bcc', '/send_at', '/forwards_message_id'),
  // A message of another conversation, or a note.
  not_found: isAt('/forwards_message_id'),
  opening: both(isAt('/send_at'), (_, __, { conversation_id }) => conversation_id === undefined),
  sent_already: both(isAt('/send_at'), (_, __, { sent_at }) => sent_at !== undefined),
  too_late: both(isAt('/send_at'), isText, (value) => timeOf(value) > Date.now() + 300 * 86_400_000),
  not_opening: both(isAt('/contact_id', '/channel', '/subject'), (_, __, body) => body.conversation_id !== undefined),
  no_contact: both(
    isAt(''),
    (_, __, { conversation_id, contact_id, from, direction, channel }) =>
      conversation_id === undefined &&
      (contact_id === undefined) === (from === undefined || (direction === 'outbound' && channel === 'email')),
  ),
  too_large: both(isAt('/attachments'), (value) => bytesOf(value as Any[]) > 36 * 1_048_576),
  invalid_name: both(isText, (value) => /[/\\\p{Cc}]/u.test(String(value))),
  invalid_base64: both(isText, (value) => Buffer.from(String(value), 'base64').toString('base64') !== value),
  // Times that are compared with now.
  not_snoozed: both(isAt('/snoozed_until'), isText, (_, __, { status }) => status !== 'snoozed'),
  not_in_future: both(isAt('/snoozed_until'), isText, (value) => !(timeOf(value) > Date.now())),
  in_future: both(isAt('/read_at', '/sent_at'), isText, (value) => !(timeOf(value) < Date.now())),
  too_early: both(isAt('/sent_at'), isText, (value) => !(timeOf(value) >= 0)),
  // Who takes part in a meeting, and what is said there.
  wrong_order: isWrongOrder,
  nobody: (value) => !(value as Any).contact_id && !(value as Any).member_id && (value as Any).email == null,
  contact_and_member: (value) => Boolean((value as Any).contact_id && (value as Any).member_id),
  more_than_one_organizer: (value) => (value as Any[]).filter(({ role }) => role === 'organizer').length > 1,
  unknown_speaker: (value, _, { speakers }) =>
    Boolean(speakers?.every(({ key }: Any) => key.normalize('NFC') !== String(value).normalize('NFC'))),
  too_many_speakers: (value) => new Set((value as Any[]).map(({ speaker }) => speaker)).size > 1000,
  // What a text has to be beyond its pattern and length.
  empty: (value) => typeof value !== 'string' || value.trim() === '', // so is a contact without a name, an email or a phone
  invalid_text: (value) => typeof value === 'string' && !isClean(value),
  too_long: either(
    (value) => typeof value !== 'string' || Buffer.byteLength(value.normalize('NFC')) > [...value].length, // in bytes
    both(isAt('/body_html'), (value) => String(value).length > 400_000), // with its signs escaped
  ),
  invalid_email: isText,
  invalid_phone: isText,
  invalid_domain: isText,
  invalid_url: isText,
  invalid_language: isText,
  invalid_timezone: isText,
  invalid_currency: (value) => !Intl.supportedValuesOf('currency').includes(String(value)),
  invalid_country: isText,
  invalid_date: either(isCustom, (value) => String(value).startsWith('0000')), // the schema knows the days of the year 0
  invalid_time: either(isCustom, (value) => !TIME.test(String(value))),
  // What a number has to be beyond its bounds.
  invalid_amount: (value) => typeof value === 'number' && !isPlain(value),
}

function isRequired(value: unknown, pointer: string, body: Any): boolean {
  if (pointer === '/conversation_id') return body.direction === 'note' && value === undefined
  if (pointer === '/channel') return body.conversation_id === undefined && value === undefined
  if (pointer === '/from') return !(value as Any).email && !(value as Any).phone
  return pointer === '/snoozed_until' && (body.status === 'snoozed' || value === null)
}

/** Of a PATCH that has one of the two times, the other is that of the record. */
function isWrongOrder(_: unknown, pointer: string, body: Any): boolean {
  const [, index] = /^\/segments\/(\d+)\/end_ms$/.exec(pointer) ?? []
  if (index !== undefined) return body.segments[index].end_ms < body.segments[index].start_ms
  if (pointer !== '/starts_at' && pointer !== '/ends_at') return false
  return !(timeOf(body.starts_at) < timeOf(body.ends_at))
}

const timeOf = (value: unknown): number => Date.parse(String(value).toUpperCase())

const bytesOf = (attachments: Any[]): number =>
  attachments.reduce((sum, { data }) => sum + Buffer.byteLength(data, 'base64'), 0)

/** Times that are accepted for certain. */
const TIME = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(\.\d{3})?(Z|\+00:00)$/

/** No NUL, no half of a surrogate pair, no more than 30 combining marks in a row. */
function isClean(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed() && !/\p{M}{31}/u.test(text)
}

/** At most 6 decimals and 15 significant digits. */
function isPlain(value: number): boolean {
  const [whole = '', fraction = ''] = String(value).split('.')
  const significant = (whole + fraction).replace(/^0+/, '').replace(/0+$/, '')
  return !String(value).includes('e') && fraction.length <= 6 && significant.length <= 15
}

/** The value in a body that a JSON Pointer names. */
export function valueAt(body: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1)
  return steps.reduce<unknown>(
    (at, step) => (at as Record<string, unknown> | null | undefined)?.[step.replace(/~1/g, '/').replace(/~0/g, '~')],
    body,
  )
}
