import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { PREFIX } from '../../src/app/api.ts'
import { openApiDocument } from '../../src/http/openapi/openapi.ts'
import type { Route } from '../../src/http/route.ts'

export type Seen = {
  method: string
  path: string
  requestBody?: unknown
  status: number
  type: string | null
  body: unknown
}

type ReceivedEvent = { type: string }

type Operation = {
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { $ref?: string; content?: Record<string, object> }>
}

/**
 * Compares the server with the OpenAPI document: status, media type and body of a response, and that every accepted
 * request body is valid according to the document.
 */
export function conformance(routes: readonly Route[]): ReturnType<typeof conforming> {
  const catalog = routes.map(({ method, path }) => `${method} ${path}`).join('\n')
  const cached = cache.get(catalog) ?? conforming(routes)
  cache.set(catalog, cached)
  return cached
}

/** Cached by catalog: the document and its compiled schemas are the same for every server of a process. */
const cache = new Map<string, ReturnType<typeof conforming>>()

function conforming(routes: readonly Route[]) {
  const document = JSON.parse(JSON.stringify(openApiDocument(routes, PREFIX, '0.0.0')))
  // The linter checks the document itself: see openapi.test.ts.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false })
  ;(addFormats as unknown as (ajv: Ajv2020) => void)(ajv)
  ajv.addSchema(document, 'openapi')

  const pointerStep = (step: string) => step.replace(/~/g, '~0').replace(/\//g, '~1')
  const validators = new Map<string, ValidateFunction>()
  const validator = (...steps: string[]) => {
    const path = steps.map(pointerStep).join('/')
    let cached = validators.get(path)
    if (!cached) {
      const reference = `openapi#/${path.split('/').map(encodeURIComponent).join('/')}`
      cached = ajv.getSchema(reference) ?? ajv.compile({ $ref: reference })
      validators.set(path, cached)
    }
    return cached
  }

  /** A fixed path takes precedence: /webhooks/events is not a webhook. */
  function templateOf(path: string): string | undefined {
    const [plain = ''] = path.split('?')
    const steps = plain.split('/')
    if (plain in document.paths) return plain
    const templates = Object.keys(document.paths)
    return templates.find((template) => {
      const parts = template.split('/')
      return (
        parts.length === steps.length && parts.every((part, index) => part.startsWith('{') || part === steps[index])
      )
    })
  }

  /** Compares an event with the body that webhooks receive according to the document. */
  function received(event: ReceivedEvent): void {
    const valid = validator('webhooks', event.type, 'post', 'requestBody', 'content', 'application/json', 'schema')
    assert.ok(valid(event), `${event.type}: ${ajv.errorsText(valid.errors)} in ${JSON.stringify(event)}`)
  }

  function check({ method, path, requestBody, status, type, body }: Seen): void {
    const what = `${method} ${path} → ${status}`
    const problem = () => {
      const valid = validator('components', 'schemas', 'Problem')
      assert.ok(valid(body), `${what}: ${ajv.errorsText(valid.errors)} in ${JSON.stringify(body)}`)
      assert.equal((body as { status: number }).status, status, what)
    }
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
    const template = templateOf(path)
    const operation: Operation | undefined = template === undefined ? undefined : document.paths[template][verb]
    if (!operation) {
      if (status >= 400 && body !== undefined) problem()
      return
    }
    const answer = operation.responses[status]
    assert.ok(answer, `${what} is not in the document: ${JSON.stringify(body)}`)
    if (body === undefined) return
    if (answer.$ref) {
      assert.equal(type, 'application/problem+json', what)
      problem()
      return
    }
    assert.equal(type, 'application/json', what)
    assert.ok(answer.content?.[type as string], `${what} has a body`)
    const valid = validator(
      'paths',
      template as string,
      verb,
      'responses',
      String(status),
      'content',
      type as string,
      'schema',
    )
    assert.ok(valid(body), `${what}: ${ajv.errorsText(valid.errors)} in ${JSON.stringify(body)}`)
    if (requestBody !== undefined && operation.requestBody) {
      const allows = validator(
        'paths',
        template as string,
        verb,
        'requestBody',
        'content',
        'application/json',
        'schema',
      )
      assert.ok(
        allows(requestBody),
        `${what} accepted what the document forbids: ${ajv.errorsText(allows.errors)} in ${JSON.stringify(requestBody)}`,
      )
    }
  }

  return { check, received, document }
}
