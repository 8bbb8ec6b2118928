import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { screenHandlers, screenRoutes } from '../../src/site/routes.ts'
import { screenParts } from '../support/screens.ts'
import { startServer, type TestServer } from '../support/server.ts'

// Everything below /app, with the role that it needs. Each line is the contract of the browser app.
const ROUTES = `
GET    /app/bin                   member
POST   /app/bin/:event_id/restore member
GET    /app/board                 viewer
GET    /app/board/closed                   viewer
GET    /app/board/matches                  viewer
GET    /app/board/part                     viewer
GET    /app/board/totals                   viewer
GET    /app/boot                  viewer
POST   /app/bulk                  member
GET    /app/bulk/:id              member
POST   /app/bulk/:id/stop         member
POST   /app/bulk/:id/undo         member
POST   /app/conversations/:id/mailbox      member
POST   /app/conversations/:id/merge        member
POST   /app/conversations/:id/spam         member
DELETE /app/deals/:id             member
DELETE /app/drafts/:key           viewer
GET    /app/drafts/:key           viewer
PUT    /app/drafts/:key           viewer
DELETE /app/drafts/:key/files     member
GET    /app/drafts/:key/files     member
POST   /app/drafts/:key/files     member
DELETE /app/drafts/:key/files/:id member
GET    /app/drafts/:key/files/:id member
POST   /app/drafts/:key/files/copy member
POST   /app/drafts/:key/files/restore member
GET    /app/duplicates            member
GET    /app/inbox/:id/asides      viewer
GET    /app/inbox/:id/history     viewer
GET    /app/inbox/:id/recipients  viewer
GET    /app/inbox/:id/sla         viewer
GET    /app/inbox/:id/saved-replies        member
GET    /app/inbox/counts          viewer
GET    /app/inbox/new-mails       viewer
GET    /app/inbox/hits                     viewer
GET    /app/inbox/mailboxes       viewer
GET    /app/inbox/saved-replies    member
GET    /app/inbox/spam            viewer
POST   /app/inbox/spam/release    member
GET    /app/invites               admin
POST   /app/invites               admin
DELETE /app/invites/:id           admin
PATCH  /app/members/:id           admin
GET    /app/meetings/:id/transcript       viewer
GET    /app/meetings/hits         viewer
POST   /app/meetings/mails        member
POST   /app/members/:id/away      admin
POST   /app/members/:id/hand-over admin
DELETE /app/members/:id/sessions  admin
GET    /app/members/:id/sessions  admin
GET    /app/members/:id/work      admin
GET    /app/members/left          admin
GET    /app/members/seen          admin
POST   /app/merges                member
POST   /app/merges/:id/undo       member
GET    /app/merges/preview        member
POST   /app/messages             member
POST   /app/messages/:id/send-now member
POST   /app/messages/:id/take-back member
POST   /app/messages/:id/split             member
GET    /app/names                 viewer
GET    /app/notifications         viewer
POST   /app/notifications/read    viewer
GET    /app/operation             owner
POST   /app/people                member
POST   /app/people/read           member
GET    /app/preferences           viewer
PATCH  /app/preferences           viewer
GET    /app/reports/:name         viewer
GET    /app/reports/:name/list    viewer
GET    /app/rows/companies        viewer
GET    /app/rows/contacts         viewer
GET    /app/rows/conversations    viewer
GET    /app/rows/deals            viewer
DELETE /app/new-mails/:id/departure member
PUT    /app/new-mails/:id/departure member
GET    /app/rules                 viewer
POST   /app/rules                 admin
DELETE /app/rules/:id             admin
PATCH  /app/rules/:id             admin
PUT    /app/rules/:id/place       admin
POST   /app/rules/try             viewer
GET    /app/sequences             viewer
POST   /app/sequences             admin
PATCH  /app/sequences/:id         admin
GET    /app/sequences/:id/flow    viewer
POST   /app/sequences/preview     viewer
POST   /app/enrollments/preview   member
DELETE /app/sample                owner
GET    /app/sample                owner
GET    /app/satisfaction          viewer
PUT    /app/satisfaction          admin
GET    /app/satisfaction/counts   viewer
GET    /app/saved-replies         viewer
POST   /app/saved-replies         member
DELETE /app/saved-replies/:id     member
GET    /app/saved-replies/:id     viewer
PATCH  /app/saved-replies/:id     member
GET    /app/sessions              viewer
DELETE /app/sessions/:id          viewer
GET    /app/steps                          member
POST   /app/steps/:id/undo                 member
GET    /app/timeline              viewer
DELETE /app/tokens/:id            admin
GET    /app/tokens/list           admin
POST   /app/undo                  member
GET    /app/views                 viewer
POST   /app/views                 viewer
DELETE /app/views/:id             viewer
GET    /app/views/:id             viewer
PATCH  /app/views/:id             viewer
GET    /app/whereabouts           viewer
`

/** What needs no session, sets a cookie, is a stream or takes a secret. */
const HANDLERS = `
POST   /app/links/accept                   -
POST   /app/links/check                    -
POST   /app/login                          -
POST   /app/logout                         -
GET    /app/mail-body                      viewer
GET    /app/mail-original                  viewer
GET    /app/mail-original.eml              viewer
GET    /app/shown-file                     viewer
POST   /app/operation/backup                owner
POST   /app/operation/drill                 owner
POST   /app/password                       viewer
POST   /app/presence                       viewer
POST   /app/setup                          -
GET    /app/stream                         viewer
POST   /app/tokens                         admin
DELETE /app/totp                           viewer
POST   /app/totp                           viewer
POST   /app/totp/confirm                   viewer
`

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

function shown(rows: readonly { method: string; path: string; role: string | null }[]): string {
  return rows
    .map(({ method, path, role }) => `${method.toUpperCase().padEnd(7)}${path.padEnd(36)}${role ?? '-'}`)
    .sort((one, other) => one.slice(7).localeCompare(other.slice(7)) || one.localeCompare(other))
    .join('\n')
}

const parsed = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/))
    .map(([method = '', path = '', role = '']) => ({ method, path, role: role === '-' ? null : role }))

test('every path below /app is known, and the role that it needs', () => {
  const all = screenParts(server)
  const routes = screenRoutes(all).map(({ method, path, role }) => ({
    method,
    path: `/app${path}`,
    role: role ?? null,
  }))
  assert.equal(shown(routes), shown(parsed(ROUTES)))
  assert.equal(shown(screenHandlers(all)), shown(parsed(HANDLERS)))
})
