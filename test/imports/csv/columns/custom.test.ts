import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type ImportOptions, importFile } from '../../../../src/imports/csv/import.ts'
import { undoImport } from '../../../../src/imports/journal/undo.ts'
import { temporaryFolder } from '../../../cli/command-line.ts'
import { stillPace } from '../../../support/pace.ts'
import { startServer, type TestServer } from '../../../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())
const folder = temporaryFolder()
let count = 0

function imported(content: string, map: string, options: Partial<ImportOptions> = {}) {
  const file = join(folder, `file${count++}.csv`)
  writeFileSync(file, content)
  return importFile(server.store, { object: 'contact', file, map, pace: stillPace, ...options, org: server.a.org })
}

const all = async (path: string) => (await server.call('GET', path)).body.data
const fieldNamed = async (key: string) =>
  (await all('/custom-fields')).find((each: { key: string }) => each.key === key)
const undo = (id: string) => undoImport(server.store, { org: server.a.org, id })

describe('--map "Column=custom.key"', () => {
  test('makes a custom field that is a date, and an undo removes it again', async () => {
    const { id, created } = await imported(
      'Name,Birthday\nAna Ruiz,31/12/1980\nBo Ott,n/a\nEva Ott,11/12/1985\n',
      'Birthday=custom.birthday',
    )
    assert.equal(created, 3)
    assert.partialDeepStrictEqual(await fieldNamed('birthday'), { object: 'contact', type: 'date', label: 'Birthday' })
    const people = await all('/contacts?sort=name')
    assert.deepEqual(
      people.map(({ custom_fields }: { custom_fields: object }) => custom_fields),
      [{ birthday: '1980-12-31' }, {}, { birthday: '1985-12-11' }],
      'the day comes first, as the first cell shows',
    )
    assert.deepEqual(await undo(id), { id, deleted: 4, restored: 0, kept: [] })
    assert.equal(await fieldNamed('birthday'), undefined)
  })

  test('makes a text where a cell is no day, or none has a value', async () => {
    await imported('Name,Born,Blank\nAna,1980-05-01,\nBo,--05-01,-\n', 'Born=custom.born,Blank=custom.blank')
    assert.equal((await fieldNamed('born')).type, 'text')
    assert.equal((await fieldNamed('blank')).type, 'text')
    const [bo] = await all('/contacts?q=bo')
    assert.equal(bo.custom_fields.born, '--05-01')
  })

  test('takes the field that exists, and an undo leaves one that other records use', async () => {
    const first = await imported('Name,Level\nIda,gold\n', 'Level=custom.level')
    const second = await imported('Name,Level\nUdo,silver\n', 'Level=custom.level')
    assert.equal((await all('/custom-fields')).filter(({ key }: { key: string }) => key === 'level').length, 1)
    const { deleted, kept } = await undo(first.id)
    assert.equal(deleted, 1)
    assert.deepEqual(
      kept.map(({ object }) => object),
      ['custom_field'],
    )
    assert.equal((await undo(second.id)).deleted, 1)
    assert.equal((await undo(first.id)).deleted, 1, 'again, once nothing uses it')
  })

  test('makes nothing in a dry run, nor where the key is wrong or that of an archived field', async () => {
    await imported('Name,Fax\nAna,1\n', 'Fax=custom.fax', { dryRun: true })
    assert.equal(await fieldNamed('fax'), undefined)
    for (const key of ['custom.Fax', 'custom.1a', 'custom.', 'custom_fields.fax'])
      await assert.rejects(imported('Name,Fax\nAna,1\n', `Fax=${key}`), { code: 'usage', message: /there is no field/ })
    const { body } = await server.call('POST', '/custom-fields', {
      object: 'contact',
      key: 'old',
      type: 'text',
      label: 'Old',
      is_archived: true,
    })
    assert.equal(body.key, 'old')
    await assert.rejects(imported('Name,Old\nJo,1\n', 'Old=custom.old'), { status: 409, code: 'duplicate' })
    assert.deepEqual(await all('/contacts?q=jo'), [])
    assert.equal(server.store.db.prepare('SELECT count(*) FROM imports WHERE finished_at IS NULL').pluck().get(), 0)
  })
})
