import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AppServer, startApp } from '../../support/app-data.ts'
import { errorsOf, type Row, UNKNOWN } from '../../support/records.ts'

// People of a pasted text: what is read, who is there already, and what is made and taken back.

let app: AppServer
before(async () => {
  app = await startApp()
})
after(() => app.stop())

async function read(text: string): Promise<Row[]> {
  const { people } = await app.ok('member', 'POST', '/people/read', { text })
  return people
}

/** The parts of a person that say something. */
function said({ first_name, last_name, job_title, emails, phones, website, linkedin_url, company, unread }: Row): Row {
  const all = {
    name: [first_name, last_name].filter(Boolean).join(' | '),
    title: job_title,
    emails: emails.map(({ email }: Row) => email),
    phones: phones.map(({ number, label }: Row) => `${label} ${number}`),
    web: website,
    linkedin: linkedin_url,
    company: company?.name,
    unread,
  }
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value)),
  )
}

describe('a pasted text', () => {
  const ANA = { name: 'Ana | Pérez', emails: ['ana@officine-parisi.example'], company: 'Officine Parisi' }

  const lines: [string, Row[]][] = [
    ['Ana Pérez <ana@officine-parisi.example>', [ANA]],
    ['"Pérez, Ana" <ana@officine-parisi.example>', [ANA]],
    ['From: Ana Pérez <mailto:ana@officine-parisi.example>', [ANA]],
    ['Ana Pérez, ana@officine-parisi.example, +34 600 123 456', [{ ...ANA, phones: ['work +34 600 123 456'] }]],
    ['Ana Pérez ana@officine-parisi.example +34 600 123 456', [{ ...ANA, phones: ['work +34 600 123 456'] }]],
    ['mailto:ana@officine-parisi.example', [{ emails: ANA.emails, company: ANA.company }]],
    ['Bob Ross <bob@gmail.com>', [{ name: 'Bob | Ross', emails: ['bob@gmail.com'] }]],
    ['Sales Team <sales@gmail.com>', [{ name: 'Sales Team', emails: ['sales@gmail.com'] }]],
    [
      '"Pérez, Ana" <ana@officine-parisi.example>; Bob Ross <bob@gmail.com>;cy@web.de',
      [ANA, { name: 'Bob | Ross', emails: ['bob@gmail.com'] }, { emails: ['cy@web.de'] }],
    ],
    [
      'Pérez, Ana <ana@officine-parisi.example>, Bob Ross <bob@gmail.com>',
      [ANA, { name: 'Bob | Ross', emails: ['bob@gmail.com'] }],
    ],
    [
      'Ana Pérez <ana@officine-parisi.example>\r\n\r\nBob Ross <bob@gmail.com>\r\n',
      [ANA, { name: 'Bob | Ross', emails: ['bob@gmail.com'] }],
    ],
    ['call them next week', [{ unread: ['call them next week'] }]],
  ]
  for (const [text, expected] of lines)
    test(`${JSON.stringify(text)}`, async () => assert.deepEqual((await read(text)).map(said), expected))

  test('that is a signature says who somebody is, where, and how to reach them', async () => {
    const [person, ...others] = await read(`Mit freundlichen Grüßen

Dr. Anna-Lena Müller
Leiterin Einkauf

Musterbau GmbH & Co. KG
Hauptstraße 12
10115 Berlin

Tel.: +49 30 1234567
Mobil: 0171 1234567
E-Mail: a.mueller@musterbau.example
www.musterbau.example
USt-IdNr.: DE123456789`)
    assert.deepEqual(others, [])
    assert.deepEqual(said(person), {
      name: 'Dr. Anna-Lena | Müller',
      title: 'Leiterin Einkauf',
      emails: ['a.mueller@musterbau.example'],
      phones: ['work +49 30 1234567', 'other 0171 1234567'],
      web: 'https://www.musterbau.example',
      company: 'Musterbau GmbH & Co. KG',
      unread: ['USt-IdNr.: DE123456789'],
    })
    assert.deepEqual(person.address, { line1: 'Hauptstraße 12', postal_code: '10115', city: 'Berlin' })
    assert.deepEqual(person.company, {
      id: null,
      name: 'Musterbau GmbH & Co. KG',
      domain: 'musterbau.example',
      because: null,
    })
  })

  test('of a mail program has each link twice, and a firm in its address', async () => {
    const [person] = await read(`Regards

David Perks
Managing Director
email: david@reach.com.au<mailto:david@reach.com.au> | mobile: 0424 282 465 | office: 1300 N REACH (1300 6 73224)
web: www.reach.com.au<http://www.reach.com.au/>

Within Reach Software Pty Ltd, Suite 102, 21 Berry St, North Sydney, NSW 2060
This email is confidential.`)
    assert.deepEqual(said(person), {
      name: 'David | Perks',
      title: 'Managing Director',
      emails: ['david@reach.com.au'],
      phones: ['other 0424 282 465'],
      web: 'https://www.reach.com.au',
      company: 'Within Reach Software Pty Ltd',
      unread: ['office: 1300 N REACH (1300 6 73224)', 'This email is confidential.'],
    })
    assert.deepEqual(
      [person.address.line1, person.address.city, person.address.postal_code],
      ['21 Berry St', 'North Sydney', '2060'],
    )
  })

  test('of two signatures is two people, and a bar stands between facts', async () => {
    const people = await read(`Ana Pérez
Head of Purchasing | Officine Parisi S.r.l.
T: +39 02 1234567 | M: +39 333 1234567
Via Roma 12, 20121 Milano (MI), Italy
ana.perez@officine-parisi.example | linkedin.com/in/anaperez

Bob Ross
CTO
Acme Ltd
bob@acme.example`)
    assert.deepEqual(people.map(said), [
      {
        name: 'Ana | Pérez',
        title: 'Head of Purchasing',
        emails: ['ana.perez@officine-parisi.example'],
        phones: ['work +39 02 1234567', 'other +39 333 1234567'],
        linkedin: 'https://linkedin.com/in/anaperez',
        company: 'Officine Parisi S.r.l.',
      },
      { name: 'Bob | Ross', title: 'CTO', emails: ['bob@acme.example'], company: 'Acme Ltd' },
    ])
    assert.equal(people[0].address.country, 'IT')
  })

  test('of rows is read by its heading, and what has no field stays beside its name', async () => {
    const [ana, bob] = await read(
      'Vorname\tNachname\tE-Mail\tFirma\tMobil\tStadt\tSchuhgröße\n' +
        'Ana\tPérez\tana@nw.example\tNorthwind Traders\t0171 1234567\tBerlin\t38\n' +
        'Bob\tRoss\tbob at nw\t\t\t\t',
    )
    assert.deepEqual(said(ana), {
      name: 'Ana | Pérez',
      emails: ['ana@nw.example'],
      phones: ['other 0171 1234567'],
      company: 'Northwind Traders',
      unread: ['Schuhgröße: 38'],
    })
    assert.equal(ana.address.city, 'Berlin')
    assert.deepEqual(said(bob), { name: 'Bob | Ross', unread: ['E-Mail: bob at nw'] })
    const [comma] = await read('Name,Email,Company\n"Pérez, Ana",ana@nw.example,Northwind')
    assert.deepEqual(said(comma), { name: 'Ana | Pérez', emails: ['ana@nw.example'], company: 'Northwind' })
  })

  test('of rows without a heading is read cell by cell', async () => {
    const people = await read(
      'Ana Pérez\tNorthwind GmbH\tana@nw.example\t+34 600 123 456\nBob Ross\tFjord Shops\tbob@fjord.example\t\tCTO',
    )
    assert.deepEqual(people.map(said), [
      { name: 'Ana | Pérez', emails: ['ana@nw.example'], phones: ['work +34 600 123 456'], company: 'Northwind GmbH' },
      { name: 'Bob | Ross', title: 'CTO', emails: ['bob@fjord.example'], company: 'Fjord Shops' },
    ])
  })

  test('fills custom fields by their labels, and a required one is no obstacle to reading', async () => {
    await app.newRecord('/custom-fields', { object: 'contact', key: 'shoe', label: 'Shoe size', type: 'number' })
    const [ana] = await read('Name\tEmail\tShoe size\nAna Pérez\tana@nw.example\t38')
    assert.deepEqual([ana.custom_fields, ana.unread], [{ shoe: 38 }, []])
  })

  test('shows who is there already, by the email, the name and the host of the company', async () => {
    const company = await app.newCompany({ name: 'Tarn Works', domains: ['tarn.example'] })
    const ida = await app.newContact({
      first_name: 'Ida',
      last_name: 'Berg',
      emails: [{ email: 'IDA@tarn.example' }],
      company_id: company.id,
    })
    const people = await read('Ida B <ida@tarn.example>\nIda Berg <ida@home.example>\nIda Berg <ida@HOME.example>')
    assert.deepEqual(
      people.map(({ known, twin }) => [known?.id, known?.because, twin]),
      [
        [ida.id, 'email', null],
        [ida.id, 'name', null],
        [ida.id, 'name', 1],
      ],
    )
    assert.deepEqual(people[0].company, {
      id: company.id,
      name: 'Tarn Works',
      domain: 'tarn.example',
      because: 'domain',
    })
    const [named] = await read('Ida Berg, TARN WORKS, ida@gmail.com')
    assert.deepEqual([named.company.id, named.company.because], [company.id, 'name'])
  })

  test('writes nothing, and has bounds', async () => {
    const seq = app.lastSeq()
    const rows = (count: number) => Array.from({ length: count }, (_, n) => `P${n} Ruiz <p${n}@x.example>`).join('\n')
    assert.equal((await read(rows(500))).length, 500)
    const more = await app.ask('member', 'POST', '/people/read', { text: rows(501) })
    assert.deepEqual([more.status, errorsOf(more.body)], [422, ['/text too_many_people']])
    const wide = await app.ask('member', 'POST', '/people/read', { text: 'x\t'.repeat(300) })
    assert.deepEqual([wide.status, errorsOf(wide.body)], [422, ['/text too_many_columns']])
    assert.equal((await app.ask('member', 'POST', '/people/read', { text: 'é'.repeat(131_073) })).status, 422)
    assert.equal((await app.ask('viewer', 'POST', '/people/read', { text: 'x' })).status, 403)
    assert.equal(app.lastSeq(), seq)
    for (const sign of ['<', '@', '"', '<@', 'a@', ',', '+1 ', '0', '|', '\t', '<"@>'])
      assert.ok(
        (await app.ask('member', 'POST', '/people/read', { text: sign.repeat(200_000 / sign.length) })).status < 500,
      )
  })
})

const key = (step: string, n = 1) => ({ 'Idempotency-Key': `step.${step}.${n}` })
const make = (people: object[], step = 'paste-1', n = 1) =>
  app.ask('member', 'POST', '/people', { people }, key(step, n))
/** All of a step: a busy server takes back a part at a time. */
async function back(step: string, body: object = {}): Promise<{ undone: number; left: Row[] }> {
  const all = { undone: 0, left: [] as Row[] }
  for (let rest = 1; rest > 0; ) {
    const answer = await app.ok('member', 'POST', `/steps/${step}/undo`, body)
    all.undone += answer.undone
    all.left.push(...answer.left)
    rest = answer.rest
  }
  return all
}
const contact = (id: string): Promise<Row> => app.getRecord(`/contacts/${id}`)

describe('a pasted vCard', () => {
  const card = (...lines: string[]): string => ['BEGIN:VCARD', ...lines, 'END:VCARD'].join('\r\n')

  test('is the person that it says, by the reader of files, with what has no field as a note', async () => {
    const [ana, ...others] = await read(
      card(
        'VERSION:3.0',
        'N:Ruiz;Ana María;;Dr.;',
        'FN:Dr. Ana María Ruiz',
        'ORG:Acme\\, Inc.;Purchasing',
        'TITLE:Head of purchasing',
        'EMAIL;TYPE=HOME:ana@home.example',
        'item1.TEL;TYPE=CELL,PREF:+49 171 123',
        ' 4567',
        'ADR;TYPE=WORK:;;Am Weg 3;Köln;;50667;Germany',
        'URL:https://www.linkedin.com/in/ana',
        'NOTE:Likes tea\\nand cakes',
        'UID:6F0A2C2E',
        'PHOTO;ENCODING=b;TYPE=JPEG:AAAA',
      ),
    )
    assert.deepEqual(others, [])
    assert.deepEqual(said(ana), {
      name: 'Ana María | Ruiz',
      title: 'Head of purchasing',
      emails: ['ana@home.example'],
      phones: ['other +49 171 1234567'],
      linkedin: 'https://www.linkedin.com/in/ana',
      company: 'Acme, Inc.',
      unread: ['Name Prefix: Dr.', 'Organization Department: Purchasing', 'Likes tea\nand cakes'],
    })
    assert.deepEqual([ana?.address.city, ana?.address.country, ana?.emails[0].label], ['Köln', 'DE', 'home'])
  })

  const ways: [string, string, Row[]][] = [
    [
      'of version 4.0 with a formatted name alone',
      card('VERSION:4.0', 'FN:Anna Berg', 'EMAIL:anna@berg.example'),
      [{ name: 'Anna | Berg', emails: ['anna@berg.example'], company: 'Berg' }],
    ],
    [
      'without a formatted name, as some phones write it',
      card('VERSION:2.1', 'N:Test;Cy', 'TEL;CELL:0301234567'),
      [{ name: 'Cy | Test', phones: ['other 0301234567'] }],
    ],
    [
      'with the letters of an old phone',
      card('VERSION:2.1', 'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg', 'TEL:030 123456'),
      [{ name: 'Jörg | Müller', phones: ['work 030 123456'] }],
    ],
    [
      'whose end was not copied',
      'BEGIN:VCARD\nVERSION:3.0\nFN:Di Vo\nEMAIL:di@gmail.com',
      [{ name: 'Di | Vo', emails: ['di@gmail.com'] }],
    ],
    [
      'that is set in',
      '  BEGIN:VCARD\n  VERSION:3.0\n  FN:Ed Wu\n  EMAIL:ed@gmail.com\n  END:VCARD\n',
      [{ name: 'Ed | Wu', emails: ['ed@gmail.com'] }],
    ],
    [
      'of a company, which is somebody there',
      card('VERSION:3.0', 'FN:Northwind', 'ORG:Northwind', 'TEL:+49 30 5551234'),
      [{ phones: ['work +49 30 5551234'], company: 'Northwind' }],
    ],
    [
      'of two people below each other',
      `${card('FN:Flo Xi', 'EMAIL:flo@gmail.com')}\r\n${card('FN:Gus Yo', 'EMAIL:gus@gmail.com')}`,
      [
        { name: 'Flo | Xi', emails: ['flo@gmail.com'] },
        { name: 'Gus | Yo', emails: ['gus@gmail.com'] },
      ],
    ],
    [
      'with words around it, which stay with it',
      `Here is her card\n${card('FN:Hanna Zet', 'EMAIL:hanna@gmail.com')}\nCall her soon`,
      [{ name: 'Hanna | Zet', emails: ['hanna@gmail.com'], unread: ['Here is her card', 'Call her soon'] }],
    ],
    [
      'beside somebody else',
      `Ian Abe <ian@gmail.com>\n\n${card('FN:Jo Bee', 'EMAIL:jo@gmail.com')}`,
      [
        { name: 'Jo | Bee', emails: ['jo@gmail.com'] },
        { name: 'Ian | Abe', emails: ['ian@gmail.com'] },
      ],
    ],
    ['of a group, which is nobody', card('VERSION:4.0', 'KIND:group', 'FN:Team', 'MEMBER:urn:uuid:1'), []],
  ]
  for (const [what, text, expected] of ways)
    test(what, async () => assert.deepEqual((await read(text)).map(said), expected))

  test('is refused if there are too many, or if one is longer than a card can be', async () => {
    const many = Array.from({ length: 501 }, (_, n) => card(`FN:Nr ${n}`)).join('\n')
    const answer = await app.ask('member', 'POST', '/people/read', { text: many })
    assert.deepEqual(errorsOf(answer.body), ['/text too_many_people'])
    const long = await app.ask('member', 'POST', '/people/read', { text: card(...Array(1001).fill('X-A:b')) })
    assert.deepEqual(errorsOf(long.body), ['/text too_long'])
  })
})

describe('people that are made', () => {
  test('have their company and their note, and all of it is one step that is taken back', async () => {
    const before = app.lastSeq()
    const company = { name: 'Musterbau GmbH', domain: 'musterbau.example' }
    const answer = await make([
      {
        contact: { first_name: 'Ana', last_name: 'Pérez', emails: [{ email: 'ana@musterbau.example' }] },
        company,
        note: 'USt-IdNr.: DE123456789',
      },
      { contact: { last_name: 'Ross', phones: [{ number: '+34 600 123 456' }] }, company },
    ])
    assert.equal(answer.status, 200, answer.text)
    const [ana, ross] = answer.body.people
    assert.deepEqual([ana.name, ana.result, ross.name], ['Ana Pérez', 'created', 'Ross'])
    const own = await contact(ana.id)
    assert.equal(own.company_id, (await contact(ross.id)).company_id)
    assert.deepEqual((await app.getRecord(`/companies/${own.company_id}`)).domains, ['musterbau.example'])
    const [note] = (await app.getRecord(`/notes?contact_id=${ana.id}`)).data
    assert.equal(note.body, 'USt-IdNr.: DE123456789')
    const types = app.events(before).map(({ type }) => type)
    assert.deepEqual(types, ['company.created', 'contact.created', 'note.created', 'contact.created'])

    const again = await make([{ contact: { last_name: 'Lund' }, company }], 'paste-1', 2)
    assert.equal((await contact(again.body.people[0].id)).company_id, own.company_id)
    assert.deepEqual(await back('paste-1'), { undone: 5, left: [] })
    for (const path of [
      `/contacts/${ana.id}`,
      `/contacts/${ross.id}`,
      `/companies/${own.company_id}`,
      `/notes/${note.id}`,
    ])
      assert.equal((await app.call('GET', path)).status, 404, path)
    assert.deepEqual((await back('paste-1', { again: true })).left, [])
    assert.equal((await contact(ana.id)).company_id, own.company_id)
  })

  test('are added to who is there: nothing of theirs is changed, and nothing is lost', async () => {
    const before = await app.newContact({
      first_name: 'Ida',
      last_name: 'Lund',
      job_title: 'Buyer',
      emails: [{ email: 'ida@lund.example' }],
    })
    const person = {
      to_contact_id: before.id,
      contact: {
        first_name: 'Ida Maria',
        job_title: 'Head of Purchasing',
        emails: [{ email: 'IDA@lund.example' }, { email: 'ida@work.example' }],
        phones: [{ number: '+34 600 123 456', label: 'work' }],
        website: 'https://lund.example',
      },
      note: 'Likes tea',
    }
    const { body } = await make([person], 'paste-2')
    assert.deepEqual(body.people[0].fields.toSorted(), ['emails', 'phones', 'website'])
    const after = await contact(before.id)
    assert.deepEqual([after.first_name, after.job_title, after.website], ['Ida', 'Buyer', 'https://lund.example'])
    assert.deepEqual(
      after.emails.map(({ email, is_primary }: Row) => [email, is_primary]),
      [
        ['ida@lund.example', true],
        ['ida@work.example', false],
      ],
    )
    const [note] = (await app.getRecord(`/notes?contact_id=${before.id}`)).data
    assert.equal(note.body, 'Likes tea\nfirst_name: Ida Maria\njob_title: Head of Purchasing')
    assert.deepEqual((await back('paste-2')).left, [])
    const { version: _, updated_at: __, ...now } = await contact(before.id)
    const { version: ___, updated_at: ____, ...was } = before
    assert.deepEqual(now, was)
  })

  test('are refused together, with the place of the one that is wrong', async () => {
    const taken = await app.newContact({ emails: [{ email: 'held@x.example' }] })
    const good = { contact: { last_name: 'Good' }, company: { name: 'Never Made' } }
    const seq = app.lastSeq()
    const duplicate = await make([good, { contact: { emails: [{ email: 'HELD@x.example' }] } }], 'paste-3')
    assert.deepEqual(
      [duplicate.status, duplicate.body.code, duplicate.body.duplicate_id, duplicate.body.index],
      [409, 'duplicate', taken.id, 1],
    )
    const wrong = await make([good, { contact: { last_name: 'Ok', emails: [{ email: 'no' }] } }], 'paste-4')
    assert.deepEqual(
      [wrong.status, errorsOf(wrong.body), wrong.body.index],
      [422, ['/people/1/contact/emails/0/email invalid_email'], 1],
    )
    assert.equal((await make([{ contact: { last_name: 'X' }, to_contact_id: UNKNOWN }], 'paste-5')).status, 404)
    assert.equal((await make([{ contact: { last_name: 'X', company_id: UNKNOWN } }], 'paste-6')).status, 422)
    assert.equal((await make([], 'paste-7')).status, 422)
    assert.equal(
      (
        await make(
          Array.from({ length: 26 }, () => good),
          'paste-8',
        )
      ).status,
      422,
    )
    assert.equal((await app.ask('viewer', 'POST', '/people', { people: [good] })).status, 403)
    assert.equal(app.lastSeq(), seq)
    const all = await make([{ contact: { emails: [{ email: 'held@x.example' }] }, allow_duplicate: true }], 'paste-9')
    assert.equal(all.status, 200)
  })
})
