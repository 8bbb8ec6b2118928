import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { credentialStore } from '../../src/auth/credentials.ts'
import { restoreExport } from '../../src/exports/restore.ts'
import { writeExport } from '../../src/exports/write.ts'
import { stillPace } from '../support/pace.ts'
import { PASSWORD, type Screens, startScreens } from '../support/screens.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { scratch } from './export-fixture.ts'

const { folder, drop } = scratch()
let source: TestServer
let target: TestServer
let screens: Screens
before(async () => {
  source = await startServer()
  target = await startServer()
  screens = await startScreens(target)
})
after(async () => {
  await screens.stop()
  await source.stop()
  await target.stop()
  drop()
})

test('an export that is restored has no passwords, and leaves those of the members who are there', async () => {
  const { store, dataDir, a } = target
  writeExport(source.store, source.a.org, join(folder, 'out'))
  const hash = await screens.passwords.hash(PASSWORD)
  store.transaction(() => credentialStore(store).setPassword(a.org, a.owner, hash))
  const other = await screens.newMember('member')
  const [ana, without] = [await screens.signedIn({ id: a.owner }), await screens.signedIn('viewer')]
  store.db.prepare('DELETE FROM credentials WHERE member_id = ?').run(without.id)
  store.transaction(() => credentialStore(store).proposeTotp(a.org, a.owner, 'A'.repeat(32)))
  const restored = await restoreExport(store, { dataDir, org: a.org, folder: join(folder, 'out'), pace: stillPace })
  assert.deepEqual(restored.members_left, [without.email])
  assert.equal((await ana.call('GET', '/app/boot')).status, 401, 'all sessions end')
  const login = (email: string | null) => screens.send('POST', '/app/login', { email, password: PASSWORD })
  const { status, body } = await login('ana@acme.example')
  assert.deepEqual([status, body], [200, { member_id: source.a.owner }], 'by the id of the export')
  assert.deepEqual((await login(other.email)).body, { member_id: other.id })
  assert.equal((await login(without.email)).status, 401)
  assert.deepEqual(store.db.pragma('foreign_key_check'), [])
  const totp = store.db.prepare('SELECT totp FROM credentials WHERE member_id = ?').pluck()
  assert.equal(totp.get(source.a.owner), null, 'the second factor is encrypted for the old id')
})
