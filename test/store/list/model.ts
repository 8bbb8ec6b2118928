import { operatorsOf } from '../../../src/http/query.ts'
import type { ListRoute } from '../../../src/http/route.ts'
import { fold } from '../../../src/lib/pure/fold.ts'
import { matches, queryOf, wordsOf, wordsOfProse } from '../../../src/lib/words.ts'
import { moreDigitsOf } from '../../../src/lib/written/people/phone-countries.ts'
import type { Filter, Operator } from '../../../src/store/list/conditions.ts'
import { numbersIn } from '../../../src/store/list/search.ts'

// The expected result of a list, computed in memory from all of its records.

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
export type Row = any
type Value = string | number | boolean

export type Asked = { name: string; operator: Operator; text: string }

/** Returns a filter as query text. */
export const parameter = ({ name, operator, text }: Asked): string =>
  `${operator === 'eq' ? name : `${name}[${operator}]`}=${encodeURIComponent(text)}`

const NO_ID = '01890000-0000-7000-8000-00000000dea1'
const ABSENT: Record<Filter['type'], string> = {
  id: NO_ID,
  text: 'nobody-has-this.example',
  choice: '',
  flag: '',
  amount: '0.000002',
  date: '1999-12-31',
  time: '2026-11-20T08:36:00.001Z',
  number: '-0.5',
  search: 'nobodyhasthis',
}

const absent = (name: string, { type, pattern, form }: Filter): string =>
  pattern ? 'XTS' : form && name === 'email' ? 'nobody@nobody-has-this.example' : ABSENT[type]

/** Companies by id: contacts are also found by the name of their company. Filled by tests that use companies. */
export const companies = new Map<string, Row>()

/** The texts of messages by conversation, which is found by them. Filled by tests that use messages. */
export const messageTexts = new Map<string, string[]>()

const cachedWords = new WeakMap<Row, string>()

/** Returns the words by which a record is found, separated by spaces. */
export function wordsIn(record: Row): string {
  const words = cachedWords.get(record) ?? readWords(record).join(' ')
  cachedWords.set(record, words)
  return words
}

function readWords(record: Row): string[] {
  const { title, name, body, email, emails = [], domains = [], phone, phones = [], company_id } = record
  const { description, location, summary, participants } = record
  const company = record.phones ? companies.get(company_id)?.name : undefined
  const texts = [title, name, company, body, email, ...emails.map((each: Row) => each.email), ...domains]
  if ('waiting_since' in record) texts.push(record.subject, ...(messageTexts.get(record.id) ?? []))
  if (participants)
    texts.push(description, location, summary, ...participants.flatMap((each: Row) => [each.name, each.email]))
  const numbers = [phone, ...phones.map((each: Row) => each.number)]
  const written = numbers.filter((number) => typeof number === 'string')
  // Notes and tasks are found by the phones in what was written, too.
  if ('body' in record) return wordsOfProse([title, body])
  return wordsOf(
    texts.filter((text) => typeof text === 'string'),
    written,
    written.flatMap((number: string) => moreDigitsOf(number, 'DE')),
  )
}

/** Returns the values of a record that a filter compares: one, none, or those of a link table. */
function valuesOf(record: Row, name: string): Value[] {
  if (record.participants && (name === 'contact_id' || name === 'member_id'))
    return record.participants.flatMap((each: Row) => each[name] ?? [])
  if (name === 'sla.status') return [record.sla.status]
  if (`${name}s` in record && name !== 'email') return record[`${name}s`] // tag_ids, domains, contact_ids
  if (name === 'q')
    return wordsIn(record)
      .split(' ')
      .map((word) => word.slice(0, 5))
  if (name === 'email' && record.emails) return record.emails.map(({ email }: Row) => email.toLowerCase())
  if (!(name in record)) throw new Error(`test/store/list/model.ts has to learn what the filter ${name} looks at`)
  return record[name] === null ? [] : [record[name]]
}

const typed = ({ type, normal }: Filter, text: string): Value => {
  if (type === 'choice') return text
  if (type === 'amount') return Number(text)
  if (type === 'time') return Date.parse(text)
  if (type === 'flag') return text === 'true'
  return normal ? normal(text) : text
}

/** Whether the record belongs in the list. */
export function isMatch(route: ListRoute, record: Row, asked: readonly Asked[]): boolean {
  for (const [name, { disablesDefault }] of Object.entries(route.filters)) {
    if (
      disablesDefault &&
      !record[disablesDefault] &&
      !asked.some((each) => each.name === name && each.text === 'true')
    )
      return false
  }
  return asked.every((each) => meets(route.filters[each.name] as Filter, record, each))
}

function meets(filter: Filter, record: Row, { name, operator, text }: Asked): boolean {
  if (filter.disablesDefault) return true
  if (filter.search) {
    const kind = typeof filter.search === 'string' ? filter.search : 'deal'
    return matches(
      wordsIn(record),
      queryOf(
        text,
        numbersIn(kind, text, () => 'DE'),
      ),
    )
  }
  const found = valuesOf(record, name).map((value) => (filter.type === 'time' ? Date.parse(value as string) : value))
  if (text === 'null' && filter.nullable) return (found.length === 0) === (operator === 'eq')
  if (operator === 'ne') return !found.includes(typed(filter, text))
  if (operator === 'in') return text.split(',').some((one) => found.includes(typed(filter, one)))
  const wanted = typed(filter, text)
  return found.some((value) => {
    if (operator === 'eq') return value === wanted
    if (operator === 'gt') return value > wanted
    if (operator === 'gte') return value >= wanted
    return operator === 'lt' ? value < wanted : value <= wanted
  })
}

/** What stages, members and companies are sorted by, by id. Filled by tests that sort by them. */
export const places = new Map<string, string>()

/** Records of the same name stay apart. */
function placeOf(id: string): string {
  const place = places.get(id)
  if (place === undefined) throw new Error(`test/store/list/model.ts has to know the place of ${id}`)
  return `${place}\u0000${id}`
}

/** Takes the places of the records that others refer to from the API. */
export async function takePlaces(call: (method: string, path: string) => Promise<{ body: Row }>): Promise<void> {
  for (const path of ['/stages', '/members', '/companies']) {
    let next: string | null = `${path}?limit=100`
    let at = 0
    while (next !== null) {
      const { body }: { body: Row } = await call('GET', next)
      for (const record of body.data)
        places.set(record.id, path === '/stages' ? String(at++).padStart(6, '0') : fold(record.name))
      next = body.next_cursor && `${path}?limit=100&cursor=${body.next_cursor}`
    }
  }
}

/** Returns the records in the order of `sort`, or in the default order of the list. */
export function ordered(route: ListRoute, records: readonly Row[], sort?: string): Row[] {
  const descending = sort ? sort.startsWith('-') : !route.order
  const name = sort?.replace('-', '')
  const keyOf = (record: Row): Value | null => {
    if (name === undefined) return route.order ? ownKey(route.path, record) : record.id
    if (name === 'created_at') return record.id
    if (route.sorts[name]?.by) return record[name] === null ? null : placeOf(record[name])
    if (name === 'priority') return ['low', 'normal', 'high'].indexOf(record.priority)
    if (route.path === '/tags') return record[name].toLowerCase()
    return route.sorts[name]?.column.endsWith('_key') ? fold(record[name]) : record[name]
  }
  const rank = (left: Value | null, right: Value | null): number => {
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    const order =
      typeof left === 'string' ? Buffer.compare(Buffer.from(left), Buffer.from(right as string)) : +left - +right
    return descending ? -order : order
  }
  return [...records].sort((a, b) => {
    const keys = rank(keyOf(a), keyOf(b))
    return keys !== 0 ? keys : (a.id < b.id ? -1 : 1) * (descending ? -1 : 1)
  })
}

/**
 * The default order of settings: the default pipeline first, then by position. Hours and sequences are ordered by name.
 */
const ownKey = (path: string, record: Row): Value =>
  path === '/hours' || path === '/sequences'
    ? record.name
    : record.position + (path === '/stages' && !record.pipeline_is_default ? 1000 : 0)

/** Returns every filter with each of its operators, on values that some records have and on one that no record has. */
export function everyFilter(route: ListRoute, records: readonly Row[]): Asked[] {
  return Object.entries(route.filters).flatMap(([name, filter]) => {
    if (filter.disablesDefault || filter.type === 'flag') {
      return ['true', 'false'].map((text) => ({ name, operator: 'eq' as const, text }))
    }
    if (filter.resolve) return [] // its values can mean anything; it has separate tests
    const stored = [...new Set(records.flatMap((record) => valuesOf(record, name)))].map(String).sort()
    const some = stored.filter((_, at) => at === 0 || at === stored.length - 1 || at === stored.length >> 1)
    const texts = filter.choices ? [...filter.choices] : [...some, absent(name, filter)]
    return operatorsOf(filter).flatMap((operator): Asked[] => {
      const orNull = filter.nullable && (operator === 'eq' || operator === 'ne') ? ['null'] : []
      const asked = operator === 'in' ? [texts[0] as string, texts.join()] : [...texts, ...orNull]
      return asked.map((text) => ({ name, operator, text }))
    })
  })
}
