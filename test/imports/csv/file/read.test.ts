import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { membersOf, openSource, rowsOf } from '../../../../src/imports/csv/file/read.ts'
import type { Row, Source } from '../../../../src/imports/csv/file/source.ts'

const folder = mkdtempSync(join(tmpdir(), 'dealbox-read-'))
after(() => rmSync(folder, { recursive: true, force: true }))
let count = 0

function written(content: string | Uint8Array, name = `file${count++}.csv`): string {
  const file = join(folder, name)
  writeFileSync(file, content)
  return file
}

async function read(content: string | Uint8Array): Promise<{ source: Source; rows: Row[] }> {
  const source = await openSource(written(content), 'contact')
  return { source, rows: await Array.fromAsync(rowsOf(source)) }
}

const cellsOf = async (content: string | Uint8Array) =>
  (await read(content)).rows.map(({ cells }) => Object.values(cells))

/** Text in UTF-16 with its byte order mark. */
function utf16(text: string, order: 'le' | 'be'): Buffer {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
  return order === 'le' ? bytes : bytes.swap16()
}

describe('the text of a file', () => {
  const text = 'Name;Ort\r\nMüller;Köln\r\nŁukasz 😀;Łódź\r\n'
  const rows = [
    ['Müller', 'Köln'],
    ['Łukasz 😀', 'Łódź'],
  ]
  const files: [string, Uint8Array, string][] = [
    ['UTF-8', Buffer.from(text), 'utf-8'],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`), 'utf-8'],
    ['UTF-16LE as Excel writes Unicode text', utf16(text, 'le'), 'utf-16le'],
    ['UTF-16BE', utf16(text, 'be'), 'utf-16be'],
  ]
  for (const [what, bytes, encoding] of files) {
    test(`is read from ${what}`, async () => {
      const { source, rows: found } = await read(bytes)
      assert.deepEqual([source.encoding, source.columns], [encoding, ['Name', 'Ort']])
      assert.deepEqual(
        found.map(({ cells }) => Object.values(cells)),
        rows,
      )
    })
  }

  test('is read from Windows-1252 where the bytes are no UTF-8', async () => {
    const bytes = Buffer.from('Name;Preis\r\nMüller;5 \x80\r\n'.replace('ü', '\xfc'), 'latin1')
    const { source, rows } = await read(bytes)
    assert.equal(source.encoding, 'windows-1252')
    assert.deepEqual(rows[0]?.cells, { Name: 'Müller', Preis: '5 €' })
  })

  test('is read from Windows-1252 also where only the last letter tells', async () => {
    assert.deepEqual(await cellsOf(Buffer.from('Name\ncaf\xe9', 'latin1')), [['café']])
  })

  test('is refused, with the line, where most of it is UTF-8 and a little is not', async () => {
    const bytes = Buffer.concat([Buffer.from('Name\nMüller\nKöln\nZ'), Buffer.from([0xfc]), Buffer.from('rich\n')])
    await assert.rejects(read(bytes), { status: 422, code: 'broken_text', message: /line 4 / })
  })

  test('keeps characters that stand across the pieces in which a file is read', async () => {
    const long = `Name\n${'x'.repeat(65_530)}😀y\nÄ\n`
    for (const bytes of [Buffer.from(long), utf16(long, 'le')]) {
      assert.deepEqual(await cellsOf(bytes), [[`${'x'.repeat(65_530)}😀y`], ['Ä']])
    }
    // The \r and \n of one line end in two pieces: 5 bytes of header, and the rest of 65,536.
    const { rows } = await read(`Name\n${'x'.repeat(65_530)}\r\ny\r\n`)
    assert.deepEqual(
      rows.map(({ line }) => line),
      [2, 3],
    )
  })

  const refused: [string, string | Uint8Array, string][] = [
    ['a workbook', Buffer.from('PK\u0003\u0004\u0000\u0000'), 'damaged_workbook'],
    ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'not_text'],
    ['another file that is no text', Buffer.from('a,b\n\u0000,1\n'), 'not_text'],
    ['an empty file', '', 'empty_file'],
    ['a file of blank lines', '\n \n\r\n', 'empty_file'],
    ['a file of separators', ',,,\n,,,\n', 'empty_file'],
  ]
  for (const [what, content, code] of refused) {
    test(`is refused from ${what}`, async () => {
      await assert.rejects(read(content), { status: 422, code })
    })
  }

  test('is 404 from a file that is not there, and from a folder', async () => {
    for (const file of [join(folder, 'nowhere.csv'), folder]) {
      await assert.rejects(openSource(file, 'contact'), { status: 404, code: 'cannot_read' })
    }
  })
})

describe('the separator', () => {
  const files: [string, string, string, string[]][] = [
    ['a comma', 'a,b\n1,2\n', ',', ['1', '2']],
    ['a semicolon beside decimal commas', 'a;b\n1,5;2,5\n3,5;4,5\n', ';', ['1,5', '2,5']],
    ['a tab', 'a\tb, c\n1\t2\n', '\t', ['1', '2']],
    ['a bar', 'a|b\n1|2\n', '|', ['1', '2']],
    ['a comma beside semicolons in quotes', 'a,b\n"1;2;3",x\n"4;5;6",y\n', ',', ['1;2;3', 'x']],
    ['a semicolon beside commas in all rows', 'a;b, c;d\n1;x, y;2\n', ';', ['1', 'x, y', '2']],
    ['what the first line says', 'sep=;\r\na,x;b\r\n1;2\r\n', ';', ['1', '2']],
    ['what the first line says in quotes', '"sep=|"\na|b\n1|2\n', '|', ['1', '2']],
    ['a comma where there is one column', 'Email\nana@example.com\n', ',', ['ana@example.com']],
    ['found behind an inch sign', 'size;name, color\n5" pipe;a\n6 cm;b\n', ';', ['5" pipe', 'a']],
  ]
  for (const [what, content, separator, first] of files) {
    test(`is ${what}`, async () => {
      const { source, rows } = await read(content)
      assert.equal(source.separator, separator)
      assert.deepEqual(Object.values(rows[0]?.cells ?? {}), first)
    })
  }
})

describe('the rows of a CSV file', () => {
  test('have quotes, separators and line ends inside of quotes', async () => {
    const content = 'a,b,c\r\n"x ""y"" z","1,2","first\r\nsecond\n\nfourth"\r\n'
    assert.deepEqual(await cellsOf(content), [['x "y" z', '1,2', 'first\nsecond\n\nfourth']])
  })

  test('have their lines, also behind blank ones, quoted line ends and a separator line', async () => {
    const { rows } = await read('sep=,\r\na,b\r\n\r\n1,2\r\n,\r\n"3\r\n3",4\r\n5,6')
    assert.deepEqual(
      rows.map(({ line, cells }) => [line, cells.a]),
      [
        [4, '1'],
        [6, '3\n3'],
        [8, '5'],
      ],
    )
  })

  for (const [what, end] of [
    ['\\n', '\n'],
    ['\\r\\n', '\r\n'],
    ['\\r', '\r'],
  ] as const) {
    test(`end with ${what}, the last one or not`, async () => {
      for (const last of ['', end])
        assert.deepEqual(await cellsOf(`a,b${end}1,2${end}3,4${last}`), [
          ['1', '2'],
          ['3', '4'],
        ])
    })
  }

  test('begin below the lines above a header, such as the notes of LinkedIn', async () => {
    const { source, rows } = await read(
      'Notes:\r\n"Some addresses; some, not"\r\n\r\nFirst Name,URL\r\nAna,u\r\n\r\nBo,"a\nb"\r\n',
    )
    assert.deepEqual(source.columns, ['First Name', 'URL'])
    assert.deepEqual(rows, [
      { line: 5, cells: { 'First Name': 'Ana', URL: 'u' } },
      { line: 7, cells: { 'First Name': 'Bo', URL: 'a\nb' } },
    ])
    assert.deepEqual((await read('Notes:,\nx,\n,\nA,B\n1,2\n')).source.columns, ['A', 'B'])
    assert.deepEqual((await read('Name:\nAna\n\nBo\n')).source.columns, ['Name:'], 'a column that ends with a colon')
    assert.deepEqual((await read('Name:,Tel:\n\nA,B\n')).source.columns, ['Name:', 'Tel:'])
  })

  test('end above the lines below a report of Salesforce, but a row that is too short is one', async () => {
    const below = '"Contacts report"\n"Copyright (c) 2000-2026"\n"Confidential Information - Do Not Distribute"\n'
    const { rows } = await read(
      `A,B,C\n"1","2","3"\n"short"\n"4","5","6"\n\n\n${below}"Generated By:  Ana  1/2/2026"\n`,
    )
    assert.deepEqual(
      rows.map(({ line, error }) => [line, error]),
      [
        [2, undefined],
        [3, 'has 1 cells where the header has 3'],
        [4, undefined],
      ],
    )
    const generated = 'Generated By: Ana\n'
    assert.equal((await read(`A,B,C\n1,2,3\nx\n${generated}`)).rows.length, 3, 'no blank line above')
    assert.equal((await read(`A,B,C\n1,2,3\n\n${'x\n'.repeat(30)}${generated}`)).rows.length, 32, 'too many lines')
    assert.equal((await read('A,B,C\n1,2,3\n\nx\n')).rows.length, 2, 'nothing of Salesforce')
  })

  test('may end in several ways in one file', async () => {
    assert.deepEqual(await cellsOf('a\n1\r\n2\r3\n'), [['1'], ['2'], ['3']])
  })

  test('keep quotes that stand inside of a cell without doubling', async () => {
    assert.deepEqual(await cellsOf('a,b\n5" pipe,x\nThe "Inn" Ltd,y\n'), [
      ['5" pipe', 'x'],
      ['The "Inn" Ltd', 'y'],
    ])
  })

  test('are rejected alone where they have too few or too many cells', async () => {
    const { rows } = await read('a,b,c\n1,2\n1,2,3\n1,2,3,4,"5"\n1,2,3,,\n')
    assert.deepEqual(
      rows.map(({ line, error }) => [line, error]),
      [
        [2, 'has 2 cells where the header has 3'],
        [3, undefined],
        [4, 'has 5 cells where the header has 3; the extra cells are "4", "5"'],
        [5, undefined],
      ],
    )
    assert.deepEqual(rows[0]?.cells, { a: '1', b: '2', c: '' })
  })

  test('have columns with a name each: empty ones by their place, repeated ones with a number', async () => {
    const { source, rows } = await read(
      'Email,,Email, E\u00a0\n mail ,Email,,\nx,1,y,2,z\n'.replace('\n mail', ' mail'),
    )
    assert.deepEqual(source.columns, ['Email', 'Column 2', 'Email (2)', 'E mail', 'Email (3)'])
    assert.deepEqual(Object.values(rows[0]?.cells ?? {}), ['x', '1', 'y', '2', 'z'])
  })

  test('are not read at all where a quote does not end, and the line is told', async () => {
    await assert.rejects(read('a,b\n1,2\n\n3,"4\n5,6\n7,8\n'), { code: 'quote_not_closed', message: /from line 4 on/ })
    // Not all of it is gathered to find that out.
    const source = await openSource(written(`a,b\n1,"2\n${'3,4\n'.repeat(1_000_000)}`), 'contact')
    let bytes = 0
    const all = Array.fromAsync(rowsOf(source, (more) => (bytes += more)))
    await assert.rejects(all, { code: 'quote_not_closed', message: /from line 2 on/ })
    assert.ok(bytes < 2_000_000, `${bytes} bytes`)
  })

  test('have up to 1,000 columns', async () => {
    assert.equal((await read(`${'a,'.repeat(999)}b\n`)).source.columns.length, 1000)
    await assert.rejects(read(`${'a,'.repeat(200_000)}b\n`), { status: 422, code: 'too_many_columns' })
    const source = await openSource(
      written(Array.from({ length: 1001 }, (_, n) => `{"a${n}":1}`).join('\n')),
      'contact',
    )
    await assert.rejects(membersOf(source), { status: 422, code: 'too_many_columns' })
  })

  test('may be none', async () => {
    assert.deepEqual((await read('a,b\n')).rows, [])
  })

  test('may be 100,000, in little memory', async () => {
    const line = '"Nachname, Vorname",ana@example.com,+49 30 1234567,Hauptstr. 1,10115,Berlin,Germany,2026-11-20\n'
    const source = await openSource(written(`a,b,c,d,e,f,g,h\n${line.repeat(100_000)}`), 'contact')
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const used = (): number => {
      collect()
      return process.memoryUsage().heapUsed
    }
    const before = used()
    let most = 0
    let rows = 0
    for await (const _ of rowsOf(source)) if (++rows % 20_000 === 0) most = Math.max(most, used())
    assert.equal(rows, 100_000)
    assert.ok(most - before < 10_000_000, `${most - before} bytes`)
  })
})

describe('the rows of an NDJSON file', () => {
  test('are the objects of its lines, with the members of an address as columns', async () => {
    const { source, rows } = await read(
      '\ufeff{"first_name":"Ana","address":{"city":"Porto"},"custom_fields":{"vip":true}}\r\n\n{"emails":[{"email":"a@b.cc"}],"address":null}',
    )
    assert.equal(source.format, 'ndjson')
    assert.deepEqual(rows, [
      { line: 1, cells: { first_name: 'Ana', 'address.city': 'Porto', 'custom_fields.vip': true } },
      { line: 3, cells: { emails: [{ email: 'a@b.cc' }], address: null } },
    ])
  })

  const broken: [string, string | Buffer, RegExp][] = [
    ['no JSON', '{"a":', /not valid JSON/],
    ['a member twice', '{"a":1,"a":2}', /duplicate member/],
    ['no object', '[1]', /is not a JSON object/],
    ['no UTF-8', Buffer.from([0x7b, 0x22, 0xfc, 0x22, 0x3a, 0x31, 0x7d]), /not valid UTF-8/],
    ['more than 1 MiB', `{"a":"${'x'.repeat(1 << 20)}"}`, /longer than 1 MiB/],
  ]
  for (const [what, line, reason] of broken) {
    test(`are rejected alone where a line is ${what}`, async () => {
      const { rows } = await read(
        Buffer.concat([Buffer.from('{"a":1}\n'), Buffer.from(line), Buffer.from('\n{"a":3}\n')]),
      )
      assert.deepEqual(
        rows.map((row) => [row.line, row.cells.a]),
        [
          [1, 1],
          [2, undefined],
          [3, 3],
        ],
      )
      assert.match(rows[1]?.error ?? '', reason)
    })
  }
})
