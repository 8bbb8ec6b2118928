import * as v from 'valibot'
import { toDomain } from './domain.ts'
import { EMAIL } from './email.ts'
import { UUID } from './id.ts'
import { isAmount, isCurrency } from './money.ts'
import { tidy } from './pure/invisible.ts'
import { isDate, isTimezone, parseTime, rfc3339 } from './time.ts'

// The building blocks of every wire form. Messages have the form `code|sentence`; the sentence continues the field's
// name.

/**
 * An object with exactly these members. With the null prototype, `constructor` and the like are unknown members.
 * Refuses arrays, which valibot accepts as objects.
 */
export function object<Entries extends v.ObjectEntries>(entries: Entries) {
  const schema = v.strictObject(Object.assign(Object.create(null), entries) as Entries)
  const run = schema['~run']
  const strict: typeof run = (dataset, config) =>
    run.call(schema, Array.isArray(dataset.value) ? { value: 'an array' } : dataset, config)
  return Object.assign(schema, { '~run': strict })
}

const NAME = Symbol('name')

/** Names an object in the OpenAPI document, where generated clients have a type for it. */
export const named = <Schema extends v.GenericSchema>(name: string, schema: Schema): Schema =>
  Object.assign(schema, { [NAME]: name })

export const nameOf = (schema: object): string | undefined => (schema as { [NAME]?: string })[NAME]

/** The body of a PATCH: every member is optional, and an absent one keeps its value (RFC 7396). */
export function patchOf<Entries extends v.ObjectEntries>(entries: Entries) {
  const optional = Object.entries(entries).map(([name, schema]) => [
    name,
    v.exactOptional(
      schema.type === 'exact_optional' ? (schema as unknown as { wrapped: v.GenericSchema }).wrapped : schema,
    ),
  ])
  return object(
    Object.fromEntries(optional) as {
      [Name in keyof Entries]: v.ExactOptionalSchema<Wrapped<Entries[Name]>, undefined>
    },
  )
}
type Wrapped<Schema> =
  Schema extends v.ExactOptionalSchema<infer Inner, undefined> ? Inner : Schema extends v.GenericSchema ? Schema : never

export const optional = <Schema extends v.GenericSchema>(schema: Schema) => v.exactOptional(schema)
/** Adds a description for the API reference. */
export const doc = <Schema extends v.GenericSchema>(schema: Schema, text: string) => v.pipe(schema, v.description(text))
export const nullable = <Schema extends v.GenericSchema>(schema: Schema) => v.nullable(schema)

const NUL = '\u0000'
/** Text in NFC, without NUL and lone surrogates; `longest` counts code points. */
const clean = (longest: number) =>
  v.pipe(
    v.string(),
    v.check((text) => !text.includes(NUL), 'invalid_text|must not contain the NUL character'),
    v.check((text) => text.isWellFormed(), 'invalid_text|must not contain unpaired surrogates'),
    // The limit of Unicode (UAX #15, stream-safe text): normalizing a long run takes quadratic time, a minute for 1 MB.
    v.check((text) => !/\p{M}{31}/u.test(text), 'invalid_text|must not have more than 30 combining marks in a row'),
    v.transform((text) => text.normalize('NFC')),
    v.maxLength(longest * 2, `too_long|must be at most ${longest} characters long`),
    v.check(
      (text) => text.length <= longest || [...text].length <= longest,
      `too_long|must be at most ${longest} characters long`,
    ),
  )

/** A title or a name: up to 255 characters, not only white space. */
export const title = v.pipe(
  clean(255),
  v.check((text) => text.trim() !== '', 'empty|must not be empty'),
  v.metadata({ minLength: 1, maxLength: 255 }),
)

/** One line of text, possibly empty. */
export const line = (longest = 255) => v.pipe(clean(longest), v.metadata({ maxLength: longest }))

/** Text of several lines, up to 64 KiB by default. */
export const longText = (bytes = 65_536) =>
  v.pipe(
    clean(bytes),
    v.check((text) => Buffer.byteLength(text) <= bytes, `too_long|must be at most ${bytes} bytes long`),
    v.metadata({ maxLength: bytes }),
  )

export const id = v.pipe(
  v.string(),
  v.regex(UUID, 'invalid_id|must be a UUID in lower case'),
  v.metadata({ format: 'uuid' }),
)

export const amount = v.pipe(
  v.number(),
  v.check(
    isAmount,
    'invalid_amount|must be a number from 0 to 9000000000000 with at most 6 decimals and 15 significant digits',
  ),
  v.metadata({ minimum: 0, maximum: 9_000_000_000_000 }),
)

export const currency = v.pipe(
  v.string(),
  v.regex(/^[A-Z]{3}$/, 'invalid_currency|must be an ISO 4217 currency code in three capital letters, such as "EUR"'),
  v.check(isCurrency, 'invalid_currency|must be an ISO 4217 currency code, such as "EUR"'),
)

export const date = v.pipe(
  v.string(),
  v.check(isDate, 'invalid_date|must be a valid date, in the form YYYY-MM-DD'),
  v.metadata({ format: 'date' }),
)

/** Any RFC 3339 time, returned in UTC with milliseconds. */
export const time = v.pipe(
  v.string(),
  v.check(
    (text) => parseTime(text) !== undefined,
    'invalid_time|must be an RFC 3339 time with at most milliseconds, such as "2026-11-20T08:36:00.000Z"',
  ),
  v.transform((text) => rfc3339(parseTime(text) as number)),
  v.metadata({ format: 'date-time' }),
)

export const count = (largest = Number.MAX_SAFE_INTEGER) =>
  v.pipe(
    v.number(),
    v.integer('invalid_integer|must be a whole number'),
    v.minValue(0, 'out_of_range|must not be negative'),
    v.maxValue(largest, `out_of_range|must be at most ${largest}`),
  )

export const flag = v.boolean()

export const color = v.pipe(
  v.string(),
  v.regex(/^#[0-9a-f]{6}$/, 'invalid_color|must be a color such as "#1f6feb", in lower case'),
)

export const oneOf = <const Options extends readonly string[]>(options: Options) =>
  v.picklist(options, `invalid_choice|must be one of ${options.map((option) => `"${option}"`).join(', ')}`)

export const arrayOf = <Item extends v.GenericSchema>(item: Item, most = 1000) =>
  v.pipe(v.array(item), v.maxLength(most, `too_many|must have at most ${most} items`))

/** A set of ids: returned without duplicates, in the order given. */
export const ids = v.pipe(
  arrayOf(id),
  v.transform((all) => [...new Set(all)]),
  v.description('Returned without duplicates; a PATCH replaces all of them, and [] clears.'),
)

/** Without what cannot be seen. */
const visible = (longest: number) => v.pipe(line(longest), v.transform(tidy))

export const email = v.pipe(
  visible(254),
  v.regex(EMAIL, 'invalid_email|must be an email address, such as "ana@example.com"'),
  v.metadata({ maxLength: 254 }),
)

/** Digits of the scripts that phones are written in. */
const DIGIT = '0-9٠-٩۰-۹०-९০-৯๐-๙０-９'

/** In any notation, with enough digits to call. */
export const phone = v.pipe(
  visible(50),
  v.check(
    (text) => (text.match(new RegExp(`[${DIGIT}]`, 'gu')) ?? []).length >= 3,
    'invalid_phone|must be a phone number with at least three digits',
  ),
  v.metadata({ maxLength: 50, pattern: `^[^${DIGIT}]*([${DIGIT}][^${DIGIT}]*){3,}$` }),
)

/** An id in another system. */
export const externalId = v.pipe(
  title,
  v.transform(tidy),
  v.check((text) => text.trim() !== '', 'empty|must not be empty'),
  v.metadata({ minLength: 1, maxLength: 255 }),
)

/** A host name, returned in DNS form: lower case, other scripts in punycode. */
export const domain = v.pipe(
  line(253),
  v.check((text) => toDomain(text) !== undefined, 'invalid_domain|must be a host name, such as "example.com"'),
  v.transform((text) => toDomain(text) as string),
  v.metadata({ maxLength: 253 }),
)

export const url = v.pipe(
  line(2048),
  v.check(
    (text) => /^https?:\/\//i.test(text) && URL.canParse(text) && !/\p{Cc}/u.test(text),
    'invalid_url|must be a web address that starts with http:// or https://',
  ),
  // Browsers accept more than the `uri` of RFC 3986.
  v.metadata({
    maxLength: 2048,
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[/\\\\]*[^/\\\\?#\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$',
  }),
)

export const timezone = v.pipe(
  v.string(),
  v.check(isTimezone, 'invalid_timezone|must be an IANA time zone, such as "Europe/Berlin"'),
)

export const language = v.pipe(
  v.string(),
  v.check((text) => {
    try {
      return text.length <= 35 && Intl.getCanonicalLocales(text).length === 1
    } catch {
      return false
    }
  }, 'invalid_language|must be a BCP 47 language tag, such as "de" or "pt-BR"'),
)

let regions: Intl.DisplayNames | undefined
/** Made at the first use, since it takes as long as everything else in this file. */
function hasName(region: string): boolean {
  regions ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  return regions.of(region) !== undefined
}

export const country = v.pipe(
  v.string(),
  v.regex(/^[A-Z]{2}$/, 'invalid_country|must be an ISO 3166 country code in two capital letters, such as "DE"'),
  v.check(
    (code) =>
      /^[A-Z]{2}$/.test(code) && // all checks run, and of() throws on a code that the check above refused
      !/^(A[AC]|C[PQ]|D[DG]|E[AUZ]|IC|Q[M-Z]|T[AP]|U[NK]|X[A-Z]|ZZ|AN|BU|CS|FX|NT|SU|YD|YU|ZR)$/.test(code) &&
      hasName(code),
    'invalid_country|must be an ISO 3166 country code, such as "DE"',
  ),
)

/** The read-only fields of every record. */
export const recordFields = {
  created_at: v.pipe(v.string(), v.metadata({ format: 'date-time' })),
  updated_at: v.pipe(v.string(), v.metadata({ format: 'date-time' })),
  version: v.pipe(v.number(), v.integer()),
}
