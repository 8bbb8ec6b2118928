/** Says of which values a rule may be said, as far as the value and its place show it. */
type Rule = (value: unknown, pointer: string) => boolean

const isAny: Rule = () => true
const isText: Rule = (value) => typeof value === 'string'
/** Which custom fields an org has, and of what types, is for the org to say. */
const isCustom: Rule = (_, pointer) => pointer.startsWith('/custom_fields/')
/** So is which fields a filter can look at, and what fits them. */
const isFilter: Rule = (_, pointer) => pointer.startsWith('/filter')
const either =
  (...rules: Rule[]): Rule =>
  (value, pointer) =>
    rules.some((rule) => rule(value, pointer))

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
  // What several fields say together.
  no_link: isAny, // a note has to be about something
  more_than_one_primary: isAny, // of the emails, or of the phones
  repeated: isAny, // the same email, phone or option twice
  contradiction: isAny, // an id that is to be put into a list and to be taken out of it
  not_smart: isFilter, // a static list has no filter
  not_for_type: isAny, // options, or is_unique, of a custom field whose type has none
  wrong_operator: isFilter,
  invalid_value: isFilter,
  too_deep: isFilter, // of a filter with more than five levels
  too_many: isFilter, // conditions of a filter, in all of its branches together
  // A custom field, the filter of a smart list, the value of most operators, options of a type that chooses.
  required: either(isCustom, isFilter, (_, pointer) => pointer === '/options'),
  // What a text has to be beyond its pattern and length.
  empty: (value) => typeof value !== 'string' || value.trim() === '', // so is a contact without a name, an email or a phone
  invalid_text: (value) => typeof value === 'string' && !isClean(value),
  too_long: (value) => typeof value !== 'string' || Buffer.byteLength(value.normalize('NFC')) > [...value].length, // in bytes
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
