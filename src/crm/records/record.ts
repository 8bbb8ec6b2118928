import type * as v from 'valibot'
import * as f from '../../lib/fields.ts'
import * as c from '../../store/columns.ts'
import type { Filter } from '../../store/list/conditions.ts'
import type { Sort } from '../../store/list/page.ts'
import { CustomFields } from '../custom-fields/values.ts'
import type { ListField } from './list-field.ts'

// A record is declared once, field by field in the order of its wire form: see deal.ts. All that is the same for each
// field follows from that: the wire form, the columns, the record before anything is set, what lists filter and sort
// by, and what imports and the texts of sequences can name.

/** What the cells of a file hold for a field; imports/csv/fields.ts has more kinds. */
export type ImportKind =
  | 'text'
  | 'fullName'
  | 'emails'
  | 'phones'
  | 'address'
  | 'phone'
  | 'url'
  | 'domains'
  | 'amount'
  | 'count'
  | 'currency'
  | 'date'
  | 'flag'
  | 'language'
  | 'company'
  | 'contact'
  | 'member'
  | 'tags'
  | 'stage'
  | 'status'
  | 'reason'

/** Where a field can be used. Columns are put in by `record`, where the entry does not name its own. */
export type Offers = {
  /** In the query of the list, under its own name or that in `name`. Needs an index. */
  filter?: Filter & { name?: string }
  /** Needs an index. */
  sort?: Omit<Sort, 'column'>
  /** In the filters of smart lists. */
  list?: Omit<ListField, 'column'> & { column?: string }
  /** `many`: several columns of the file may fill it. */
  import?: { kind: ImportKind; many?: true }
  /** In the texts of sequences. */
  template?: true
  /** It is compared and sorted by a second column, folded, such as `title_key`. */
  isKeyed?: true
}

/** Create and change take the field as it is answered. */
export type Given = { given: true }
/** What it is in a new record, until it is set. */
export type Blank<Wire> = { blank: Wire }

/** The column is that of the field with this name. */
type Field = Offers & { shape: v.GenericSchema; column: (name: string) => c.Column } & Partial<Given & Blank<unknown>>

type Fields = Record<string, Field>
type Shapes<Own extends Fields> = { [Name in keyof Own]: Own[Name]['shape'] }
type Columns<Own extends Fields> = { [Name in keyof Own]: ReturnType<Own[Name]['column']> }
type GivenShapes<Own extends Fields> = {
  [Name in keyof Own as Own[Name] extends Given ? Name : never]: Own[Name]['shape']
}
type Blanks<Own extends Fields> = {
  [Name in keyof Own as Own[Name] extends Blank<unknown> ? Name : never]: v.InferOutput<Own[Name]['shape']>
}

const TIME_FILTER: Filter = { type: 'time' }

/**
 * A record with these fields between its id and its custom fields. `first` are the fields by whose filters and sorts the
 * API reference begins; the others follow in their own order.
 */
export function record<Own extends Fields>(own: Own, first: readonly (keyof Own & string)[] = []) {
  const names = Object.keys(own)
  const offered = [...first, ...names.filter((name) => !first.includes(name))]

  /** What `of` makes of each field, by the name that it gives. */
  function collect<Value>(from: string[], of: (field: Field, name: string) => Record<string, Value>) {
    return Object.assign({}, ...from.map((name) => of(own[name] as Field, name))) as Record<string, Value>
  }
  const columns = collect(names, ({ column }, name) => ({ [name]: column(name) }))
  const keyOf = ({ isKeyed }: Field, name: string): string =>
    isKeyed ? `${name}_key` : (columns[name] as c.Column).name

  return {
    /** The members of the wire form. */
    entries: {
      id: f.id,
      ...(collect(names, ({ shape }, name) => ({ [name]: shape })) as Shapes<Own>),
      custom_fields: CustomFields,
      ...f.recordFields,
    },
    /** Those that Create and Patch take as they are answered. */
    given: collect(names, ({ shape, given }, name) => (given ? { [name]: shape } : {})) as GivenShapes<Own>,
    /** A new record of which nothing is set. All members have their places; its type has those with a value. */
    blank: Object.freeze({
      id: undefined,
      ...collect<unknown>(names, ({ blank }, name) => ({ [name]: Object.freeze(blank) })),
      custom_fields: undefined,
      created_at: undefined,
      updated_at: undefined,
      version: undefined,
    }) as unknown as Blanks<Own>,
    columns: {
      id: c.plain('id'),
      ...(columns as Columns<Own>),
      custom_fields: c.json('custom_fields'),
      created_at: c.time('created_at'),
      updated_at: c.time('updated_at'),
      version: c.integer('version'),
    },
    filters: {
      ...collect(offered, (field, name): Record<string, Filter> => {
        if (!field.filter) return {}
        const { name: called = name, ...filter } = field.filter
        const column = keyOf(field, name)
        return { [called]: filter.link || column === called ? filter : { ...filter, column } }
      }),
      created_at: TIME_FILTER,
      updated_at: TIME_FILTER,
    },
    sorts: {
      created_at: { column: 'id' },
      updated_at: { column: 'updated_at' },
      ...collect(offered, (field, name): Record<string, Sort> => {
        return field.sort ? { [name]: { ...field.sort, column: keyOf(field, name) } } : {}
      }),
    } as Record<string, Sort>,
    /** What smart lists filter by. */
    listFields: {
      ...collect(names, (field, name): Record<string, ListField> => {
        const { list, filter, isKeyed } = field
        const isIndexed = isKeyed || (filter !== undefined && !list?.folded)
        return list ? { [name]: { column: keyOf(field, name), indexed: isIndexed, ...list } } : {}
      }),
      created_at: { kind: 'time', column: 'id', indexed: true },
      updated_at: { kind: 'time', column: 'updated_at', indexed: true },
    } as Record<string, ListField>,
    importFields: collect(names, (field, name) => (field.import ? { [name]: field.import } : {})),
    /** The names of those that the texts of sequences can have in them. */
    templateFields: names.filter((name) => own[name]?.template) as (keyof Own & string)[],
  }
}
