import { ME } from '../../lib/caller.ts'
import { UUID } from '../../lib/id.ts'
import type { Filter, Operator } from '../../store/list/conditions.ts'
import { MAX_IN, operatorsOf } from '../query.ts'
import type { Offered } from '../route.ts'
import { FIELDS } from './openapi-parts.ts'
import { anchored, either, escaped, listOf } from './openapi-patterns.ts'
import type { Schema } from './openapi-schema.ts'
import { CUSTOM_SORT } from './openapi-text.ts'

// The parameters of lists. What takes more than one kind of value, such as an id or "null", is a string with a pattern:
// generated clients cannot fill in a union.

/** The pattern of the values of each type, where it can be told; without anchors. */
const PATTERNS: Partial<Record<Filter['type'], string>> = {
  id: UUID.source.slice(1, -1),
  amount: '[0-9]{1,13}(\\.[0-9]{1,6})?',
  number: '-?[0-9]{1,20}(\\.[0-9]{1,20})?',
  date: '[0-9]{4}-[0-9]{2}-[0-9]{2}',
  time: '[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})',
}

const TYPES: Record<Filter['type'], Schema> = {
  id: { type: 'string', format: 'uuid' },
  text: { type: 'string', minLength: 1 },
  choice: { type: 'string' },
  flag: { type: 'boolean' },
  amount: { type: 'number', format: 'double', minimum: 0, maximum: 9_000_000_000_000 },
  number: { type: 'number', format: 'double' },
  search: { type: 'string', maxLength: 255 },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', format: 'date-time' },
}

const OPERATOR_MEANING: Record<Operator, string> = {
  eq: 'Equal to this value.',
  ne: 'Not equal to this value. A missing value counts as not equal.',
  in: `One of these values, separated by commas; at most ${MAX_IN}.`,
  gt: 'Greater than this value.',
  gte: 'Greater than or equal to this value.',
  lt: 'Less than this value.',
  lte: 'Less than or equal to this value.',
  contains: 'Contains this text.',
  starts_with: 'Starts with this text.',
}

const WALKS =
  'While you read the pages, a record whose `sort` value changes can change its place, and be missed or come twice: to get each exactly once, leave `sort` out or use `created_at`; to follow changes, poll. See "Pages".'

/** The filters with their operators, and the sort; `described` are the fields of the record. */
export function listParameters({ filters, sorts, custom }: Offered, described: Record<string, Schema>): Schema[] {
  const all = Object.entries(filters).flatMap(([name, filter]) =>
    operatorsOf(filter).map((operator): Schema => {
      const meaning = operator === 'eq' && (filter.description ?? described[name]?.description ?? FIELDS[name])
      return {
        name: operator === 'eq' ? name : `${name}[${operator}]`,
        in: 'query',
        description: `${meaning || OPERATOR_MEANING[operator]}${filter.isMember && operator === 'eq' ? ` \`${ME}\` is the member of the token.` : ''}`,
        schema: filterSchema(filter, operator),
      }
    }),
  )
  const names = Object.keys(sorts)
  if (names.length === 0) return all
  const description = `Sort order; a leading \`-\` means descending. Newest first by default.${referredIn(sorts)} ${WALKS}`
  const schema = custom
    ? { type: 'string', pattern: anchored(`-?${either([...names.map(escaped), CUSTOM_SORT])}`) }
    : { type: 'string', enum: names.flatMap((name) => [name, `-${name}`]) }
  return [...all, { name: 'sort', in: 'query', description, schema }]
}

/** What a sort by a reference goes by. */
function referredIn(sorts: Offered['sorts']): string {
  const named = Object.entries(sorts).flatMap(([name, { by }]) => (by ? [`\`${name}\` by ${by.meaning}`] : []))
  return named.length === 0
    ? ''
    : ` What a field refers to gives its order: ${named.join(', ')}; records of one stay together.`
}

function filterSchema(filter: Filter, operator: Operator): Schema {
  const { type, choices, nullable, isMember, maxLength = 2048 } = filter
  const own = choices ? either(choices.map(escaped)) : (filter.pattern?.source.slice(1, -1) ?? PATTERNS[type])
  const pattern = isMember && own ? either([ME, own]) : own
  if (operator === 'in') return { type: 'string', pattern: anchored(listOf(pattern ?? '[^,]+', MAX_IN)) }
  const canBeNull = nullable && (operator === 'eq' || operator === 'ne')
  if (choices) return { type: 'string', enum: canBeNull ? [...choices, 'null'] : choices }
  if (type === 'text') {
    const text = { ...TYPES.text, maxLength }
    return filter.pattern ? { ...text, pattern: anchored(canBeNull ? either(['null', pattern!]) : pattern!) } : text
  }
  if (canBeNull && pattern) return { type: 'string', pattern: anchored(either(['null', pattern])) }
  return isMember && pattern ? { type: 'string', pattern: anchored(pattern) } : TYPES[type]
}
