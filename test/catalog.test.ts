import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SCOPES } from '../src/auth/scopes.ts'
import { startServer, type TestServer } from './support/server.ts'

// The public surface. A change here is a change of the contract.
const CATALOG = `
GET    /close-reasons                                  rest.crm.deals.read
GET    /companies                                      rest.crm.companies.read
POST   /companies                                      rest.crm.companies.write
DELETE /companies/:id                                  rest.crm.companies.write
GET    /companies/:id                                  rest.crm.companies.read
PATCH  /companies/:id                                  rest.crm.companies.write
GET    /contacts                                       rest.crm.contacts.read
POST   /contacts                                       rest.crm.contacts.write
DELETE /contacts/:id                                   rest.crm.contacts.write
GET    /contacts/:id                                   rest.crm.contacts.read
PATCH  /contacts/:id                                   rest.crm.contacts.write
GET    /conversations                                  rest.inbox.conversations.read
GET    /conversations/:id                              rest.inbox.conversations.read
PATCH  /conversations/:id                              rest.inbox.conversations.write
GET    /conversations/:id/messages                     rest.inbox.conversations.read
GET    /custom-fields                                  rest.crm.custom_fields.read
POST   /custom-fields                                  rest.crm.custom_fields.write
DELETE /custom-fields/:id                              rest.crm.custom_fields.write
GET    /custom-fields/:id                              rest.crm.custom_fields.read
PATCH  /custom-fields/:id                              rest.crm.custom_fields.write
GET    /deals                                          rest.crm.deals.read
POST   /deals                                          rest.crm.deals.write
GET    /deals/:id                                      rest.crm.deals.read
PATCH  /deals/:id                                      rest.crm.deals.write
POST   /deals/:id/close                                rest.crm.deals.write
GET    /enrollments                                    rest.sequences.enrollments.read
POST   /enrollments                                    rest.sequences.enrollments.write
GET    /enrollments/:id                                rest.sequences.enrollments.read
PATCH  /enrollments/:id                                rest.sequences.enrollments.write
GET    /hours                                          rest.inbox.hours.read
GET    /hours/:id                                      rest.inbox.hours.read
GET    /lists                                          rest.crm.lists.read
POST   /lists                                          rest.crm.lists.write
DELETE /lists/:id                                      rest.crm.lists.write
GET    /lists/:id                                      rest.crm.lists.read
PATCH  /lists/:id                                      rest.crm.lists.write
GET    /lists/:id/members                              rest.crm.lists.read
POST   /lists/:id/members                              rest.crm.lists.write
GET    /meetings                                       rest.meetings.meetings.read
POST   /meetings                                       rest.meetings.meetings.write
DELETE /meetings/:id                                   rest.meetings.meetings.write
GET    /meetings/:id                                   rest.meetings.meetings.read
PATCH  /meetings/:id                                   rest.meetings.meetings.write
DELETE /meetings/:id/transcript                        rest.meetings.transcript.write
GET    /meetings/:id/transcript                        rest.meetings.transcript.read
PUT    /meetings/:id/transcript                        rest.meetings.transcript.write
GET    /members                                        rest.crm.members.read
GET    /members/:id                                    rest.crm.members.read
GET    /members/me                                     rest.crm.members.read
POST   /messages                                       rest.inbox.messages.write
GET    /messages/:id                                   rest.inbox.messages.read
GET    /messages/:id/attachments/:attachment_id        rest.inbox.messages.read
POST   /messages/:id/cancel                            rest.inbox.messages.write
GET    /notes                                          rest.crm.notes.read
POST   /notes                                          rest.crm.notes.write
DELETE /notes/:id                                      rest.crm.notes.write
GET    /notes/:id                                      rest.crm.notes.read
PATCH  /notes/:id                                      rest.crm.notes.write
GET    /sequences                                      rest.sequences.sequences.read
GET    /sequences/:id                                  rest.sequences.sequences.read
GET    /sequences/:id/performance                      rest.sequences.sequences.read
GET    /sla                                            rest.inbox.sla.read
GET    /sla/:id                                        rest.inbox.sla.read
GET    /stages                                         rest.crm.stages.read
GET    /stages/:id                                     rest.crm.stages.read
GET    /tags                                           rest.crm.tags.read
POST   /tags                                           rest.crm.tags.write
DELETE /tags/:id                                       rest.crm.tags.write
GET    /tags/:id                                       rest.crm.tags.read
PATCH  /tags/:id                                       rest.crm.tags.write
GET    /tasks                                          rest.crm.tasks.read
POST   /tasks                                          rest.crm.tasks.write
DELETE /tasks/:id                                      rest.crm.tasks.write
GET    /tasks/:id                                      rest.crm.tasks.read
PATCH  /tasks/:id                                      rest.crm.tasks.write
GET    /webhooks                                       rest.crm.webhooks.read
POST   /webhooks                                       rest.crm.webhooks.write
DELETE /webhooks/:id                                   rest.crm.webhooks.write
GET    /webhooks/:id                                   rest.crm.webhooks.read
PATCH  /webhooks/:id                                   rest.crm.webhooks.write
GET    /webhooks/:id/deliveries                        rest.crm.webhooks.read
POST   /webhooks/:id/deliveries/:delivery_id/redeliver rest.crm.webhooks.write
POST   /webhooks/:id/rotate-secret                     rest.crm.webhooks.write
POST   /webhooks/:id/test                              rest.crm.webhooks.write
GET    /webhooks/events                                rest.crm.webhooks.read
`

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

test('the catalog is this, to the method, path and scope', () => {
  const order = ([, path, method]: string[]) => `${path} ${method}`
  const lines = server.routes
    .map(({ method, path, scope }) => [scope as string, path, method.toUpperCase()])
    .sort((left, right) => (order(left) < order(right) ? -1 : 1))
    .map(([scope, path, method]) => `${method?.padEnd(6)} ${path?.padEnd(47)} ${scope}`)
  assert.deepEqual(lines, CATALOG.trim().split('\n'))
})

test('every scope is asked for by a route, and every route asks for a scope that there is', () => {
  assert.deepEqual([...new Set(server.routes.map((route) => route.scope))].sort(), [...SCOPES].sort())
})

test('what changes needs a write scope, and what reads a read scope', () => {
  for (const { method, path, scope } of server.routes) {
    assert.ok(scope.endsWith(method === 'get' ? '.read' : '.write'), `${method} ${path}: ${scope}`)
  }
})

test('nothing answers outside of the catalog', async () => {
  for (const path of [
    '/',
    '/health',
    '/livez',
    '/openapi.json',
    '/metrics',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v2/deals',
    '/API/V1/deals',
  ]) {
    const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${server.a.token}` } })
    assert.equal(response.status, 404, path)
    assert.equal(response.headers.get('content-type'), 'application/problem+json', path)
  }
})
