import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { openSource, rowsOf } from '../../../src/imports/csv/file/read.ts'
import type { Row } from '../../../src/imports/csv/file/source.ts'
import { type Imported, type ImportOptions, importFile, type RowsImported } from '../../../src/imports/csv/import.ts'
import type { Plan } from '../../../src/imports/csv/plan.ts'
import { undoImport } from '../../../src/imports/journal/undo.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { stillPace } from '../../support/pace.ts'
import { examples } from '../../support/seed.ts'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())
const folder = temporaryFolder()
let count = 0

function written(content: string | Uint8Array): string {
  const file = join(folder, `cards${count++}.vcf`)
  writeFileSync(file, content)
  return file
}

/** Lines of one card, with CRLF. */
const card = (...lines: string[]): string => ['BEGIN:VCARD', 'VERSION:3.0', ...lines, 'END:VCARD', ''].join('\r\n')

async function rows(content: string | Uint8Array, object: 'contact' | 'company' = 'contact'): Promise<Row[]> {
  return Array.fromAsync(rowsOf(await openSource(written(content), object)))
}

/** The cells with a value of the only row. */
async function cells(content: string | Uint8Array): Promise<Record<string, unknown>> {
  const [row, ...more] = await rows(content)
  assert.deepEqual(more, [])
  assert.equal(row?.error, undefined)
  return Object.fromEntries(Object.entries(row?.cells ?? {}).filter(([, cell]) => cell !== ''))
}

type Options = Partial<ImportOptions> & { file: string }
async function imported(options: Options): Promise<RowsImported & { plan: Plan }> {
  let plan: Plan | undefined
  const onPlan = (made: Plan) => void (plan = made)
  const { org } = server.a
  const done = await importFile(server.store, { object: 'contact', pace: stillPace, onPlan, ...options, org })
  return { ...done, plan: plan as unknown as Plan }
}

const countsOf = ({ created, updated, unchanged, rejected }: Imported) => [created, updated, unchanged, rejected]
const all = async (path: string) => (await server.call('GET', path)).body.data
const icloud = written(readFileSync(join(import.meta.dirname, 'icloud.vcf')))

describe('a file of iCloud', () => {
  test('becomes contacts with all that they can hold, and the rest is said', async () => {
    const done = await imported({ file: icloud })
    assert.deepEqual(countsOf(done), [1, 0, 0, 0])
    assert.deepEqual(done.plan.source.remarks, ['1 card is a company. To import it, use "dealbox import companies".'])
    const left = done.plan.mapping.filter(({ field, column }) => field === null && !column.endsWith('Label'))
    assert.deepEqual(
      left.map(({ column }) => column),
      ['Name Prefix', 'Organization Department', 'Fax', 'Profiles', 'Birthday', 'PHOTO', 'IMPP'],
    )
    const [ana] = await all('/contacts?email=ana@acme.example')
    const [company] = await all('/companies?q=acme')
    assert.equal(company.name, 'Acme, Inc.')
    const tags = await all('/tags')
    assert.deepEqual(
      ana.tag_ids.map((id: string) => tags.find((tag: { id: string }) => tag.id === id).name),
      ['vip', 'press, old'],
    )
    assert.partialDeepStrictEqual(ana, {
      first_name: 'Ana María',
      last_name: 'Ruiz',
      job_title: 'Head of purchasing',
      company_id: company.id,
      emails: [
        { email: 'ana@acme.example', label: 'work', is_primary: true },
        { email: 'ana@home.example', label: 'home', is_primary: false },
        { email: 'ana@club.example', label: 'other', is_primary: false },
      ],
      phones: [{ number: '+49 171 123 45', label: 'other', is_primary: true }],
      address: {
        line1: 'Am Weg 3',
        line2: 'Hinterhof',
        city: 'Köln',
        region: null,
        postal_code: '50667',
        country: 'DE',
      },
      website: 'http://acme.example/a',
      linkedin_url: 'https://www.linkedin.com/in/ana',
      external_id: '6F0A2C2E-5B8E-4D7C-9B07-0E6C2D7A1F11',
    })
    const [note] = await all(`/notes?contact_id=${ana.id}`)
    assert.equal(note.body, 'Met at the fair, likes tea\nand cakes; too')
  })

  test('becomes companies of the cards of companies', async () => {
    const done = await imported({ file: icloud, object: 'company' })
    assert.deepEqual(countsOf(done), [1, 0, 0, 0])
    assert.deepEqual(done.plan.source.remarks, ['1 card is a person. To import it, use "dealbox import contacts".'])
    const [northwind] = await all('/companies?q=northwind')
    assert.partialDeepStrictEqual(northwind, {
      name: 'Northwind',
      phone: '+49 30 555',
      website: 'https://northwind.example',
      external_id: '11111111-5B8E-4D7C-9B07-0E6C2D7A1F11',
    })
  })

  test('updates the contacts with the same UID the next time, and an undo takes the notes along', async () => {
    const first = card('FN:Eva Ott', 'UID:eva', 'NOTE:First', 'EMAIL:eva@x.example')
    const { id } = await imported({ file: written(first) })
    const changed = card('FN:Eva Ott', 'UID:eva', 'TITLE:CEO', 'NOTE:First', 'EMAIL:eva2@x.example')
    assert.deepEqual(countsOf(await imported({ file: written(changed) })), [0, 1, 0, 0])
    const [eva] = await all('/contacts?email=eva2@x.example')
    assert.equal(eva.job_title, 'CEO')
    assert.deepEqual(
      eva.emails.map(({ email }: { email: string }) => email),
      ['eva@x.example', 'eva2@x.example'],
    )
    assert.equal((await all(`/notes?contact_id=${eva.id}`)).length, 1)
    const other = await imported({ file: written(card('FN:Ida Ott', 'NOTE:One', 'TEL:+49 1')) })
    const { deleted, kept } = await undoImport(server.store, { org: server.a.org, id: other.id })
    assert.deepEqual([deleted, kept], [2, []])
    assert.ok(id)
  })

  test('comes in without its wrong values with --lenient, and continues where it was stopped', async () => {
    const one = (n: number) =>
      card(`FN:Person ${n}`, `UID:l${n}`, `EMAIL:${n % 2 === 0 ? 'noaddress' : `l${n}@x.example`}`)
    const file = written(Array.from({ length: 600 }, (_, n) => one(n)).join(''))
    const stop = new AbortController()
    const options = { file, rules: { lenient: true }, signal: stop.signal, onProgress: () => stop.abort() }
    await assert.rejects(imported(options), { code: 'stopped' })
    const { org } = server.a
    const position = server.store.db
      .prepare('SELECT position FROM imports WHERE org_id = ? AND finished_at IS NULL')
      .pluck()
    assert.equal(position.get(org), 500)
    const done = await imported({ file, rules: { lenient: true } })
    assert.deepEqual(countsOf(done), [600, 0, 0, 0])
    assert.deepEqual(
      done.omitted.map(({ column, count }) => [column, count]),
      [['E-mail 1 - Value', 300]],
    )
  })

  test('has no deals, and is 422 where it has no such cards', async () => {
    const file = written(card('FN:Ana Ruiz'))
    await assert.rejects(imported({ file, object: 'deal' }), { status: 422, code: 'not_deals' })
    await assert.rejects(imported({ file, object: 'company' }), { status: 422, code: 'no_such_cards' })
  })
})

describe('a card', () => {
  test('of version 4.0 has its own forms of phones, preferences and birthdays', async () => {
    const lines = ['BEGIN:VCARD', 'VERSION:4.0', 'FN:Bo van der Berg', 'KIND:individual']
    const more = ['TEL;VALUE=uri;PREF=2;TYPE="voice,work":tel:+1-555-555-5555;ext=5555', 'TEL;PREF=1;TYPE=home:0171 2']
    const rest = ['BDAY:19850412', 'ORG:Acme, Inc.;', 'EMAIL;TYPE=work:bo@x.example', 'UID:urn:uuid:4fbe', 'END:VCARD']
    assert.deepEqual(await cells([...lines, ...more, ...rest, ''].join('\n')), {
      'First Name': 'Bo',
      'Last Name': 'van der Berg',
      'Organization Name': 'Acme, Inc.',
      'E-mail 1 - Label': 'work',
      'E-mail 1 - Value': 'bo@x.example',
      'Phone 1 - Label': 'home',
      'Phone 1 - Value': '0171 2',
      'Phone 2 - Label': 'work',
      'Phone 2 - Value': '+1-555-555-5555 ext. 5555',
      Birthday: '1985-04-12',
      UID: 'urn:uuid:4fbe',
    })
  })

  test('of version 2.1 has bare types, quoted-printable and character sets', async () => {
    const lines = [
      'BEGIN:VCARD',
      'VERSION:2.1',
      'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg;;;',
      'TEL;CELL;PREF:0171 2',
      'TEL;WORK;FAX:030 9',
      'NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:Gr=FC=',
      '=DFe=0D=0AZwei',
      'PHOTO;JPEG;ENCODING=BASE64:AAAA',
      ' BBBB',
      '',
      'END:VCARD',
      '',
    ]
    assert.deepEqual(await cells(lines.join('\r\n')), {
      'First Name': 'Jörg',
      'Last Name': 'Müller',
      'Phone 1 - Label': 'cell',
      'Phone 1 - Value': '0171 2',
      Fax: '030 9',
      Notes: 'Grüße\nZwei',
      PHOTO: 'a file',
    })
  })

  test('is read in UTF-8 though a fold splits a character, and else in Windows-1252', async () => {
    const [before, after] = [Buffer.from(card('FN:Ana M')), Buffer.from('ü')]
    const folded = Buffer.concat([
      before.subarray(0, -13),
      after.subarray(0, 1),
      Buffer.from('\r\n '),
      after.subarray(1),
    ])
    assert.equal((await cells(Buffer.concat([folded, Buffer.from('ller\r\nEND:VCARD\r\n')])))['Last Name'], 'Müller')
    assert.equal((await cells(Buffer.from(card('FN:Ana M\xfcller'), 'latin1')))['Last Name'], 'Müller')
    assert.equal((await cells(`\ufeff${card('FN:Ana Müller')}`))['Last Name'], 'Müller')
  })

  test('has escaped separators, colons and line breaks as text', async () => {
    const found = await cells(
      card(
        'N:Sohn\\; Enkel;Ana\\, Maria;;;',
        'ORG:Holz\\; Bau\\, Nord;Einkauf',
        'NOTE:one\\, two\\; three\\: four\\nfive \\\\: six',
        'URL:https\\://a.example/x\\,y',
        'CATEGORIES:myContacts,Rome\\, Milan',
      ),
    )
    assert.deepEqual([found['Last Name'], found['First Name']], ['Sohn; Enkel', 'Ana Maria'])
    assert.deepEqual([found['Organization Name'], found['Organization Department']], ['Holz; Bau, Nord', 'Einkauf'])
    assert.equal(found.Notes, 'one, two; three: four\nfive \\: six')
    assert.equal(found['Website 1 - Value'], 'https://a.example/x,y')
    assert.equal(found.Labels, 'myContacts ::: Rome, Milan')
  })

  test('is in the encoding that its lines say, or that their letters show', async () => {
    const cyrillic = Buffer.from('c8e3eef0fc', 'hex').toString('latin1') // Игорь in windows-1251
    const latin1 = (text: string) => cells(Buffer.from(text, 'latin1'))
    assert.equal((await latin1(card(`N;CHARSET=windows-1251:;${cyrillic};;;`)))['First Name'], 'Игорь')
    assert.equal((await latin1(card(`N;CHARSET="CP1251":;${cyrillic};;;`)))['First Name'], 'Игорь')
    // What has no charset is found by the letters of all such lines.
    const quoted = '=CB=FE=E4=EC=E8=EB=E0' // Людмила
    const old = await latin1(card(`N;ENCODING=QUOTED-PRINTABLE:;${quoted};;;`, `NOTE:${cyrillic}`))
    assert.deepEqual([old['First Name'], old.Notes], ['Людмила', 'Игорь'])
    // One that says it is UTF-8 and is not.
    assert.equal(
      (await latin1(card('N;CHARSET=UTF-8:;Andr\xe9;;;', 'NOTE:caf\xe9 \xe0 la cr\xe8me'))).Notes,
      'café à la crème',
    )
    const marked = Buffer.from(`\ufeff${card('N:;Łucja;;;')}`, 'utf16le')
    assert.equal((await cells(marked))['First Name'], 'Łucja')
    await assert.rejects(rows(Buffer.from(card('FN:Trem\xfd'), 'latin1')), { code: 'unclear_encoding' })
  })

  test('keeps what it can of a property that cannot be parsed, and shows lines that hold none', async () => {
    assert.deepEqual(
      await cells(card('FN:Ana', 'TEL;HOME:+49 30 1', 'TEL;TYPE="x:+49 30 2', 'nothing at all', 'X-MY-FIELD:a\\, b')),
      {
        'First Name': 'Ana',
        'Phone 1 - Label': 'home',
        'Phone 1 - Value': '+49 30 1',
        'Phone 2 - Value': '+49 30 2',
        'X-MY-FIELD': 'a, b',
        'Unreadable lines': 'nothing at all',
      },
    )
  })

  test('has a birthday, also one without a year', async () => {
    const birthday = async (line: string) => (await cells(card('FN:Ana', line))).Birthday
    assert.equal(await birthday('BDAY:1980-05-01'), '1980-05-01')
    assert.equal(await birthday('BDAY;VALUE=date:19800501'), '1980-05-01')
    assert.equal(await birthday('BDAY;X-APPLE-OMIT-YEAR=1604:1604-05-01'), '--05-01')
  })

  test('keeps commas that are not escaped, but for lists', async () => {
    const found = await cells(card('FN:Ana', 'TITLE:Head, Sales', 'ORG:Acme, Inc.;', 'NOTE:a, b;c', 'CATEGORIES:x,y'))
    assert.partialDeepStrictEqual(found, {
      'Organization Title': 'Head, Sales',
      'Organization Name': 'Acme, Inc.',
      Notes: 'a, b;c',
      Labels: 'x ::: y',
    })
  })

  test('of a company is known by its kind, or because it has no name of a person', async () => {
    const kinds = [
      card('FN:A', 'KIND:org'),
      card('FN:B', 'X-ABShowAs:COMPANY'),
      card('N:;;;;', 'ORG:C', 'TEL:123'),
      card('FN:D', 'ORG:D;'),
      card('FN:Eva Ott', 'ORG:E'),
      card('FN:F', 'X-ADDRESSBOOKSERVER-KIND:group'),
    ].join('')
    const names = (await rows(kinds, 'company')).map(({ cells }) => cells['Company name'])
    assert.deepEqual(names, ['A', 'B', 'C', 'D'])
    assert.equal((await rows(kinds)).length, 1)
    const { remarks } = await openSource(written(kinds), 'contact')
    assert.deepEqual(remarks, [
      '4 cards are companies. To import them, use "dealbox import companies".',
      '1 card is a group of others, and not imported.',
    ])
  })
})

describe('a broken file', () => {
  test('costs no more than its broken cards', async () => {
    const agent = 'AGENT:\r\nBEGIN:VCARD\r\nFN:Agent\r\nEND:VCARD'
    const content = `${card('FN:Ana')}BEGIN:VCARD\r\nFN:Bo\r\n${card('FN:Cai', agent)}junk\r\n${card('FN:Eva')}BEGIN:VCARD\r\nFN:Ida`
    assert.deepEqual(
      (await rows(content)).map(({ line, error, cells }) => [line, cells['First Name'], error]),
      [
        [1, 'Ana', undefined],
        [5, 'Bo', 'has no END:VCARD'],
        [7, 'Cai', undefined],
        [16, 'Eva', undefined],
        [20, 'Ida', 'has no END:VCARD'],
      ],
    )
  })

  test('is read in little memory: long lines, many lines and many values are refused', async () => {
    const long = 'x'.repeat((1 << 20) + 1)
    const photo = `PHOTO;ENCODING=b:${'A'.repeat(3 << 20)}`
    const content = [
      card('FN:Ana', photo, 'TEL:123'),
      card('FN:Bo', `NOTE:${long}`),
      card('FN:Bo', `NOTE:x${'ü'.repeat(1 << 19)}`),
      card('FN:Cai', ...Array.from({ length: 1001 }, (_, n) => `X-A:${n}`)),
      card('FN:Eva', ...Array.from({ length: 21 }, (_, n) => `TEL:+49 30 ${n}`)),
      card('FN:Ida', ...Array.from({ length: 20 }, (_, n) => `TEL:+49 30 ${n}`)),
    ]
    const found = await rows(content.join(''))
    assert.deepEqual(
      found.map(({ error }) => error),
      [
        undefined,
        'is longer than 1 MiB, or has more than 1000 lines',
        'is longer than 1 MiB, or has more than 1000 lines',
        'is longer than 1 MiB, or has more than 1000 lines',
        'has more than 20 values of one kind',
        undefined,
      ],
    )
    assert.equal(found[0]?.cells['Phone 1 - Value'], '123')
    const columns = Array.from({ length: 1001 }, (_, n) => `X-A${n}:1`)
    const many = card('FN:Ana', ...columns.slice(0, 600)) + card('FN:Bo', ...columns.slice(500))
    await assert.rejects(rows(many), { status: 422, code: 'too_many_columns' })
  })

  test('never breaks the reader, whatever is in its lines', async () => {
    const names = [
      'N',
      'FN',
      'TEL',
      'EMAIL',
      'ADR',
      'ORG',
      'NOTE',
      'BDAY',
      'item1.X-ABLabel',
      'CATEGORIES',
      'X-A',
      'URL',
    ]
    const parameters = [
      ';TYPE=WORK',
      ';PREF=1',
      ';CELL',
      ';ENCODING=QUOTED-PRINTABLE',
      ';CHARSET=no',
      ';VALUE=uri',
      ';"',
      ';=',
    ]
    const line = fc
      .tuple(
        fc.constantFrom(...names, 'BEGIN', 'END', 'VERSION', ''),
        fc.array(fc.constantFrom(...parameters), { maxLength: 3 }),
        fc.constantFrom(':', '', ';', ':VCARD', ':4.0', ':2.1'),
        fc.string({ unit: 'binary', maxLength: 30 }),
      )
      .map(([name, more, mark, value]) => name + more.join('') + mark + value)
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (lines) => {
        const found = await rows(`${card('FN:Ana')}${lines.join('\r\n')}\r\n${card('FN:Bo')}`)
        assert.equal(found[0]?.cells['First Name'], 'Ana')
        assert.ok(found.every(({ cells }) => Object.values(cells).every((cell) => typeof cell === 'string')))
      }),
      { numRuns: examples(150) },
    )
  })

  test('of rejected cards is a CSV file, which can be corrected and imported', async () => {
    const content =
      card('FN:Ana Ruiz', 'EMAIL:no address', 'UID:r1') + card('FN:Bo Ott', 'UID:r2', 'EMAIL:bo@r.example')
    const { rejectedFile, ...done } = await imported({ file: written(content) })
    assert.deepEqual(countsOf({ rejectedFile, ...done }), [1, 0, 0, 1])
    const again = await imported({ file: rejectedFile as string, map: 'E-mail 1 - Value=-' })
    assert.deepEqual(countsOf(again), [1, 0, 0, 0])
    assert.equal((await all('/contacts?external_id=r1'))[0].name, 'Ana Ruiz')
  })

  test('of many cards has the line of each', async () => {
    const one = card('FN:Ana Ruiz', 'TEL:+49 30 1')
    const source = await openSource(written(one.repeat(500)), 'contact')
    let seen = 0
    for await (const { line } of rowsOf(source)) if (line === seen * 5 + 1) seen++
    assert.equal(seen, 500)
  })
})
