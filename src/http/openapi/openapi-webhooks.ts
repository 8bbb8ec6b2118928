import { EVENT_NAMES, resourceOf } from '../../events/names.ts'
import { type Components, propertiesOf } from './openapi-components.ts'
import { pascal, refTo, type Schema, type Schemas } from './openapi-schema.ts'

// What webhooks receive, for each event type: an event as in the stream, with the record in its own form.

const header = (name: string, description: string): Schema => ({
  ...{ name, in: 'header', required: true, description },
  schema: { type: 'string' },
})

const HEADERS = [
  header('webhook-id', 'Id of the event, the same for each attempt to deliver it: skip what you have already.'),
  header(
    'webhook-timestamp',
    'When this attempt was made, in seconds since 1970. Refuse what is older than 5 minutes.',
  ),
  header(
    'webhook-signature',
    'One or more of `v1,<base64>` with spaces between them (Standard Webhooks): HMAC-SHA256 of `<id>.<timestamp>.<body>`, with the bytes of the secret behind `whsec_`, which are in base64, as the key.',
  ),
]

/** Needs the schemas of the stream, and of the records in its events. */
export function webhooksOf({ schemas, put }: Components): Record<string, Schema> {
  return Object.fromEntries(
    EVENT_NAMES.map((type) => [type, { post: receivedOf(type, eventOf(resourceOf(type), schemas, put)) }]),
  )
}

function receivedOf(type: string, event: Schema): Schema {
  return {
    operationId: `on${pascal(type.replace(/[._]/g, ' ')).replaceAll(' ', '')}`,
    summary: `Receive ${type}`,
    description: `Dealbox sends this to webhooks with \`${type}\` in their \`event_types\`.`,
    tags: ['Webhooks'],
    security: [],
    parameters: HEADERS,
    requestBody: { required: true, content: { 'application/json': { schema: event } } },
    responses: {
      '2XX': { description: 'Received. The body of the response does not matter.' },
      '4XX': { description: 'Not received, as with any other status: Dealbox tries again for three days.' },
    },
  }
}

/** The event of a resource: as any event, but its type is one of them, and its object is the record. */
function eventOf(resource: string, schemas: Schemas, put: Components['put']): Schema {
  const name = pascal(resource.replaceAll('_', ' '))
  const types = EVENT_NAMES.filter((type) => resourceOf(type) === resource)
  const record = refTo(name in schemas ? name : `Record${name}`)
  const { description, ...general } = schemas.Event as Schema
  const data = schemas.EventData as Schema
  const object = { ...propertiesOf(data).object, ...record }
  for (const unused of ['type', 'additionalProperties', 'propertyNames']) delete (object as Schema)[unused]
  const own = put(`${name}EventData`, { ...data, properties: { ...propertiesOf(data), object } })
  const properties = { ...propertiesOf(general), type: { type: 'string', enum: types }, data: own }
  return put(`${name}Event`, { ...general, description: `An event of a ${resource.replaceAll('_', ' ')}.`, properties })
}
