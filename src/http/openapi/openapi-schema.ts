import { toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'

export type Schema = Record<string | symbol, unknown>
export type Schemas = Record<string, Schema>

/** "close reason" → "CloseReason", the name of its schema. */
export const pascal = (text: string): string =>
  text.replace(/(?:^|[ -])([a-z])/g, (_, letter: string) => letter.toUpperCase())
export const refTo = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
export const nameIn = ({ $ref }: Schema): string => String($ref).split('/').at(-1)!

export type Target = {
  /** Adds a component. */
  put: (name: string, schema: Schema) => void
  /** Returns what stands for a part of the schema: a reference, if it has a name. */
  standIn: (part: object, schema: Schema) => Schema | undefined
}

/** The rule from a check's message; JSON omits symbols. */
const RULE = Symbol('rule')

/**
 * The JSON Schema of a validation schema. Checks that JSON Schema cannot express are described by their message, and
 * the value after "such as" becomes the example.
 */
export function jsonSchema(schema: v.GenericSchema, { put, standIn }: Target): Schema {
  const own = innermost(schema)
  const { $schema, ...rest } = toJsonSchema(schema as never, {
    errorMode: 'ignore',
    target: 'draft-2020-12',
    overrideAction: ({ valibotAction, jsonSchema }) =>
      explain(jsonSchema as Schema, valibotAction as unknown as Record<string, unknown>, put),
    overrideSchema: ({ valibotSchema, jsonSchema: given }) => {
      const { type } = valibotSchema
      const found = given as Schema
      if (type === 'nullable') return orNull(found)
      if (type === 'number') return { ...found, format: 'double' } // else clients round amounts to 7 digits
      if ('default' in found) return withoutDefault(found)
      return (valibotSchema === own ? undefined : standIn(valibotSchema, found)) ?? null
    },
  }) as Schema
  return rest
}

/** The schema that a pipe begins with. */
export function innermost(schema: object): object {
  return 'pipe' in schema ? innermost((schema.pipe as [object])[0]) : schema
}

function explain(given: Schema, action: Record<string, unknown>, put: Target['put']): Schema {
  const { definitions = {}, ...schema } = given
  for (const [name, each] of Object.entries(definitions as Schemas)) put(name, each)
  if (action.type === 'integer') schema.format = 'int64'
  const rule = ruleOf(action.message)
  if (rule) return withExample({ ...schema, [RULE]: rule, description: rule })
  if (action.type === 'description')
    return withExample({ ...schema, description: sentences(action.description, schema[RULE]) })
  if (action.type === 'examples') return { ...schema, examples: action.examples }
  return schema
}

/** "invalid_date|must be a day of the calendar" → "A day of the calendar.", unless the type already implies it. */
function ruleOf(message: unknown): string | undefined {
  const [, code = '', article = '', rest] = /^(\w+)\|must be (an? )(.+)$/.exec(String(message)) ?? []
  if (!rest || code === 'invalid_id' || code === 'invalid_integer') return undefined
  return `A${article.slice(1)}${rest}.`
}

const sentences = (...all: unknown[]): string => all.filter(Boolean).join(' ')

function withExample(schema: Schema): Schema {
  const [, text, number] =
    /(?:such as|for example) (?:"([^"]+)"|(\d+(?:\.\d+)?))/i.exec(String(schema.description)) ?? []
  const types = [schema.type].flat()
  if (text && types.includes('string')) return { ...schema, examples: [text] }
  if (number && (types.includes('number') || types.includes('integer')))
    return { ...schema, examples: [Number(number)] }
  return schema
}

function orNull({ anyOf, ...rest }: Schema): Schema {
  const [inner] = anyOf as [Schema]
  if (inner.$ref) {
    const { $ref, ...beside } = inner
    return { anyOf: [{ $ref }, { type: 'null' }], ...beside, ...rest }
  }
  const choices = Array.isArray(inner.enum) ? { enum: [...inner.enum, null] } : {}
  return { ...inner, ...choices, type: [inner.type, 'null'], ...rest }
}

/** Clients send defaults of a body as if they were given, so that a change would set what it does not name. */
function withoutDefault({ default: value, ...rest }: Schema): Schema {
  if (value === null) return rest
  return { ...rest, description: sentences(rest.description, `\`${value}\` by default.`) }
}
