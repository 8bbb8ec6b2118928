import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { countryNamed } from '../../../src/imports/csv/cells/addresses.ts'
import { importFile } from '../../../src/imports/csv/import.ts'
import { readAddress } from '../../../src/lib/written/people/addresses.ts'
import { readPostalCode } from '../../../src/lib/written/people/postal-codes.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { stillPace } from '../../support/pace.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { rowsOf } from './people.ts'

// Postal addresses: of a cell, and of the columns of address books.

const shown = (address: object | null): string =>
  Object.entries(address ?? {})
    .flatMap(([name, part]) => (part === null ? [] : `${name}=${part}`))
    .sort()
    .join(' ¦ ')
const sorted = (meant: string): string => meant.split(' ¦ ').sort().join(' ¦ ')

test('an address in one text is read by the customs of its country', () => {
  const rows = rowsOf('address', 'addresses.tsv')
  assert.ok(rows.length > 60)
  for (const { context, written, meant, why } of rows) {
    const read = readAddress(written, { country: context.country, countryNamed })
    assert.equal('value' in read ? shown(read.value) : 'REFUSE', sorted(meant), `${written}: ${why}`)
  }
})

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())
const file = join(temporaryFolder(), 'addresses.csv')
let count = 0

/** The address of a row, the notes about it, and what is listed of it. */
async function imported(cells: Record<string, string>, country: string | null = null, rest: object = {}) {
  const { call, store, a } = server
  store.db.prepare('UPDATE orgs SET country = ? WHERE id = ?').run(country, a.org)
  const email = `row${++count}@place.example`
  const line = (texts: string[]) => texts.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')
  writeFileSync(file, `${line(['emails', ...Object.keys(cells)])}\n${line([email, ...Object.values(cells)])}\n`)
  const options = { object: 'contact', file, org: a.org, pace: stillPace, rules: { lenient: true }, ...rest } as const
  const { omitted } = await importFile(store, options)
  const { body } = await call('GET', `/contacts?email=${email}`)
  const contact = body.data[0]
  const notes = await call('GET', `/notes?contact_id=${contact.id}`)
  return {
    address: shown(contact.address),
    notes: notes.body.data.map((note: { body: string }) => note.body),
    listed: omitted.map(({ column, reason }) => `${column}: ${reason}`),
  }
}

test('through a file each address comes in as it is meant, and what is none is listed and kept in a note', async () => {
  for (const { context, written, meant, why } of rowsOf('address', 'addresses.tsv')) {
    const { address, notes, listed } = await imported({ Address: written }, context.country)
    const where = `${written}: ${why}`
    if (meant === 'REFUSE') {
      assert.deepEqual([address, listed.length], ['', 1], where)
      assert.ok(notes.includes(`Address: ${written}`), where)
      continue
    }
    const [rest, parts] = [/ ¦ rest=(.*)/.exec(meant)?.[1], meant.replace(/ ¦ rest=.*/, '')]
    assert.deepEqual([address, listed], [sorted(parts), []], where)
    assert.deepEqual(notes, rest === undefined ? [] : [`Address: ${written}`], where)
  }
})

const SECOND = 'and what belongs to it is a second address, which a note keeps'

test('parts of two addresses are never one, and the second one is kept', async () => {
  const both = { 'Business Street': '3 Bay Rd', 'Business City': '', 'Home Street': '8 Fir Ave', 'Home City': 'Dover' }
  const { address, notes, listed } = await imported(both)
  assert.deepEqual([address, notes], ['line1=3 Bay Rd', ['Address (home): 8 Fir Ave, Dover']])
  assert.deepEqual(listed, [`Home Street: ${SECOND}`])
  const home = await imported({ ...both, 'Business Street': '' })
  assert.deepEqual([home.address, home.notes, home.listed], ['city=Dover ¦ line1=8 Fir Ave', [], []])
})

test('the columns of address books are told apart by their names', async () => {
  const books: [Record<string, string>, string, string[]][] = [
    [
      // Thunderbird
      {
        'Home Address': '8 Fir Ave',
        'Home Address 2': 'Flat 2',
        'Home City': 'Dover',
        'Home ZipCode': '19901',
        'Work City': 'Lewes',
      },
      'city=Dover ¦ line1=8 Fir Ave ¦ line2=Flat 2 ¦ postal_code=19901',
      ['Address (business): Lewes'],
    ],
    [
      // Outlook, in German
      {
        'Straße geschäftlich': 'Am Ring 9',
        'Straße geschäftlich 2': 'Hof B',
        'Ort privat': 'Ulm',
        'Ort geschäftlich': 'Trier',
        'Land/Region geschäftlich': 'Deutschland',
      },
      'city=Trier ¦ country=DE ¦ line1=Am Ring 9 ¦ line2=Hof B',
      ['Address (home): Ulm'],
    ],
    [
      // Google
      {
        'Address 1 - Label': '* Home',
        'Address 1 - Formatted': '8 Fir Ave\nDover',
        'Address 1 - Street': '8 Fir Ave',
        'Address 1 - City': 'Dover',
        'Address 1 - PO Box': '12',
        'Address 2 - Label': 'Work',
        'Address 2 - City': 'Lewes',
      },
      'city=Dover ¦ line1=8 Fir Ave ¦ line2=PO Box 12',
      ['Address (Work): Lewes'],
    ],
    [
      { Rue: '3 rue Bleue', 'Code postal': '69003', Ville: 'Lyon', Pays: 'France', 'Ville (domicile)': 'Nice' },
      'city=Lyon ¦ country=FR ¦ line1=3 rue Bleue ¦ postal_code=69003',
      ['Address (home): Nice'],
    ],
    [
      // Numbered ones of a table
      { 'Street 1': '3 Bay Rd', 'City 1': 'Lewes', 'Street 2': '8 Fir Ave', 'City 2': 'Dover' },
      'city=Lewes ¦ line1=3 Bay Rd',
      ['Address (2): 8 Fir Ave, Dover'],
    ],
    [{ 'Address 1': '3 Bay Rd', 'Address 2': 'Hut 5', City: 'Lewes' }, 'city=Lewes ¦ line1=3 Bay Rd ¦ line2=Hut 5', []],
    [{ Straße: 'Gartenweg', 'Haus-Nr.': '7', Ort: 'Ulm' }, 'city=Ulm ¦ line1=Gartenweg 7', []],
    [
      { Street: 'Bay Rd', 'House number': '3', City: 'Lewes', Country: 'UK' },
      'city=Lewes ¦ country=GB ¦ line1=3 Bay Rd',
      [],
    ],
    [
      { Rechnungsadresse: 'Gartenweg 7', Rechnungsort: 'Ulm', Lieferort: 'Trier' },
      'city=Ulm ¦ line1=Gartenweg 7',
      ['Address (shipping): Trier'],
    ],
    [{ MailingStreet: '3 Bay Rd', MailingPostalCode: 'BN7 1AA' }, 'line1=3 Bay Rd ¦ postal_code=BN7 1AA', []],
  ]
  for (const [cells, meant, noted] of books) {
    const { address, notes } = await imported(cells)
    assert.deepEqual([address, notes], [meant, noted], Object.keys(cells).join())
  }
})

test('several addresses in the same cells are divided', async () => {
  const { address, notes } = await imported({
    'Address 1 - Type': 'Home',
    'Address 1 - Street': '3 Bay Rd ::: 8 Fir Ave',
    'Address 1 - City': 'Lewes ::: Dover',
  })
  assert.deepEqual([address, notes], ['city=Lewes ¦ line1=3 Bay Rd', ['Address (Home): 8 Fir Ave, Dover']])
})

test('a whole address beside its parts is kept where it says more', async () => {
  const parts = { Street: '3 Bay Rd', City: 'Lewes', Country: 'DE' }
  const same = await imported({ 'Full address': '3 Bay Rd\nLewes\nGermany', ...parts })
  assert.deepEqual([same.notes, same.listed], [[], []])
  const other = await imported({ 'Full address': '8 Fir Ave, Dover', ...parts })
  assert.equal(other.address, 'city=Lewes ¦ country=DE ¦ line1=3 Bay Rd')
  assert.deepEqual(other.notes, ['Full address: 8 Fir Ave, Dover'])
  assert.equal(other.listed.length, 1)
  const number = await imported({
    'Full address': 'Gartenweg 7, 89073 Ulm',
    Hausnummer: '7',
    City: 'Ulm',
    PLZ: '89075',
  })
  assert.equal(number.address, 'city=Ulm ¦ line1=Gartenweg 7 ¦ postal_code=89075')
  assert.deepEqual(number.notes, ['Full address: Gartenweg 7, 89073 Ulm'])
})

test('a cell of very many addresses makes no notes of them, and is refused', async () => {
  const many = Array.from({ length: 5000 }, (_, at) => `${at} Bay Rd`).join(' ::: ')
  const { address, notes, listed } = await imported({ Street: many, City: 'Lewes' })
  assert.deepEqual([address, notes, listed.length], ['city=Lewes', [], 1])
})

test('a card has its preferred address, and a note each other one, with its label', async () => {
  const { call, store, a } = server
  const card = join(temporaryFolder(), 'cards.vcf')
  const lines = [
    'VERSION:3.0',
    'N:Vos;Kim',
    'ADR;TYPE=HOME:;;8 Fir Ave;Dover;DE;19901;USA',
    'ADR;TYPE=WORK;TYPE=PREF:12;;3 Bay Rd;Lewes;DE;19958;USA',
  ]
  writeFileSync(card, ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n'))
  await importFile(store, { object: 'contact', file: card, org: a.org, pace: stillPace })
  const { body } = await call('GET', '/contacts?q=Vos')
  assert.equal(
    shown(body.data[0].address),
    'city=Lewes ¦ country=US ¦ line1=3 Bay Rd ¦ line2=12 ¦ postal_code=19958 ¦ region=DE',
  )
  const notes = await call('GET', `/notes?contact_id=${body.data[0].id}`)
  assert.deepEqual(
    notes.body.data.map((note: { body: string }) => note.body),
    ['Address (home): 8 Fir Ave, Dover, DE, 19901, USA'],
  )
})

test('what --map says is of the first address', async () => {
  const cells = { 'Business Street': '3 Bay Rd', 'Business City': 'Lewes', 'Home City': 'Dover', Place: 'Rye' }
  const { address, notes } = await imported(cells, null, { map: 'Place=address.city' })
  assert.deepEqual([address, notes], ['city=Rye ¦ line1=3 Bay Rd', ['Address (home): Dover']])
})

test('a code has its zeros again where the country is known, and is refused where a spreadsheet has changed it', async () => {
  for (const [text, country, meant] of [
    ['1067', 'DE', '01067'],
    ['2139', 'US', '02139'],
    ['501', 'US', '00501'],
    ['8001', 'ES', '08001'],
    ['1010', 'AT', '1010'],
    ['02139-4307', 'US', '02139-4307'],
    ['１０１', 'JP', '101'],
  ] as const)
    assert.deepEqual(readPostalCode(text, country), { value: meant }, `${text} ${country}`)
  const { address, listed } = await imported({ PLZ: '4109', Ort: 'Leipzig' }, 'DE')
  assert.deepEqual(
    [address, listed],
    ['city=Leipzig ¦ postal_code=4109', ['PLZ: "4109" may have lost the 0 in front of it']],
  )
  const texan = await imported({ Zip: '7870', State: 'TX', Country: 'US' })
  assert.deepEqual(
    [texan.address, texan.listed],
    ['country=US ¦ postal_code=7870 ¦ region=TX', ['Zip: "7870" has not all digits of a code of TX']],
  )
  const broken = await imported({ PLZ: '14467.0', Ort: 'Potsdam' }, 'DE')
  assert.equal(broken.address, 'city=Potsdam')
  assert.match(
    broken.listed.join(),
    /^PLZ: "14467.0" was a number in a spreadsheet or program; export the column as text/,
  )
})

test('NA is a country where a country stands', async () => {
  const { address, listed } = await imported({ City: 'Swakopmund', Country: 'NA' })
  assert.deepEqual([address, listed], ['city=Swakopmund ¦ country=NA', ['Country: "NA" is taken for Namibia']])
})

test('who has moved keeps nothing of the former place, and what is only added leaves the rest', async () => {
  const { call, store, a } = server
  const { body } = await call('POST', '/contacts', {
    emails: [{ email: 'moved@place.example' }],
    address: { line1: 'Am Ring 9', line2: 'Hof B', city: 'Trier', postal_code: '54290', country: 'DE' },
  })
  const update = async (head: string, cells: string) => {
    writeFileSync(file, `emails,${head}\nmoved@place.example,${cells}\n`)
    await importFile(store, { object: 'contact', file, org: a.org, pace: stillPace, match: 'email' })
    return shown((await call('GET', `/contacts/${body.id}`)).body.address)
  }
  assert.equal(
    await update('Region', 'Saar'),
    'city=Trier ¦ country=DE ¦ line1=Am Ring 9 ¦ line2=Hof B ¦ postal_code=54290 ¦ region=Saar',
  )
  assert.equal(
    await update('Street', 'Am Ring 10'),
    'city=Trier ¦ country=DE ¦ line1=Am Ring 10 ¦ postal_code=54290 ¦ region=Saar',
  )
  assert.equal(await update('City', 'Ulm'), 'city=Ulm')
})
