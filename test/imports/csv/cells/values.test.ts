import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { detectFormats, type FormatOptions } from '../../../../src/imports/csv/cells/detect-formats.ts'
import type { Draft } from '../../../../src/imports/csv/cells/draft.ts'
import { rowReader } from '../../../../src/imports/csv/cells/row-reader.ts'
import { labelOf } from '../../../../src/imports/csv/cells/values.ts'
import type { Fields } from '../../../../src/imports/csv/columns/field.ts'
import { FIELDS } from '../../../../src/imports/csv/columns/fields.ts'
import { recognise } from '../../../../src/imports/csv/columns/mapping.ts'
import type { Cells } from '../../../../src/imports/csv/file/source.ts'
import type { ImportObject } from '../../../../src/imports/writable.ts'
import { likelyNames } from '../../../../src/lib/written/people/name-fields.ts'

const own = { currency: 'EUR', zone: 'Europe/Berlin', now: Date.parse('2026-11-28T12:00:00Z') }

/** The drafts of rows, or the pointers and codes of what cannot be read of them. */
function drafts(
  object: ImportObject,
  rows: Cells[],
  said: FormatOptions = {},
  more: Fields = {},
): (Draft | string[])[] {
  const fields = { ...FIELDS[object], ...more }
  const mapping = recognise(object, [...new Set(rows.flatMap(Object.keys))], fields)
  const manners = detectFormats(mapping, fields, said, own)
  rows.forEach((cells, index) => {
    manners.addRow({ line: index + 1, cells })
  })
  const { read } = rowReader(object, mapping, fields, manners.formatOf)
  return rows.map((cells) => {
    try {
      return read(cells)
    } catch (error) {
      return (error as { errors: { pointer: string; code: string }[] }).errors.map(
        (one) => `${one.pointer} ${one.code}`,
      )
    }
  })
}

/** What a draft gives, or what cannot be read. */
const given = (object: ImportObject, rows: Cells[], said?: FormatOptions, more?: Fields) =>
  drafts(object, rows, said, more).map((draft) => (Array.isArray(draft) ? draft : draft.given))

/** A column of cells as the values of one field. */
const column = (object: ImportObject, field: string, cells: string[], said?: FormatOptions, more?: Fields): unknown[] =>
  given(
    object,
    cells.map((cell) => ({ [field]: cell })),
    said,
    more,
  ).map((each) => (Array.isArray(each) ? each[0]?.split(' ')[1] : each[field]))

describe('amounts', () => {
  const amounts = (cells: string[], said?: FormatOptions) => column('deal', 'amount', cells, said)

  test('are read with either decimal sign where a cell shows which it is', () => {
    const cells = [
      '1.234,50',
      '1,234.50',
      '1234.5',
      '12,5',
      '1 234,50',
      '1\u202f234,50',
      "1'234.50",
      '1.234.567',
      '0.125',
    ]
    assert.deepEqual(amounts(cells), [1234.5, 1234.5, 1234.5, 12.5, 1234.5, 1234.5, 1234.5, 1234567, 0.125])
    assert.deepEqual(amounts(['12,34,567.00', '9000000000000', '0']), [1234567, 9000000000000, 0])
  })

  test('are read as their column shows where a cell could be two numbers', () => {
    assert.deepEqual(amounts(['1.234', '1.234,50', '1,234']), [1234, 1234.5, 1.234])
    assert.deepEqual(amounts(['1.234', '1,234.50', '1,234']), [1.234, 1234.5, 1234])
  })

  test('are refused where the cell could be two numbers, and the column shows no sign or both', () => {
    assert.deepEqual(amounts(['1.234', '5', '1,234']), ['ambiguous', 5, 'ambiguous'])
    assert.deepEqual(amounts(['1.234', '1,5', '1.5', '7']), ['ambiguous', 1.5, 1.5, 7])
  })

  test('are read as --decimal says, and refused where they are not so', () => {
    assert.deepEqual(amounts(['1.234', '5', '1.5'], { decimal: ',' }), [1234, 5, 'invalid_number'])
    assert.deepEqual(amounts(['1.234', '5', '1,5'], { decimal: '.' }), [1.234, 5, 'invalid_number'])
  })

  test('are refused where they are none, or where a digit would be lost', () => {
    assert.deepEqual(
      amounts(['abc', '5 pcs', '1.2.3', '12.345,67.8', '€ 5 $', '1,2345678901234567', '9000000000000.000001']),
      ['invalid_number', 'invalid_number', 'invalid_number', 'invalid_number', 'invalid_number', 'inexact', 'inexact'],
    )
    assert.deepEqual(amounts(['1234.50000000000000000']), [1234.5])
    assert.deepEqual(amounts(['-5', '€ -5']), [-5, -5], 'for the schema to refuse')
  })

  test('bring their currency where no column has it; a sign of several is the own one, else the best known', () => {
    const cells = ['1.234,50 €', '$1', 'CHF 2', '3 USD', 'US$ 4', '£5', '7']
    assert.deepEqual(
      given(
        'deal',
        cells.map((amount) => ({ amount })),
      ).map((each) => (each as { currency?: string }).currency),
      ['EUR', 'USD', 'CHF', 'USD', 'USD', 'GBP', undefined],
    )
    assert.deepEqual(given('deal', [{ amount: '5 kr' }]), [['/amount ambiguous']])
    assert.deepEqual(
      given('deal', [
        { amount: '5 $', currency: 'CAD' },
        { amount: '5 kr', currency: 'sek' },
      ]),
      [
        { amount: 5, currency: 'CAD' },
        { amount: 5, currency: 'SEK' },
      ],
    )
  })

  test('have the currency that stands beside them, or that of their row, and not two', () => {
    const codes = (rows: Cells[]) => given('deal', rows).map((each) => (Array.isArray(each) ? each : each.currency))
    assert.deepEqual(
      codes([
        { amount: '€ 5', currency: '' },
        { amount: '€ 5', currency: 'EUR' },
        { amount: '€ 5', currency: 'USD' },
        { amount: '$5', currency: 'CAD' },
        { amount: '5', currency: 'US$' },
      ]),
      ['EUR', 'EUR', ['/amount contradiction'], 'CAD', 'USD'],
    )
  })

  test('are read whole: what stands behind a figure is never dropped', () => {
    for (const cell of ['5 € / month', '5 € net', '5-10 €', 'from 5 €', '5 BTC', '5 € 6', '1.000.00', '5O'])
      assert.deepEqual(amounts([cell]), ['invalid_number'], cell)
    assert.deepEqual(amounts(['12k', '1,5 Mio. €', '(5)', '5,01-', '25 TEUR']), [12000, 1500000, -5, -5.01, 25000])
    assert.deepEqual(amounts(['0,125', '0.500', '-0,750']), [0.125, 0.5, -0.75], 'a group never begins with zero')
  })

  test('of a count have groups of thousands, and no decimals that are left to the schema', () => {
    assert.deepEqual(column('company', 'employee_count', ['1.200', '1,200', '50', '12.5', '1200.0', '50-100']), [
      1200,
      1200,
      50,
      12.5,
      1200,
      'invalid_number',
    ])
  })
})

describe('days', () => {
  const days = (cells: string[], said?: FormatOptions) => column('deal', 'expected_close_date', cells, said)

  test('are read as people and programs write them, without a time of day', () => {
    const cells = [
      '2026-12-31',
      '2026/12/31',
      '20261231',
      '31.12.2026',
      '31.12.26',
      '12/31/2026',
      '31/12/2026',
      '31-12-2026',
      'Dec 31, 2026',
      'December 31st 2026',
      '31 Dec 2026',
      '31-Dec-26',
      '31. Dezember 2026',
      '31 déc. 2026',
      '31 DÉCEMBRE 2026',
      '31 de diciembre de 2026',
      '2026-12-31 23:59',
      '2026-12-31T22:59:59.999Z',
      '2026-12-31T23:59:59+01:00',
      '31.12.2026 08:30:00',
      '12/31/2026 8:30 PM',
      'Dec 31, 2026, 8:30 p.m.',
    ]
    for (const cell of cells) assert.deepEqual(days([cell]), ['2026-12-31'], cell)
    assert.deepEqual(days(['2026-12-31T23:00:00Z']), ['2027-01-01'], 'where the organisation is')
    assert.deepEqual(days(['1er mars 2027', '5. März 2027', 'Sept. 5, 2027']), [
      '2027-03-01',
      '2027-03-05',
      '2027-09-05',
    ])
  })

  test('are read as their column shows where the day could be the month', () => {
    assert.deepEqual(days(['11/12/2026', '31/12/2026']), ['2026-12-11', '2026-12-31'])
    assert.deepEqual(days(['11/12/2026', '12/31/2026']), ['2026-11-12', '2026-12-31'])
    assert.deepEqual(days(['11.12.2026', '12/31/2026']), ['2026-12-11', '2026-12-31'], 'points have one order only')
  })

  test('are refused where they could be two days, and the column shows no order or both', () => {
    assert.deepEqual(days(['11/12/2026', '05/05/2026']), ['ambiguous', '2026-05-05'])
    assert.deepEqual(days(['11/12/2026', '31/12/2026', '12/31/2026']), ['ambiguous', '2026-12-31', '2026-12-31'])
  })

  test('are read as --dates says, and refused where they are not so', () => {
    assert.deepEqual(days(['11/12/2026', '12/31/2026'], { order: 'mdy' }), ['2026-11-12', '2026-12-31'])
    assert.deepEqual(days(['11/12/2026', '12/31/2026'], { order: 'dmy' }), ['2026-12-11', 'invalid_date'])
  })

  test('are refused where they are none', () => {
    const cells = [
      '31.02.2026',
      '46387',
      'soon',
      '13.31.2026',
      '2026-13-01',
      'Dec 31',
      '10:00',
      '31/12-2026',
      '0000-01-01',
    ]
    for (const cell of cells) assert.deepEqual(days([cell]), ['invalid_date'], cell)
  })

  test('with a time of day are moments, where the organisation is if they have no offset', () => {
    const more: Fields = { 'custom_fields.at': { kind: 'time' } }
    const at = (cell: string) => given('deal', [{ 'custom_fields.at': cell }], {}, more)[0]
    for (const [cell, moment] of [
      ['2026-12-31T10:30:00Z', '2026-12-31T10:30:00.000Z'],
      ['2026-12-31 10:30:00+0530', '2026-12-31T05:00:00.000Z'],
      ['12/31/2026 10:30 PM EST', '2027-01-01T03:30:00.000Z'],
      ['31.12.2026 10:30', '2026-12-31T09:30:00.000Z'],
      ['12/31/2026 12:05 AM', '2026-12-30T23:05:00.000Z'],
      ['07/01/2026 12:05 pm', undefined],
      ['31.12.2026', '2026-12-30T23:00:00.000Z'],
    ] as const) {
      assert.deepEqual(at(cell), moment ? { custom_fields: { at: moment } } : ['/custom_fields/at ambiguous'], cell)
    }
    assert.deepEqual(at('31.12.2026 25:00'), ['/custom_fields/at invalid_time'])
    assert.deepEqual(at('2026-12-31 10:30 XYT'), ['/custom_fields/at invalid_time'])
  })
})

test('two-digit years lie where the days of a field lie', () => {
  const more: Fields = {
    'custom_fields.born': { kind: 'date', title: 'Birthday' },
    'custom_fields.ends': { kind: 'date', title: 'Renewal' },
    'custom_fields.other': { kind: 'date', title: 'Other' },
  }
  const custom = (key: string, cell: string) => {
    const [draft] = given('deal', [{ [`custom_fields.${key}`]: cell }], {}, more)
    return Array.isArray(draft) ? draft[0] : draft?.custom_fields
  }
  assert.deepEqual(custom('born', '31.12.35'), { born: '1935-12-31' })
  assert.deepEqual(custom('ends', '31.12.35'), { ends: '2035-12-31' })
  assert.deepEqual(custom('other', '31.12.35'), { other: '2035-12-31' })
  assert.deepEqual(custom('other', '31.12.50'), '/custom_fields/other ambiguous')
})

test('digits that a spreadsheet has cut are no phone and no id, and zeros in front stay', () => {
  const read = (name: string, cell: string) => {
    const [each] = given('contact', [{ first_name: 'Ana', [name]: cell }])
    return Array.isArray(each) ? each[0]?.split(' ')[1] : each?.[name]
  }
  for (const cell of ['7.65432E+11', '7,65432E+11', '7E+11', '765432109876.0']) {
    assert.equal(read('external_id', cell), 'spreadsheet', cell)
    assert.equal(read('phones', cell), 'spreadsheet', cell)
  }
  assert.equal(read('external_id', '00815'), '00815')
  assert.equal(read('external_id', '1.5'), '1.5')
  assert.equal(read('job_title', '7.65432E+11'), 'spreadsheet')
  assert.equal(read('job_title', 'Grade E+11'), 'Grade E+11')
})

describe('other cells', () => {
  test('are empty where they hold nothing but white space, and lose the guard against formulas', () => {
    assert.deepEqual(
      given('contact', [{ first_name: ' ', last_name: '\u00a0', job_title: "'t", source: "'=SUM(A1)" }]),
      [{ source: '=SUM(A1)', job_title: "'t" }],
    )
    assert.deepEqual(given('contact', [{ phones: "'+49 30 123" }]), [
      { phones: [{ number: '+49 30 123', label: 'work' }] },
    ])
  })

  test('are empty where a word or a dash stands for nothing', () => {
    const words = ['n/a', 'N/A', '#N/A', 'none', 'None', '-', '–', '---', 'null', '(blank)', '0/0/00', '00.00.0000']
    for (const word of words) assert.deepEqual(given('contact', [{ job_title: word, website: word }]), [{}], word)
    assert.deepEqual(given('contact', [{ tag_ids: 'n/a', emails: 'n/a; ana@x.example' }]), [
      { emails: [{ email: 'ana@x.example', label: 'work' }] },
    ])
    assert.deepEqual(column('contact', 'last_name', ['Na', 'Nonette', '0/0']), ['Na', 'Nonette', '0/0'])
  })

  test('say yes or no in several languages', () => {
    const flag: Fields = { flag: { kind: 'flag' } }
    for (const yes of ['true', 'TRUE', 'yes', 'Y', '1', 'x', 'Ja', 'wahr', 'oui', 'vrai', 'Sí', 'verdadero'])
      assert.deepEqual(column('contact', 'flag', [yes], {}, flag), [true], yes)
    for (const no of ['false', 'No', '0', 'nein', 'falsch', 'non', 'faux', 'falso'])
      assert.deepEqual(column('contact', 'flag', [no], {}, flag), [false], no)
    assert.deepEqual(column('contact', 'flag', ['maybe'], {}, flag), ['invalid_flag'])
  })

  test('set do_not_contact from any of several columns, and never clear it', () => {
    const rows = [
      { 'Do not call': 'yes', 'Email opt out': 'no' },
      { 'Do not call': 'no', 'Email opt out': 'true' },
      { 'Do not call': 'no', 'Email opt out': 'false' },
    ]
    assert.deepEqual(given('contact', rows), [{ do_not_contact: true }, { do_not_contact: true }, {}])
    assert.deepEqual(column('contact', 'do_not_contact', ['maybe']), ['invalid_flag'])
    assert.deepEqual(given('contact', [{ do_not_contact: false }, { do_not_contact: true }]), [
      {},
      { do_not_contact: true },
    ])
  })

  test('read the state of a subscription: who has left must not be contacted, who never joined may be', () => {
    for (const left of ['Unsubscribed', 'opted out', 'Opt-out', 'Do not contact', 'Abgemeldet', 'Désinscrit'])
      assert.deepEqual(given('contact', [{ 'Marketing status': left }]), [{ do_not_contact: true }], left)
    for (const other of ['Subscribed', 'No consent', 'Bounced', 'Archived', 'Pending double opt-in', 'Not subscribed'])
      assert.deepEqual(given('contact', [{ 'Marketing status': other }]), [{}], other)
    assert.deepEqual(given('contact', [{ 'Marketing status': 'Blue' }]), [['/do_not_contact invalid_flag']])
  })

  test('hold the middle name, wherever its column is', () => {
    const cells = { 'Middle Name': 'Q.', 'First Name': 'Ana', 'Last Name': 'Ruiz' }
    assert.deepEqual(given('contact', [cells]), [{ first_name: 'Ana Q.', last_name: 'Ruiz' }])
    assert.deepEqual(given('contact', [{ ...cells, 'First Name': '' }]), [{ first_name: 'Q.', last_name: 'Ruiz' }])
  })

  test('hold one web page; a note keeps the others', () => {
    const [draft] = drafts('contact', [{ 'Website 1 - Value': 'a.example ::: https://b.example' }]) as Draft[]
    assert.equal(draft?.given.website, 'https://a.example')
    assert.deepEqual(draft?.links.get('notes')?.texts, ['Website 1 - Value: a.example ::: https://b.example'])
  })

  test('name countries and languages in several languages, or by their code', () => {
    const names = ['Germany', 'DEUTSCHLAND', 'Allemagne', 'Alemania', 'de', 'DE']
    for (const name of names)
      assert.deepEqual(given('contact', [{ 'address.country': name }]), [{ address: { country: 'DE' } }], name)
    const others = {
      Österreich: 'AT',
      'Côte d’Ivoire': 'CI',
      "Cote d'Ivoire": 'CI',
      'Ivory Coast': 'CI',
      'Korea, Republic of': 'KR',
      'États-Unis d’Amérique': 'US',
      'U.S.A.': 'US',
      Guinea_Bissau: 'GW',
      USA: 'US',
      UK: 'GB',
      'Hong Kong': 'HK',
      Atlantis: 'Atlantis',
    }
    for (const [name, country] of Object.entries(others))
      assert.deepEqual(given('contact', [{ 'address.country': name }]), [{ address: { country } }], name)
    assert.deepEqual(column('contact', 'language', ['German', 'Spanisch', 'pt_BR', 'fr']), ['de', 'es', 'pt-BR', 'fr'])
  })

  test('are web addresses also without their scheme, and domains also out of web addresses', () => {
    assert.deepEqual(
      column('company', 'website', ['acme.example', 'www.acme.example/de?a=b', 'HTTP://a.example', 'not a site']),
      ['https://acme.example', 'https://www.acme.example/de?a=b', 'HTTP://a.example', 'invalid_url'],
    )
    assert.deepEqual(given('company', [{ domains: 'https://www.Acme.example/x; acme.example, müller.example' }]), [
      { domains: ['acme.example', 'xn--mller-kva.example'] },
    ])
  })

  test('hold several emails and phones, of several columns too, each once and with its label', () => {
    const cells = {
      'E-Mail': 'ana@x.example; bo@x.example,mailto:ANA@x.example',
      'Home email': 'Eva Ott <eva@x.example>\n<ana@x.example>',
      'Phone 1 - Type': '* Home',
      'Phone 1 - Value': '+49 30 1 ::: +49 30 2',
      Mobile: '+49-30-1 | 0171 3',
    }
    const [draft] = drafts('contact', [cells]) as Draft[]
    assert.deepEqual(draft?.given, {
      emails: [
        { email: 'ana@x.example', label: 'work' },
        { email: 'bo@x.example', label: 'work' },
        { email: 'eva@x.example', label: 'home' },
      ],
      phones: [
        { number: '+49 30 1', label: 'home' },
        { number: '+49 30 2', label: 'home' },
        { number: '0171 3', label: 'other' },
      ],
    })
    assert.deepEqual([...(draft?.added ?? [])], ['emails', 'phones'])
    assert.deepEqual(['Work', 'Geschäftlich', '', 'Privat', 'Mobile', 'Domicile'].map(labelOf), [
      'work',
      'work',
      'work',
      'home',
      'other',
      'home',
    ])
  })

  test('name a time zone as HubSpot and Salesforce do', () => {
    const zones = {
      europe_slash_berlin: 'Europe/Berlin',
      america_slash_argentina_slash_buenos_aires: 'America/Buenos_Aires',
      us_slash_eastern: 'America/New_York',
      'UTC +02:00 Europe Berlin': 'Europe/Berlin',
      '(GMT+01:00) Central European Standard Time (Europe/Berlin)': 'Europe/Berlin',
      'Europe/Berlin': 'Europe/Berlin',
      'EUROPE/BERLIN': 'Europe/Berlin',
      'central time': 'central time',
    }
    assert.deepEqual(column('contact', 'timezone', Object.keys(zones)), Object.values(zones))
  })

  test('hold the values of Google', () => {
    const [draft] = drafts('contact', [{ 'Organization Title': 'Chief ::: Founder' }]) as Draft[]
    assert.equal(draft?.given.job_title, 'Chief, Founder')
  })

  test('hold a whole name', () => {
    assert.deepEqual(
      ['Ana Lindqvist', 'Ruiz, Ana María', 'Ana', 'Ludwig van Beethoven', 'Ana María Ruiz', 'Ott,'].map(likelyNames),
      [
        { first_name: 'Ana', last_name: 'Lindqvist' },
        { first_name: 'Ana María', last_name: 'Ruiz' },
        { first_name: 'Ana' },
        { first_name: 'Ludwig', last_name: 'van Beethoven' },
        { first_name: 'Ana María', last_name: 'Ruiz' },
        { last_name: 'Ott' },
      ],
    )
  })

  test('stand for records, to be looked up', () => {
    const cells = { Name: 'Ana', Firma: 'Acme, Inc.', Tags: 'vip; new | old', Label: 'hot', Owner: 'bo@acme.example' }
    const [draft] = drafts('contact', [cells]) as Draft[]
    assert.deepEqual(Object.fromEntries(draft?.links ?? []), {
      company_id: { kind: 'company', texts: ['Acme, Inc.'] },
      tag_ids: { kind: 'tags', texts: ['vip; new | old', 'hot'] },
      owner_id: { kind: 'member', texts: ['bo@acme.example'] },
    })
  })

  test('of custom fields are read by their type, options also by what people call them', () => {
    const options = new Map([
      ['gold', 'gold'],
      ['der goldene', 'gold'],
      ['silver', 'silver'],
    ])
    const more: Fields = {
      'custom_fields.level': { kind: 'choice', options },
      'custom_fields.levels': { kind: 'choices', options },
      'custom_fields.size': { kind: 'number' },
    }
    const cells = {
      'custom_fields.level': 'Der Goldene',
      'custom_fields.levels': 'gold; silver',
      'custom_fields.size': '-1,5',
    }
    assert.deepEqual(given('contact', [cells], {}, more), [
      { custom_fields: { level: 'gold', levels: ['gold', 'silver'], size: -1.5 } },
    ])
    const other = { 'custom_fields.level': 'iron', 'custom_fields.levels': 'gold; tin' }
    assert.deepEqual(given('contact', [other], {}, more), [
      ['/custom_fields/level unknown_option', '/custom_fields/levels unknown_option'],
    ])
  })
})

describe('a value of NDJSON', () => {
  test('is taken as it is, but for texts', () => {
    const emails = [{ email: 'ana@x.example', label: 'home', is_primary: true }]
    const [draft] = drafts('contact', [
      {
        first_name: null,
        name: 'ignored',
        emails,
        do_not_contact: true,
        'address.country': 'Germany',
        'address.city': null,
        tag_ids: ['a', 'b'],
        company_id: null,
      },
    ]) as Draft[]
    assert.deepEqual(draft?.given, {
      first_name: null,
      emails,
      do_not_contact: true,
      address: { country: 'DE', city: null },
      company_id: null,
    })
    assert.deepEqual(Object.fromEntries(draft?.links ?? []), {
      tag_ids: { kind: 'tags', texts: ['a', 'b'], isDivided: true },
    })
    assert.deepEqual([...(draft?.added ?? [])], [])
  })

  test('may also stand in a cell of a CSV, as an export writes it', () => {
    const cells = { emails: '[{"email":"ana@x.example","label":"home"}]', phones: '[030] 123' }
    const [draft] = drafts('contact', [cells]) as Draft[]
    assert.deepEqual(draft?.given, {
      emails: [{ email: 'ana@x.example', label: 'home' }],
      phones: [{ number: '[030] 123', label: 'work' }],
    })
  })
})

test('a cell of very many pieces that are none is refused once, and not for each of them', () => {
  for (const name of ['emails', 'domains'])
    assert.deepEqual(given(name === 'emails' ? 'contact' : 'company', [{ [name]: 'x,'.repeat(500) }]), [
      [`/${name} invalid_${name.slice(0, -1)}`],
    ])
})

test('a row tells of every cell that cannot be read', () => {
  const cells = { amount: 'x', expected_close_date: 'y', title: 'Fine' }
  assert.deepEqual(given('deal', [cells]), [['/amount invalid_number', '/expected_close_date invalid_date']])
})
