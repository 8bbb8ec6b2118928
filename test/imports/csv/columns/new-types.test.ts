import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type ImportOptions, importFile } from '../../../../src/imports/csv/import.ts'
import { temporaryFolder } from '../../../cli/command-line.ts'
import { stillPace } from '../../../support/pace.ts'
import { startServer, type TestServer } from '../../../support/server.ts'

// The types of custom fields that an import makes.

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
/** The values of the people of an import, who are called after its first letter. */
const valuesOf = async (letter: string, key: string) =>
  (await all(`/contacts?sort=name&q=${letter}x`)).map(({ custom_fields }: never) => custom_fields[key] ?? null)

test('are those that all cells of a column are', async () => {
  for (const [key, cells, type, values] of [
    ['count', ['12', '-3,5', '1.200,75'], 'number', [12, -3.5, 1200.75]],
    ['code', ['12', '007', '13'], 'text', ['12', '007', '13']],
    ['dial', ['+4971148', '12', '13'], 'text', ['+4971148', '12', '13']],
    ['long', ['12', '1234567890123456', '13'], 'text', ['12', '1234567890123456', '13']],
    ['unsure', ['1.234', '5', '6'], 'text', ['1.234', '5', '6']],
    ['active', ['ja', 'nein', 'ja'], 'boolean', [true, false, true]],
    ['day', ['31.12.2026', '2.1.2027', 'n/a'], 'date', ['2026-12-31', '2027-01-02', null]],
    ['page', ['https://a.example', 'http://b.example/c', ''], 'url', ['https://a.example', 'http://b.example/c', null]],
    ['mail', ['a@b.example', 'C@d.example', ''], 'email', ['a@b.example', 'C@d.example', null]],
    ['mixed', ['12', 'ja', '31.12.2026'], 'text', ['12', 'ja', '31.12.2026']],
  ] as const) {
    const rows = cells.map((cell, index) => `${key}x${index};"${cell}"\n`)
    await imported(`Name;X\n${rows.join('')}`, `X=custom.${key}`)
    assert.equal((await fieldNamed(key)).type, type, key)
    assert.deepEqual(await valuesOf(key, key), values, key)
  }
})

test('are those that are asked for, with the values of the column as options', async () => {
  const text = 'Name,A,B,C\ntypx1,gold,"red; Green",12\ntypx2,Silver,red,\ntypx3,GOLD,,007\n'
  await imported(text, 'A=custom.level:select,B=custom.colors:multi_select,C=custom.note:text')
  const level = await fieldNamed('level')
  assert.deepEqual(
    [level.type, level.options.map(({ value }: { value: string }) => value)],
    ['select', ['gold', 'Silver']],
  )
  assert.deepEqual(await valuesOf('typ', 'level'), ['gold', 'Silver', 'gold'])
  assert.deepEqual(await valuesOf('typ', 'colors'), [['red', 'Green'], ['red'], null])
  assert.deepEqual([(await fieldNamed('note')).type, await valuesOf('typ', 'note')], ['text', ['12', null, '007']])
  // The field is there then: its type may be named again.
  const again = await imported('Name,A\nagax1,silver\n', 'A=custom.level:select')
  assert.equal(again.created, 1)
  await assert.rejects(imported('Name,A\nagax2,1\n', 'A=custom.level:number'), {
    code: 'usage',
    message: /custom_fields\.level has the type select, and not number/,
  })
})

test('read cells as those of a field that is there, and list what does not fit', async () => {
  const { omitted } = await imported('Name,N\nnumx1,12\nnumx2,many\n', 'N=custom.amount:number', {
    rules: { lenient: true },
  })
  assert.deepEqual(await valuesOf('num', 'amount'), [12, null])
  assert.equal(omitted.length, 1)
})

test('are refused where they cannot be', async () => {
  for (const [map, message] of [
    ['A=custom.x:colour', /there is no type "colour" of custom fields\. Types are text, number,/],
    ['B=custom.x:select', /a field of the type select has from 1 to 200 options, and the column "B" has none/],
    ['C=custom.x:select', /and the column "C" has more/],
  ] as const) {
    const rows = Array.from({ length: 201 }, (_, index) => `Ana ${index},1,,v${index}\n`)
    await assert.rejects(imported(`Name,A,B,C\n${rows.join('')}`, map), { code: 'usage', message })
  }
  assert.equal(await fieldNamed('x'), undefined)
})
