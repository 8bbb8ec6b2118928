import { toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'

export type Schema = Record<string | symbol, unknown>

/** The rule from a check's message; JSON omits symbols. */
const RULE = Symbol('rule')

/**
 * The JSON Schema of a validation schema. Checks that JSON Schema cannot express are described by their message, and
 * the value after "such as" becomes the example.
 */
export function jsonSchema(schema: v.GenericSchema): Schema {
  const { $schema, ...rest } = toJsonSchema(schema as never, {
    errorMode: 'ignore',
    target: 'draft-2020-12',
    overrideAction: ({ valibotAction, jsonSchema }) =>
      explain(jsonSchema as Schema, valibotAction as unknown as Record<string, unknown>),
    overrideSchema: ({ valibotSchema, jsonSchema }) =>
      valibotSchema.type === 'nullable' ? orNull(jsonSchema as Schema) : null,
  }) as Schema
  return rest
}

function explain(schema: Schema, action: Record<string, unknown>): Schema {
  // A web address is anything that browsers accept, which is more than the `uri` of RFC 3986.
  if (schema.format === 'uri') delete schema.format
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
    const { $ref, definitions } = inner
    return { anyOf: [{ $ref }, { type: 'null' }], ...(definitions ? { definitions } : {}), ...rest }
  }
  const choices = Array.isArray(inner.enum) ? { enum: [...inner.enum, null] } : {}
  return { ...inner, ...choices, type: [inner.type, 'null'], ...rest }
}
