import type * as v from 'valibot'
import * as f from '../lib/fields.ts'
import { fold } from '../lib/pure/fold.ts'
import { tidy } from '../lib/pure/invisible.ts'
import type { Reference } from '../store/list/query.ts'
import * as c from '../store/rows/columns.ts'
import { Address } from './address.ts'
import type { Blank, Given, ImportKind, Offers } from './record.ts'

// The common kinds of fields. A kind defines all possible uses of its fields, and the declaration of a field lists its
// actual uses. Smart lists can filter by every field. Bodies can set every field except `readOnly` ones.

type Use = 'filter' | 'sort' | 'import' | 'template'
/** The description in the API reference; null for fields that have the same description in all records. */
type Doc = string | null

/** A field of no common kind. Without `given`, it is not in Create and Patch unless the resource adds it. */
export const field = <Wire, More extends Offers & Partial<Given & Blank<Wire>>>(
  shape: v.GenericSchema<unknown, Wire>,
  column: (name: string) => c.Column<Wire>,
  more: More,
) => ({ shape, column, ...more })

function kind<Wire, Can extends Offers>(
  wire: v.GenericSchema<unknown, Wire>,
  column: (name: string) => c.Column<Wire>,
  blank: Wire,
  can: Can,
) {
  return (doc: Doc, ...uses: (keyof Can & Use)[]) => {
    const offers: Offers = Object.fromEntries(uses.map((use) => [use, can[use]]))
    if (can.list) offers.list = can.list
    return field(doc === null ? wire : f.doc(wire, doc), column, { ...offers, given: true, blank })
  }
}

const orNull = <Wire, Can extends Offers>(
  wire: v.GenericSchema<unknown, Wire>,
  column: (name: string) => c.Column<Wire | null>,
  can: Can,
) => kind<Wire | null, Can>(f.nullable(wire), column, null, can)

/** The public filter compares whole values exactly; smart lists ignore case and accents. */
const textual = <Import extends ImportKind>(imported: Import) => ({
  filter: { type: 'text', nullable: true } as const,
  list: { kind: 'text', normal: fold, folded: true } as const,
  import: { kind: imported },
  template: true as const,
})

/** A title or a name: required, and compared and sorted by its key. */
export function title(doc: string, ...uses: ('sort' | 'import' | 'template')[]) {
  const can = { sort: {}, list: { kind: 'text', normal: fold }, import: { kind: 'text' }, template: true } as const
  const { blank, ...rest } = kind(f.title, c.text, '', can)(doc, ...uses)
  return { ...rest, isKeyed: true as const }
}
export const text = orNull(f.line(), c.text, textual('text'))
export const longText = orNull(f.longText(), c.text, textual('text'))
export const url = orNull(f.url, c.text, textual('url'))
export const phone = orNull(f.phone, c.text, textual('phone'))
export const timezone = orNull(f.timezone, c.text, textual('zone'))
export const language = orNull(f.language, c.text, textual('language'))
export const currency = orNull(f.currency, c.plain, {
  ...textual('currency'),
  filter: { type: 'text', pattern: /^[A-Z]{3}$/, nullable: true },
})
export const externalId = (objects: 'contacts' | 'companies' | 'deals') =>
  orNull(f.externalId, c.text, { ...textual('text'), filter: { type: 'text', normal: tidy } })(
    `Id in another system; unique among the ${objects} of the organisation.`,
    'filter',
    'import',
  )

export const amount = orNull(f.amount, (name) => c.amount(`${name}_micros`), {
  filter: { type: 'amount', nullable: true },
  sort: { nullable: true, big: true },
  list: { kind: 'amount' },
  import: { kind: 'amount' },
  template: true,
})
export const count = orNull(f.count(), c.integer, {
  filter: { type: 'number', nullable: true },
  sort: { nullable: true },
  list: { kind: 'number' },
  import: { kind: 'count' },
  template: true,
})
export const date = orNull(f.date, c.plain, {
  filter: { type: 'date', nullable: true },
  sort: { nullable: true },
  list: { kind: 'date' },
  import: { kind: 'date' },
  template: true,
})
export const flag = kind(f.flag, c.bool, false, {
  filter: { type: 'flag' },
  list: { kind: 'flag' },
  import: { kind: 'flag' },
})
export const time = orNull(f.time, c.time, { list: { kind: 'time' }, import: { kind: 'time' } })
export const originallyCreated = () =>
  time('When the record was created in the system that it was imported from; the timeline shows it.', 'import')

/** A time that the store sets; null until then. */
export const timestamp = (doc: string) =>
  readOnly(orNull(f.recordFields.created_at, c.time, { list: { kind: 'time' } })(doc))

const IMPORTED_AS = { companies: 'company', contacts: 'contact', members: 'member', close_reasons: 'reason' } as const

/** The order of what is referred to: members are few, and need no index. */
const ORDERS: Partial<Record<string, Reference>> = {
  companies: { table: 'companies', key: 'r.name_key', index: 'companies_name', meaning: 'its name' },
  members: { table: 'members', key: 'fold(r.name)', meaning: 'the name' },
}

export const BY_STAGE: Reference = {
  table: 'stages',
  key: 'r.rank',
  index: 'stages_rank',
  meaning: 'its place, the stages of the default pipeline first',
}

export const reference = (target: keyof typeof IMPORTED_AS, doc: Doc, ...uses: ('filter' | 'sort' | 'import')[]) =>
  orNull(f.id, c.plain, {
    sort: { nullable: true, by: ORDERS[target] as Reference },
    filter: { type: 'id', nullable: true, ...(target === 'members' ? { isMember: true } : {}) },
    list: { kind: 'id', target },
    import: { kind: IMPORTED_AS[target] },
  })(doc, ...uses)

export function tags(object: 'contact' | 'company' | 'deal') {
  const link = { table: `${object}_tags`, key: `${object}_id`, column: 'tag_id' }
  return field(f.ids, c.json, {
    given: true,
    blank: [],
    filter: { name: 'tag_id', type: 'id', link },
    list: { kind: 'ids', column: 'tag_id', link, target: 'tags' },
    import: { kind: 'tags', many: true },
  })
}

/** Smart lists and imports have a field for each of its members. */
export const address = field(f.nullable(Address), c.json, { blank: null, import: { kind: 'address' } })

/** A field that the store sets and bodies cannot. */
export function readOnly<Any extends { given: true }>({ given, ...rest }: Any): Omit<Any, 'given'> {
  return rest
}
