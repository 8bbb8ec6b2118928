import type * as v from 'valibot'
import * as f from '../lib/fields.ts'
import type { Filter } from '../store/list/conditions.ts'
import type { Sort } from '../store/list/query.ts'
import * as c from '../store/rows/columns.ts'
import { CustomFields } from './custom-fields/values.ts'
import type { ListField } from './list-field.ts'

// A record is declared once, with its fields in the order of the wire form; deal.ts is an example. The declaration
// determines the wire form, the columns, the blank record, the filters and sorts of the list, the fields of smart lists
// and imports, and the variables of sequence templates.

/** How an import reads the cells of a field; imports/csv/fields.ts adds more kinds. */
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
  | 'time'
  | 'flag'
  | 'consent'
  | 'language'
  | 'zone'
  | 'company'
  | 'contact'
  | 'member'
  | 'tags'
  | 'stage'
  | 'status'
  | 'reason'

/** Where a field can be used. `record` adds missing columns. */
export type Offers = {
  /** A query parameter of the list, under the name of the field or `name`. Needs an index. */
  filter?: Filter & { name?: string }
  /** Needs an index. */
  sort?: Omit<Sort, 'column'>
  /** A field for the filters of smart lists. */
  list?: Omit<ListField, 'column'> & { column?: string }
  /** `many`: several columns of a file may map to it. */
  import?: { kind: ImportKind; many?: true }
  /** A variable of sequence templates. */
  template?: true
  /** Compared and sorted by a second, folded column, such as `title_key`. */
  isKeyed?: true
}

/** Create and Patch accept the field in the form in which it is returned. */
export type Given = { given: true }
/** The default value in a new record. */
export type Blank<Wire> = { blank: Wire }

/** `column` takes the name of the field. */
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
 * Declares a record with these fields between its id and its custom fields. The filters and sorts of the `first` fields
 * come first in the API reference; the others follow in declaration order.
 */
export function record<Own extends Fields>(own: Own, first: readonly (keyof Own & string)[] = []) {
  const names = Object.keys(own)
  const offered = [...first, ...names.filter((name) => !first.includes(name))]

  /** Merges the results of `of` for all fields into one object. */
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
    /** The members that Create and Patch accept in the form in which they are returned. */
    given: collect(names, ({ shape, given }, name) => (given ? { [name]: shape } : {})) as GivenShapes<Own>,
    /** A new record without given values. It has all members, in order, but its type only those with a default. */
    blank: {
      id: undefined,
      ...collect<unknown>(names, ({ blank }, name) => ({ [name]: Object.freeze(blank) })),
      custom_fields: undefined,
      created_at: undefined,
      updated_at: undefined,
      version: undefined,
    } as unknown as Readonly<Blanks<Own>>,
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
        const { name: parameter = name, ...filter } = field.filter
        const column = keyOf(field, name)
        return { [parameter]: filter.link || column === parameter ? filter : { ...filter, column } }
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
    /** The fields that smart lists can filter by. */
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
    /** The names of the fields that sequence templates can use. */
    templateFields: names.filter((name) => own[name]?.template) as (keyof Own & string)[],
  }
}
