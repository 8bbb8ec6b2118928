import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeOrg, newOrgSettings } from '../../../src/app/settings/new-org.ts'
import { chosenOrg } from '../../../src/command/store.ts'
import { publicUrlsWith } from '../../../src/store/orgs/orgs.ts'
import { stageOrg } from '../../../src/store/orgs/staged.ts'
import { markOf } from '../../../src/store/search/search.ts'
import { openEmptyStore } from '../../support/empty-store.ts'

// What a folder of very many organisations does.

const folder = mkdtempSync(join(tmpdir(), 'dealbox-many-'))
const store = openEmptyStore(folder)
after(() => {
  store.close()
  rmSync(folder, { recursive: true })
})
const { db } = store
const insert = db.prepare(
  "INSERT INTO orgs (id, public_id, name, timezone, currency, created_at) VALUES (?, ?, ?, 'UTC', 'EUR', 0)",
)
const settings = {
  name: 'One more',
  currency: 'EUR',
  timezone: 'UTC',
  owner: { email: 'ana@one.example', name: 'Ana' },
}
const count = () => db.prepare('SELECT count(*) FROM orgs').pluck().get()

test('an error names twenty of them, and how many more there are', () => {
  for (let org = 1; org <= 20; org++) insert.run(org, `public ${org}`, `Org ${org}`)
  assert.throws(() => chosenOrg(store, undefined), /: public 1 \(Org 1\), .* \(Org 20\)\.$/)
  for (let org = 21; org <= 25; org++) insert.run(org, `public ${org}`, `Org ${org}`)
  assert.throws(() => chosenOrg(store, undefined), /, public 20 \(Org 20\) and 5 more\.$/)
  assert.throws(() => chosenOrg(store, 'another'), /, public 20 \(Org 20\) and 5 more\.$/)
  assert.equal(chosenOrg(store, 'public 25'), 25)
})

test('the last number that the search index has a character for is used, and the next one refused', () => {
  insert.run(65_534, 'public 65534', 'Last but one')
  const last = makeOrg(store, newOrgSettings(settings))
  assert.equal(last.org, 65_535)
  assert.equal([...markOf(last.org, 'meeting_alone')].length, 1)
  const before = count()
  const refusal = { status: 409, code: 'too_many_organisations', message: /65535 organisations in its life/ }
  assert.throws(() => makeOrg(store, newOrgSettings(settings)), refusal)
  assert.throws(() => store.transaction(() => stageOrg(db, { ...settings, last_seq: 0 }, 0)), refusal)
  assert.equal(count(), before)
})

test('of their public addresses those are read that may have the host of a request', () => {
  const set = db.prepare('UPDATE orgs SET public_base_url = ? WHERE id = ?')
  const urls = [
    'https://Ana.Example/x',
    'https://b.example',
    'https://bücher.example',
    'http://[::1:0]:81',
    'http://%61.b',
  ]
  urls.forEach((url, at) => {
    set.run(url, at + 1)
  })
  const encoded = urls.slice(2)
  assert.deepEqual(publicUrlsWith(db)('ana.example'), [urls[0], ...encoded])
  assert.deepEqual(publicUrlsWith(db)('b.example'), [urls[1], ...encoded])
  assert.deepEqual(publicUrlsWith(db)('c.example'), encoded)
})
