import { type Caller, ME } from '../lib/caller.ts'
import { UUID } from '../lib/id.ts'
import { parseMicros } from '../lib/money.ts'
import { Problem } from '../lib/problem.ts'
import { isDate, parseTime } from '../lib/time.ts'
import { type Condition, conditionsOf, type Filter, isTimeDependent, type Operator } from '../store/list/conditions.ts'
import type { ListQuery, Sort } from '../store/list/query.ts'
import type { Cursors } from './cursor.ts'
import type { Offered } from './route.ts'

export const DEFAULT_LIMIT = 50
const MAX_LIMIT = 100
/** Values of a filter with [in]. */
export const MAX_IN = 100
const NEWEST_FIRST = { sort: { column: 'id' }, descending: true }

export const badQuery = (detail: string) => new Problem(400, 'invalid_query', detail)

/** The parameters of a query string. Throws Problem 400 if one is repeated or badly encoded. */
export function readQuery(text: string): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = decode(at < 0 ? pair : pair.slice(0, at))
    if (parameters.has(name)) throw badQuery(`The parameter "${name}" is given more than once. Send it only once.`)
    parameters.set(name, at < 0 ? '' : decode(pair.slice(at + 1)))
  }
  return parameters
}

function decode(text: string): string {
  try {
    const decoded = decodeURIComponent(text.replace(/\+/g, ' '))
    if (!decoded.includes('\u0000')) return decoded
  } catch {
    // reported below, as for NUL
  }
  throw badQuery('The query string is not valid percent-encoded UTF-8.')
}

/** The operators of each type of filter; the bare name is `eq`. */
export const OPERATORS: Record<Filter['type'], readonly Operator[]> = {
  id: ['eq', 'ne', 'in'],
  text: ['eq', 'ne', 'in'],
  choice: ['eq', 'ne', 'in'],
  flag: ['eq'],
  amount: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'],
  number: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'],
  date: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'],
  time: ['eq', 'gt', 'gte', 'lt', 'lte'],
  search: ['eq'],
}

export function operatorsOf(filter: Filter): readonly Operator[] {
  if (filter.disablesDefault || filter.resolve) return ['eq']
  return filter.link && !filter.link.single ? ['eq', 'in'] : OPERATORS[filter.type]
}

/** Every parameter of a list, as written in a query. */
export function parameterNames({ filters, sorts, skips }: Pick<Offered, 'filters' | 'sorts' | 'skips'>): string[] {
  const names = Object.entries(filters).flatMap(([name, filter]) =>
    operatorsOf(filter).map((operator) => (operator === 'eq' ? name : `${name}[${operator}]`)),
  )
  const own = ['limit', 'cursor', 'count', ...(skips ? ['skip'] : [])]
  return [...names, ...(Object.keys(sorts).length > 0 ? ['sort'] : []), ...own]
}

/**
 * Parses the query of a list: what to list, the text that its cursors are bound to, and whether the response depends on
 * the time. Throws Problem 400, and 403 if a filter needs a scope.
 */
export function readAsk(
  listed: Offered,
  who: Caller,
  path: string,
  query: string,
  cursors: Cursors,
): { ask: ListQuery; question: string; timeDependent: boolean } {
  const { org } = who
  const parameters = readQuery(query)
  const named = [...parameters.keys(), parameters.get('sort') ?? '']
  const { filters, sorts } = named.some(isCustom) ? offersOf(listed, org) : listed
  const conditions: Condition[] = []
  const bound: string[] = []
  const lifted = new Set<string>()
  let asksMe = false
  for (const [name, value] of parameters) {
    if (name === 'limit' || name === 'cursor' || name === 'count' || (listed.skips && name === 'skip')) continue
    bound.push(JSON.stringify([name, value]))
    if (name === 'sort') continue
    const [, base = '', operator = 'eq'] = /^([a-z0-9_.]+)(?:\[([a-z]+)\])?$/.exec(name) ?? []
    const filter = Object.hasOwn(filters, base) ? filters[base] : undefined
    if (!filter || (operator === 'eq') !== !name.endsWith(']') || !operatorsOf(filter).includes(operator as Operator)) {
      const allowed = parameterNames({ ...listed, ...offersOf(listed, org) }).join(', ')
      throw badQuery(`There is no parameter "${name}" here. The allowed parameters are: ${allowed}.`)
    }
    asksMe ||= filter.isMember === true && value.split(',').includes(ME)
    if (filter.disablesDefault) {
      if (readFlag(name, value)) lifted.add(base)
    } else conditions.push(...readCondition(who, base, name, filter, operator as Operator, value))
  }
  for (const [name, filter] of Object.entries(filters)) {
    if (filter.disablesDefault && !lifted.has(name))
      conditions.push(...conditionsOf(who, filter.disablesDefault, { type: 'flag', indexed: false }, 'eq', [1]))
  }
  const { sort, descending } = readSort(listed, org, sorts, parameters.get('sort'))
  const question = `${org} ${path} ${bound.sort().join()}`
  const cursor = parameters.get('cursor')
  const skip = listed.skips ? parameters.get('skip') : undefined
  if (cursor !== undefined && skip !== undefined) throw badQuery('Send either "cursor" or "skip".')
  return {
    ask: {
      limit: readLimit(parameters.get('limit')),
      sort,
      descending,
      conditions,
      after: cursor === undefined ? undefined : cursors.open(cursor, question),
      ...(skip === undefined ? {} : { skip: readSkip(skip) }),
      count: parameters.has('count') && readFlag('count', parameters.get('count') as string),
    },
    question,
    // A page of "me" is that of one member: it is never kept for others, either.
    timeDependent: listed.timeDependent === true || asksMe || conditions.some(isTimeDependent),
  }
}

const isCustom = (name: string): boolean => name.includes('custom_fields.')

/** The filters and sorts of the list for this organisation: the fixed ones, and those by its custom fields. */
function offersOf({ filters, sorts, custom }: Offered, org: number): Pick<Offered, 'filters' | 'sorts'> {
  const own = custom?.(org)
  return { filters: { ...filters, ...own?.filters }, sorts: { ...sorts, ...own?.sorts } }
}

/** Parses the flags of a write, each true or false. Throws Problem 400. */
export function readFlags(query: string, allowed: readonly string[]): Record<string, boolean> {
  const flags: Record<string, boolean> = {}
  for (const [name, value] of readQuery(query)) {
    if (!allowed.includes(name)) {
      const hint =
        allowed.length > 0 ? `The allowed parameters are: ${allowed.join(', ')}` : 'No parameters are allowed'
      throw badQuery(`There is no parameter "${name}" here. ${hint}.`)
    }
    flags[name] = readFlag(name, value)
  }
  return flags
}

function readFlag(name: string, value: string): boolean {
  if (value !== 'true' && value !== 'false') throw badQuery(`The parameter "${name}" must be true or false.`)
  return value === 'true'
}

/** Throws Problem 400. */
export function readLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT
  const limit = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > MAX_LIMIT)
    throw badQuery(`The parameter "limit" must be a whole number from 1 to ${MAX_LIMIT}.`)
  return limit
}

/** Throws Problem 400. */
function readSkip(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw badQuery('The parameter "skip" must be a whole number from 0 to 999999999.')
  return Number(text)
}

function readSort(
  listed: Offered,
  org: number,
  sorts: Offered['sorts'],
  text: string | undefined,
): { sort: Sort; descending: boolean } {
  if (text === undefined) return listed.order ?? NEWEST_FIRST
  const descending = text.startsWith('-')
  const name = descending ? text.slice(1) : text
  if (!Object.hasOwn(sorts, name)) {
    const names = Object.keys(offersOf(listed, org).sorts)
    throw badQuery(
      names.length > 0
        ? `The parameter "sort" must be one of ${names.join(', ')}, with a leading "-" for descending order.`
        : 'This list has only one sort order. Omit "sort".',
    )
  }
  return { sort: sorts[name] as Sort, descending }
}

function readCondition(
  who: Caller,
  base: string,
  name: string,
  filter: Filter,
  operator: Operator,
  text: string,
): Condition[] {
  const value = (one: string) => (isMe(filter, one) ? (who.member as string) : readValue(name, filter, one))
  if (operator === 'in') {
    const values = text.split(',')
    if (values.length > MAX_IN) throw badQuery(`The parameter "${name}" can have at most ${MAX_IN} values.`)
    return conditionsOf(who, base, filter, operator, values.map(value))
  }
  if (text === 'null' && filter.nullable && (operator === 'eq' || operator === 'ne')) {
    return conditionsOf(who, base, filter, operator, [null])
  }
  return conditionsOf(who, base, filter, operator, [value(text)])
}

const isMe = ({ isMember }: Filter, text: string): boolean => isMember === true && text === ME

/** Counts code points. */
const characters = (text: string): number => [...text].length

function readValue(name: string, filter: Filter, text: string): string | number | bigint {
  switch (filter.type) {
    case 'id':
      if (UUID.test(text)) return text
      throw badQuery(
        `The parameter "${name}" must be a UUID in lower case${filter.isMember ? `, or ${ME}` : ''}${filter.nullable ? ', or null' : ''}.`,
      )
    case 'choice':
      if (filter.choices?.includes(text)) return filter.normal ? filter.normal(text) : text
      throw badQuery(`The parameter "${name}" must be one of ${filter.choices?.join(', ')}.`)
    case 'flag':
      return readFlag(name, text) ? 1 : 0
    case 'amount': {
      const micros = parseMicros(text)
      if (micros !== undefined) return micros
      throw badQuery(`The parameter "${name}" must be an amount such as 1000 or 1000.5.`)
    }
    case 'date':
      if (isDate(text)) return text
      throw badQuery(`The parameter "${name}" must be a valid date, in the form YYYY-MM-DD.`)
    case 'time': {
      const ms = parseTime(text)
      if (ms !== undefined) return ms
      throw badQuery(
        `The parameter "${name}" must be an RFC 3339 time such as 2026-11-20T08:36:00Z ("+" is written %2B).`,
      )
    }
    case 'number': {
      const number = /^-?\d{1,20}(\.\d{1,20})?$/.test(text) ? Number(text) : Number.NaN
      if (Number.isFinite(number)) return number
      throw badQuery(`The parameter "${name}" must be a number such as 40 or 2.5.`)
    }
    case 'search':
      if (characters(text) <= 255 && text.isWellFormed() && !/\p{M}{31}/u.test(text)) return text
      throw badQuery(`The parameter "${name}" must be a text of at most 255 characters.`)
    case 'text':
      if (text === '' || characters(text) > (filter.maxLength ?? 2048) || !text.isWellFormed())
        throw badQuery(`The parameter "${name}" must be a text of 1 to ${filter.maxLength ?? 2048} characters.`)
      if (filter.pattern && !filter.pattern.test(text))
        throw badQuery(`The parameter "${name}" must match ${filter.pattern.source}.`)
      if (filter.form && !filter.form.is(text))
        throw badQuery(`The parameter "${name}" must be ${filter.form.name} ("+" is written %2B).`)
      return filter.normal ? filter.normal(text.normalize('NFC')) : text.normalize('NFC')
  }
}
