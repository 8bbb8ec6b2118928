import { isDeepStrictEqual } from 'node:util'
import type * as v from 'valibot'
import { nameOf } from '../../lib/fields.ts'
import { FIELDS, PROBLEM_SCHEMAS } from './openapi-parts.ts'
import { innermost, jsonSchema, refTo, type Schema, type Schemas } from './openapi-schema.ts'

export type Components = ReturnType<typeof components>

/**
 * The schemas of a document, each once under its name. Generators make a type of each, and invent a name for every
 * object that has none.
 */
export function components() {
  const schemas: Schemas = { ...PROBLEM_SCHEMAS }
  /** Names of what was added, by the object of its validation schema. */
  const added = new Map<object, string>()

  /** Throws if another schema has the name. */
  function put(name: string, schema: Schema): Schema {
    const known = schemas[name]
    if (known && !isDeepStrictEqual(plain(known), plain(schema))) throw new Error(`Two schemas are named ${name}.`)
    schemas[name] = known ?? schema
    return refTo(name)
  }

  function standIn(part: object, schema: Schema): Schema | undefined {
    const known = added.get(part)
    if (known) return refTo(known)
    const name = nameOf(part)
    return name === undefined ? undefined : put(name, schema)
  }

  function shapeOf(schema: v.GenericSchema): Schema {
    const shape = jsonSchema(schema, { put, standIn })
    for (const [field, property] of Object.entries(propertiesOf(shape)))
      if (FIELDS[field]) property.description ??= FIELDS[field]
    return shape
  }

  /** Adds what is returned, under its own name if it has one, and returns a reference. */
  function add(given: string, schema: v.GenericSchema): Schema {
    const object = innermost(schema)
    const known = added.get(object)
    if (known) return refTo(known)
    const name = nameOf(object) ?? given
    added.set(object, name)
    return put(name, shapeOf(schema))
  }

  /** Adds the body of a request, also if another one is the same, and returns a reference. */
  const addBody = (name: string, schema: v.GenericSchema): Schema => put(name, shapeOf(schema))

  return { schemas, put, add, addBody }
}

export const propertiesOf = (schema: Schema | undefined): Schemas => (schema?.properties ?? {}) as Schemas

/** As in the document: without symbols. */
const plain = (schema: Schema): unknown => JSON.parse(JSON.stringify(schema))
