import { hash } from 'node:crypto'
import type { Schema } from './openapi-schema.ts'

type Resolve = (schema: Schema) => Schema

/** An example value for the schema: its first example, else any value of its type. */
export function sample(name: string, given: Schema, resolve: Resolve = (schema) => schema): unknown {
  const schema = resolve(given)
  const { examples, enum: choices, format, properties, items } = schema
  const union = schema.anyOf ?? schema.oneOf
  const types = [schema.type].flat()
  const [type] = types
  if (Array.isArray(examples)) return examples[0]
  if (Array.isArray(choices)) return choices.includes(null) ? null : choices[0]
  if (Array.isArray(union)) return union.some(({ type }) => type === 'null') ? null : sample(name, union[0], resolve)
  if (schema.readOnly && types.includes('null')) return null // not set by the server yet
  if (properties) {
    const fields = Object.entries(properties as Record<string, Schema>)
    return Object.fromEntries(fields.map(([field, each]) => [field, sample(field, each, resolve)]))
  }
  if (type === 'array') return [sample(name.replace(/s$/, ''), items as Schema, resolve)]
  if (type === 'integer' || type === 'number') return Math.max(Number(schema.minimum ?? 1), 1)
  if (type === 'boolean') return true
  if (format === 'uuid') return sampleId(name)
  if (format === 'date') return '2026-12-31'
  if (format === 'date-time') return '2026-11-20T08:36:00.000Z'
  if (/(url|website)$/.test(name)) return 'https://example.com/'
  if (/^(phone|number)$/.test(name)) return '+49 30 901820'
  return 'Example'
}

/** A UUID of version 7, always the same for a name. */
function sampleId(name: string): string {
  const digits = hash('sha256', name)
  return `019aa07f-${digits.slice(0, 4)}-7${digits.slice(4, 7)}-8${digits.slice(7, 10)}-${digits.slice(10, 22)}`
}

/**
 * An example of a valid body: the required fields, and those with an example, which an empty list of them is not. With `notThese` it is the body of a
 * change, to one other field if possible.
 */
export function exampleBody(schema: Schema, notThese?: readonly string[]): Record<string, unknown> {
  const all = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  const required = (schema.required ?? []) as string[]
  const hasExample = ({ examples }: Schema) => Array.isArray(examples) && examples.length > 0
  const shown = all.filter(([name, property]) => required.includes(name) || hasExample(property))
  const text = all.filter(([, property]) => [property.type].flat().includes('string')).slice(0, 1)
  const fit = notThese ? shown.filter(([name]) => !notThese.includes(name)) : shown
  const fields = notThese ? [...fit, ...shown, ...text].slice(0, 1) : fit.length > 0 ? fit : text
  return Object.fromEntries(fields.map(([name, property]) => [name, sample(name, property)]))
}
