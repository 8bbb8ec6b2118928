import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { linkStore, purgeLinks, SIGN_IN_MS } from '../../src/auth/links.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { startServer, type TestServer } from '../support/server.ts'

// An organisation that is being received from another server is filled by that one, and by nobody here.

let server: TestServer
let secret: string
beforeEach(async () => {
  server = await startServer()
  const { store, a, b } = server
  store.transaction(() => {
    secret = linkStore(store).makeSignIn(a.org, a.owner)
    linkStore(store).makeSignIn(b.org, b.owner)
  })
})
afterEach(() => server.stop())

const stage = (state: 'staged' | 'open') =>
  server.store.db.prepare('UPDATE orgs SET state = ? WHERE id = ?').run(state, server.a.org)
const orgsWithLinks = () => server.store.db.prepare('SELECT org_id FROM sign_in_links ORDER BY org_id').pluck().all()
const purge = () => server.store.transaction(() => purgeLinks(server.store))

test('expired links are deleted after a month, but for those of an organisation that is being received', () => {
  const { a, b } = server
  server.advance(SIGN_IN_MS + 30 * DAY_MS - 1)
  purge()
  assert.deepEqual(orgsWithLinks(), [a.org, b.org])
  server.advance(1)
  stage('staged')
  purge()
  assert.deepEqual(orgsWithLinks(), [a.org])
  stage('open')
  purge()
  assert.deepEqual(orgsWithLinks(), [])
})

test('a link of an organisation that is being received does not work yet', () => {
  const { find } = linkStore(server.store)
  stage('staged')
  assert.equal(find(secret), undefined)
  stage('open')
  assert.equal(find(secret)?.org, server.a.org)
})
