import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { SCHEMA_VERSION } from '../../src/store/schema/migrations.ts'
import { openSqlite } from '../../src/store/sqlite/driver.ts'
import { cli, cliJson, dealbox, temporaryFolder } from './command-line.ts'

// A data folder of another version of the program, as the server and the commands refuse it.

const root = temporaryFolder()
const data = join(root, 'data')
const file = join(data, 'dealbox.db')
before(() => cliJson('init', '--data', data, '--org', 'Acme', '--email', 'ana@acme.example'))

function change(sql: string): void {
  const db = openSqlite(file)
  db.exec(sql)
  db.close()
}

async function refuseAll(sentence: string): Promise<void> {
  const refusal = { code: 1, out: '', err: `${sentence}\n` }
  const serve = ['serve', '--data', data, '--api-listen', '127.0.0.1:0', '--screens-listen', 'off']
  assert.deepEqual(await dealbox(serve, { timeout: 120_000 }), refusal)
  for (const argv of [
    ['token', 'list'],
    ['keys', 'list'],
    ['export', join(root, 'out')],
    ['init', '--org', 'Other', '--email', 'ben@other.example'],
  ])
    assert.deepEqual(await cli([...argv, '--data', data]), refusal)
}

test('a folder of an unreleased program is refused with the way into a new one', async () => {
  change("UPDATE installation SET schema_hash = 'another'")
  await refuseAll(
    `${file} was created by an unreleased version of Dealbox with other tables; to move an organisation to a new data folder, use "dealbox export DIR" of that version and "dealbox import DIR" of this one.`,
  )
})

test('a folder of a newer program is refused with what to start', async () => {
  change(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`)
  await refuseAll(
    `${file} was written by a newer version of Dealbox (schema ${SCHEMA_VERSION + 1}, this version supports ${SCHEMA_VERSION}); use that version or a newer one.`,
  )
})
