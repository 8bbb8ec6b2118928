// The expected members of a smart list, computed in memory from the records as the API returns them. Written from the
// contract alone: nothing here comes from src/.

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
export type Row = any
export type Listed = 'contact' | 'company' | 'deal'
export type Leaf = { field: string; op: string; value?: unknown }
export type Tree = { all: Tree[] } | { any: Tree[] } | { not: Tree } | Leaf

type Type = 'text' | 'number' | 'date' | 'time' | 'flag' | 'exact'
export type Field = { type: Type; several?: true }

const of = (type: Type, ...names: string[]): [string, Field][] => names.map((name) => [name, { type }])
const several = (type: Type, ...names: string[]): [string, Field][] =>
  names.map((name) => [name, { type, several: true }])

const everywhere = [
  ...of('exact', 'owner_id'),
  ...several('exact', 'tag_ids'),
  ...of('time', 'created_at', 'updated_at', 'originally_created_at'),
  ...of('text', 'external_id'),
]
const reachable = [
  ...['line1', 'line2', 'city', 'region', 'postal_code', 'country'].flatMap((part) => of('text', `address.${part}`)),
  ...of('text', 'website', 'linkedin_url'),
]

/** The fields of each object, by name. */
export const FIELDS: Record<Listed, Map<string, Field>> = {
  contact: new Map([
    ...everywhere,
    ...reachable,
    ...of('text', 'first_name', 'last_name', 'name', 'job_title', 'timezone', 'language', 'source'),
    ...several('text', 'emails', 'phones'),
    ...of('exact', 'company_id'),
    ...of('flag', 'do_not_contact'),
    ...of('time', 'unsubscribed_at'),
  ]),
  company: new Map([
    ...everywhere,
    ...reachable,
    ...of('text', 'name', 'phone', 'industry', 'currency', 'description'),
    ...several('text', 'domains'),
    ...of('number', 'employee_count', 'annual_revenue'),
    ...of('exact', 'parent_company_id'),
  ]),
  deal: new Map([
    ...everywhere,
    ...of('text', 'title', 'currency'),
    ...of('number', 'amount'),
    ...of('exact', 'stage', 'status', 'company_id', 'primary_contact_id', 'close_reason_id'),
    ...of('date', 'expected_close_date'),
    ...of('time', 'closed_at', 'stage_changed_at'),
  ]),
}

const CUSTOM: Record<string, Field> = {
  ...Object.fromEntries(of('text', 'text', 'url', 'email', 'phone')),
  number: { type: 'number' },
  boolean: { type: 'flag' },
  date: { type: 'date' },
  datetime: { type: 'time' },
  select: { type: 'exact' },
  multi_select: { type: 'exact', several: true },
  member: { type: 'exact' },
}

const EQUAL = ['eq', 'ne', 'in', 'not_in']
const ORDER = ['gt', 'gte', 'lt', 'lte']
const DAYS = ['in_last_days', 'in_next_days', 'before_last_days', 'after_next_days']
const PARTS = ['contains', 'starts_with']
const SETS = ['has_any', 'has_all']

/** The operators that fit a field. */
export function operatorsOf({ type, several }: Field): string[] {
  const nulls = ['is_null', 'not_null']
  if (several) return [...SETS, ...(type === 'text' ? PARTS : []), ...nulls]
  if (type === 'text') return [...EQUAL, ...PARTS, ...nulls]
  if (type === 'number') return [...EQUAL, ...ORDER, ...nulls]
  if (type === 'flag') return ['eq', 'ne', ...nulls]
  return type === 'exact' ? [...EQUAL, ...nulls] : [...EQUAL, ...ORDER, ...DAYS, ...nulls]
}

export type FilterContext = {
  companies: Map<string, Row>
  /** The types of the custom fields, by object and key. */
  custom: Record<Listed, Record<string, string>>
  now: number
  timezone: string
  /** Who asks. */
  member?: string
}

/** Returns a field by its name, including those of the company; undefined if there is none. */
export function fieldOf(object: Listed, name: string, { custom }: FilterContext): Field | undefined {
  if (name.startsWith('company.')) return fieldOf('company', name.slice(8), { custom } as FilterContext)
  if (name.startsWith('custom_fields.')) return CUSTOM[custom[object][name.slice(14)] ?? '']
  return FIELDS[object].get(name)
}

/** Returns the values of a record's field; none if it is null. */
export function valuesOf(record: Row, name: string, context: FilterContext): unknown[] {
  if (name.startsWith('company.')) {
    const company = context.companies.get(record.company_id)
    return company ? valuesOf(company, name.slice(8), context) : []
  }
  const at = name.indexOf('.')
  const found = at < 0 ? record[name] : record[name.slice(0, at)]?.[name.slice(at + 1)]
  if (found === null || found === undefined) return []
  if (!Array.isArray(found)) return [found]
  return found.map((one) => one.email ?? one.number ?? one)
}

const seen = new Map<string, string>()
/** Without case and accents. */
function plain(text: string): string {
  const known = seen.get(text)
  if (known !== undefined) return known
  const made = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/ł/g, 'l')
  seen.set(text, made)
  return made
}

export function isMet(tree: Tree, record: Row, object: Listed, context: FilterContext): boolean {
  if ('all' in tree) return tree.all.every((each) => isMet(each, record, object, context))
  if ('any' in tree) return tree.any.some((each) => isMet(each, record, object, context))
  if ('not' in tree) return !isMet(tree.not, record, object, context)
  const field = fieldOf(object, tree.field, context)
  const values = field ? valuesOf(record, tree.field, context) : []
  const comparable = (one: unknown): Comparable => {
    if (field?.type === 'text') return plain(one as string)
    return field?.type === 'time' ? Date.parse(one as string) : (one as Comparable)
  }
  const found = values.map(comparable)
  /** A value, or all days of a period, both ends included. */
  const rangeOf = (one: unknown): Range => {
    const isDay = field?.type === 'date' || field?.type === 'time'
    if (isDay && PERIOD.test(one as string)) return periodOf(one as string, field.type === 'time', context)
    const value = comparable(one === 'me' && field?.type === 'exact' ? context.member : one)
    return [value, value]
  }
  const asked = () => [tree.value ?? []].flat().map(rangeOf)
  const isIn = (one: Comparable, [from, to]: Range) => from <= one && one <= to
  const some = (test: (one: Comparable, range: Range) => boolean) => {
    const [range] = asked()
    return found.some((one) => test(one, range as Range))
  }
  switch (tree.op) {
    case 'is_null':
      return found.length === 0
    case 'not_null':
      return found.length > 0
    case 'eq':
    case 'in':
    case 'has_any':
      return asked().some((range) => found.some((one) => isIn(one, range)))
    case 'ne':
    case 'not_in':
      return !asked().some((range) => found.some((one) => isIn(one, range)))
    case 'has_all':
      return asked().every((range) => found.some((one) => isIn(one, range)))
    case 'gt':
      return some((one, [, to]) => one > to)
    case 'gte':
      return some((one, [from]) => one >= from)
    case 'lt':
      return some((one, [from]) => one < from)
    case 'lte':
      return some((one, [, to]) => one <= to)
    case 'contains':
      return some((one, [text]) => String(one).includes(String(text)))
    case 'starts_with':
      return some((one, [text]) => String(one).startsWith(String(text)))
    case 'before_last_days':
    case 'after_next_days':
      return found.some((one) => isBeyond(one, tree.op === 'before_last_days', tree.value as number, context))
    default:
      return found.some((one) => isWithin(one, tree.op === 'in_last_days', tree.value as number, context))
  }
}

type Comparable = string | number
type Range = [from: Comparable, to: Comparable]

/** The day on which `today` is. */
const todayOf = ({ now, timezone }: FilterContext) =>
  Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timezone).toPlainDate()

export const PERIOD = /^(yesterday|today|tomorrow|(last|this|next)_(week|month|quarter|year))$/

/** The first and the last day, or the first and the last millisecond, of a period; weeks begin on Monday. */
function periodOf(name: string, isTime: boolean, context: FilterContext): Range {
  const today = todayOf(context)
  const [away, span] = ({ yesterday: ['last', 'day'], today: ['this', 'day'], tomorrow: ['next', 'day'] }[name] ??
    name.split('_')) as ['last' | 'this' | 'next', 'day' | 'week' | 'month' | 'quarter' | 'year']
  const count = { last: -1, this: 0, next: 1 }[away]
  const length = {
    day: { days: 1 },
    week: { days: 7 },
    month: { months: 1 },
    quarter: { months: 3 },
    year: { years: 1 },
  }
  const began = {
    day: today,
    week: today.subtract({ days: today.dayOfWeek - 1 }),
    month: today.with({ day: 1 }),
    quarter: today.with({ day: 1, month: today.month - ((today.month - 1) % 3) }),
    year: today.with({ day: 1, month: 1 }),
  }[span]
  const step = Temporal.Duration.from(length[span])
  const first = count < 0 ? began.subtract(step) : count > 0 ? began.add(step) : began
  const next = first.add(step)
  if (!isTime) return [first.toString(), next.subtract({ days: 1 }).toString()]
  const momentOf = (day: Temporal.PlainDate) => day.toZonedDateTime(context.timezone).epochMilliseconds
  return [momentOf(first), momentOf(next) - 1]
}

/** What is further away than that many days in the past, or in the future. */
function isBeyond(one: Comparable, past: boolean, days: number, context: FilterContext): boolean {
  const far = past ? -days : days
  const limit =
    typeof one === 'number' ? context.now + far * 86_400_000 : todayOf(context).add({ days: far }).toString()
  return past ? one < limit : one > limit
}

/** A time within that many days of 24 hours; a date within that many days of today, today included. */
function isWithin(one: Comparable, past: boolean, days: number, context: FilterContext): boolean {
  const { now } = context
  const far = past ? -days : days
  if (typeof one === 'number') {
    const [from, to] = [now, now + far * 86_400_000].sort((a, b) => a - b) as [number, number]
    return from <= one && one <= to
  }
  const today = todayOf(context)
  const [from, to] = [today, today.add({ days: far })].sort(Temporal.PlainDate.compare) as [
    Temporal.PlainDate,
    Temporal.PlainDate,
  ]
  return from.toString() <= one && one <= to.toString()
}
