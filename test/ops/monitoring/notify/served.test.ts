import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { credentialStore } from '../../../../src/auth/credentials.ts'
import { passwords } from '../../../../src/auth/passwords.ts'
import { auditLog } from '../../../../src/events/audit/log.ts'
import { lastBackup } from '../../../../src/ops/backup/state.ts'
import { verifyBackup } from '../../../../src/ops/backup/verify.ts'
import { openStore } from '../../../../src/store/open.ts'
import { openEmptyStore } from '../../../support/empty-store.ts'
import { makeOrg } from '../../../support/org.ts'
import type { Row } from '../../../support/records.ts'
import { type Served, serve } from '../../../support/served.ts'

// The whole server, as "dealbox serve" starts it: an owner looks at its operation, and starts a backup and a drill.

const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-notices-'))
const PASSWORD = 'a lake in the north'
const EMAIL = 'ana@acme.example'
let served: Served
let cookie = ''
let org: number
before(async () => {
  const store = openEmptyStore(dataDir)
  const made = await makeOrg(store, dataDir, 'Acme')
  org = made.org
  const hash = await passwords({ cost: { memory: 64, passes: 1 } }).hash(PASSWORD)
  store.transaction(() => credentialStore(store).setPassword(made.org, made.owner, hash))
  store.close()
  served = await serve(dataDir, made.token, {
    ...{ backupAt: '03:15', notifyMail: 'owners', notifyUrl: 'https://ntfy.example/secret-topic' },
  })
  const answer = await send('POST', '/app/login', { email: EMAIL, password: PASSWORD })
  assert.equal(answer.status, 200, await answer.clone().text())
  cookie = answer.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
})
after(async () => {
  await served.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

const send = (method: string, path: string, body?: object): Promise<Response> =>
  fetch(served.screens + path, {
    method,
    headers: { origin: served.screens, cookie, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })

const read = async (): Promise<Row> => (await send('GET', '/app/operation')).json()

/** Once nothing is at work any more. */
async function done(): Promise<Row> {
  for (;;) {
    const found = await read()
    if (!found.backups.at_work) return found
  }
}

test('an owner sees the checks of /readyz, and of the URL no more than its host', async () => {
  const { body } = await served.screen('/readyz')
  const found = await read()
  assert.deepEqual(
    found.checks.map(({ name, status }: Row) => [name, status]),
    Object.entries(body.checks as Record<string, Row>).map(([name, found]) => [name, found.status]),
  )
  assert.deepEqual([found.told.mail.to, found.told.url.is, found.told.url.host], ['owners', 'on', 'ntfy.example'])
  assert.doesNotMatch(JSON.stringify([found, served.lines]), /secret-topic/)
  assert.equal(found.backups.at, '03:15')
})

test('a backup and a drill are done in the thread of the night, and the audit log has both', async () => {
  assert.equal((await send('POST', '/app/operation/backup')).status, 202)
  const made = await done()
  assert.deepEqual([made.runs[0].kind, made.runs[0].is_good], ['backup', true])
  assert.equal(verifyBackup(lastBackup(dataDir).last?.file as string).manifest.reason, 'nightly')
  assert.equal((await send('POST', '/app/operation/drill')).status, 202)
  const tried = await done()
  assert.deepEqual([tried.runs[0].kind, tried.runs[0].is_good, tried.backups.drill.is_good], ['drill', true, true])
  const store = openStore(dataDir)
  const { newest, nameOf } = auditLog(store)
  const actions = newest(nameOf(org), 5).map(({ action }) => action)
  store.close()
  assert.deepEqual(actions.slice(-2), ['backup.requested', 'drill.requested'])
})
