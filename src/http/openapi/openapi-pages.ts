import type { ListRoute, PollRoute } from '../route.ts'
import { type Components, propertiesOf } from './openapi-components.ts'
import { listParameters } from './openapi-filters.ts'
import { CURSOR, pollParameters, problemsOf, success } from './openapi-parts.ts'
import { nameIn, pascal, refTo, type Schema } from './openapi-schema.ts'

// Lists and streams: their parameters, and the page that they return.

const NEXT_CURSOR = { ...CURSOR, type: ['string', 'null'] }

/** `name` is that of the record. */
export function listParts(route: ListRoute, name: string, { schemas, add, put }: Components): Schema {
  const items = route.itemNames
    ? put(name, { oneOf: route.itemNames.map((item) => refTo(pascal(item))) })
    : add(name, route.item)
  const found = nameIn(items)
  const page = put(`${found}Page`, {
    type: 'object',
    required: ['data', 'next_cursor'],
    additionalProperties: false,
    properties: {
      data: { type: 'array', items, description: 'The records of this page.' },
      next_cursor: { ...NEXT_CURSOR, description: 'The `cursor` of the next page; null on the last page.' },
      total: {
        ...{ type: 'integer', format: 'int64', minimum: 0 },
        description: 'Number of records on all pages; only with `count=true`.',
      },
    },
  })
  const parameters = [...listParameters(route, propertiesOf(schemas[found])), ...paging('limit', 'cursor', 'count')]
  return { parameters, responses: { 200: success('A page of the list.', page, ['Link']), ...problemsOf(route) } }
}

export function pollParts(route: PollRoute, name: string, { add, put }: Components): Schema {
  const page = put(`${name}Page`, {
    type: 'object',
    required: ['data', 'last_seq', 'next_cursor'],
    additionalProperties: false,
    properties: {
      data: { type: 'array', items: add(name, route.item), description: 'Events in the order of `seq`.' },
      last_seq: {
        ...{ type: 'integer', format: 'int64', minimum: 0 },
        description: 'The position up to which events were read: use it as `after_seq` of the next request.',
      },
      next_cursor: {
        ...NEXT_CURSOR,
        description:
          'Not null if more events are available now. `data` can be empty nevertheless, if none of them has a requested type.',
      },
    },
  })
  return {
    parameters: [...pollParameters(route.patterns), ...paging('limit', 'cursor')],
    responses: { 200: success('The available events.', page, ['Link']), ...problemsOf(route) },
  }
}

export const paging = (...names: string[]): Schema[] =>
  names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
