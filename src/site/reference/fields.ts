import { type Content, type Html, html, join } from '../html.ts'
import { nameOf, type OpenApi, type Parameter, resolve, type Schema } from './document.ts'
import { inline } from './markdown.ts'

// Lists of fields with their types and limits.

/** The document, the names of what is shown where it is used, and the URL of the API. */
export type DocumentContext = { document: OpenApi; parts: ReadonlySet<string>; apiUrl: string }

type Row = { name: Content; marks: Content[]; schema: Schema; description: string | undefined }

const rows = (place: DocumentContext, all: readonly Row[]): Html =>
  html`<dl class="fields">${all.map(
    ({ name, marks, schema, description }) => html`<div>
<dt>${name}${marks.map((mark) => html` <span class="mark">${mark}</span>`)}</dt>
<dd><p class="type">${join([typeOf(place, schema), ...limits(schema)], ' · ')}</p>${description && html`<p>${inline(description)}</p>`}</dd>
</div>`,
  )}</dl>`

/**
 * Lists the fields of an object and of nested objects. For a body it marks required fields, for a response optional
 * ones.
 */
export function fieldList(place: DocumentContext, schema: Schema, kind: 'body' | 'answer'): Html {
  return rows(place, fieldsOf(place, schema, kind))
}

function fieldsOf(place: DocumentContext, schema: Schema, kind: 'body' | 'answer', path = ''): Row[] {
  if (schema.oneOf) return schema.oneOf.flatMap((each) => fieldsOf(place, shown(place, each), kind, path))
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const isRequired = schema.required?.includes(name)
    const marks = [
      kind === 'body' && isRequired && 'required',
      kind === 'answer' && !isRequired && 'optional',
      field.readOnly && 'read-only',
    ].filter(Boolean)
    const row = {
      name: html`<code>${path && html`<span class="path">${path}</span>`}${name}</code>`,
      marks,
      schema: field,
      description: field.description,
    }
    const inner = shown(place, field.items ?? field.anyOf?.find(nameOf) ?? field)
    return [row, ...fieldsOf(place, inner, kind, `${path}${name}${field.items ? '[]' : ''}.`)]
  })
}

/** What a reference to a part stands for. */
const shown = ({ document, parts }: DocumentContext, schema: Schema): Schema =>
  parts.has(nameOf(schema) ?? '') ? resolve(document, schema) : schema

/** Lists parameters, one row each; `amount[gte]` is an operator in the row of `amount`. */
export function parameterList(place: DocumentContext, parameters: readonly Parameter[]): Html {
  const bases = Map.groupBy(parameters, ({ name }) => name.replace(/\[\w+\]$/, ''))
  return rows(
    place,
    [...bases].map(([base, all]) => {
      const [first] = all as [Parameter]
      const operators = all.filter(({ name }) => name !== base)
      return {
        name: [
          html`<code>${base}</code>`,
          operators.length > 0 &&
            html` <span class="operators">${operators.map(
              ({ name, description }) => html`<code title="${description}">${name.slice(base.length)}</code> `,
            )}</span>`,
        ],
        marks: first.required ? ['required'] : [],
        schema: first.schema,
        description: first.description,
      }
    }),
  )
}

const FORMATS: Record<string, string> = { uuid: 'UUID', date: 'date', 'date-time': 'time' }
const code = (value: unknown): Html => html`<code>${value === null ? 'null' : String(value)}</code>`

export function typeOf(place: DocumentContext, given: Schema): Content {
  const schema = shown(place, given)
  const name = nameOf(schema)
  if (name) return html`<a href="#schema-${name}">${name}</a>`
  const union = schema.anyOf ?? schema.oneOf
  if (union) {
    return join(
      union.map((each) => typeOf(place, each)),
      ' or ',
    )
  }
  if ('const' in schema) return code(schema.const)
  if (schema.enum) return join(plainChoices(schema.enum).map(code), ' or ')
  const types = [schema.type ?? 'any'].flat().map((type): Content => {
    if (type === 'array') return ['array of ', schema.items ? typeOf(place, schema.items) : 'anything']
    return type === 'string' ? (FORMATS[schema.format ?? ''] ?? schema.format ?? type) : type
  })
  return join(types, ' or ')
}

/** Returns the choices without those that only add "-" to another one, which reverses a sort. */
const plainChoices = (choices: unknown[]): unknown[] =>
  choices.filter((choice) => !(String(choice).startsWith('-') && choices.includes(String(choice).slice(1))))

function limits(schema: Schema): Content[] {
  const { minLength, maxLength, minimum, maximum, maxItems, pattern, format } = schema
  return [
    range(minLength, maxLength, ' characters'),
    range(minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum, ''),
    range(undefined, maxItems, ' items'),
    // A long pattern is clearer from its description.
    pattern && !format && pattern.length <= 40 && html`matches <code>${pattern}</code>`,
    'default' in schema && html`default ${code(schema.default)}`,
  ].filter(Boolean)
}

function range(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  const write = (bound: number) => bound.toLocaleString('en')
  if (least !== undefined && most !== undefined) return `${write(least)} to ${write(most)}${unit}`
  if (most !== undefined) return `at most ${write(most)}${unit}`
  return least === undefined ? undefined : `at least ${write(least)}${unit}`
}
