import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Imported, type ImportOptions, importFile } from '../../../src/imports/csv/import.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import type { Org } from '../../support/org.ts'
import { stillPace } from '../../support/pace.ts'
import { recordsOf } from '../../support/records.ts'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
const { newRecord } = recordsOf(() => server)
let folder: string
before(async () => {
  server = await startServer()
})
after(() => server.stop())
folder = temporaryFolder()
let count = 0

type Options = Partial<Omit<ImportOptions, 'org'>> & { org?: Org }

/** Imports a file with this content into organisation A. */
async function imported(content: string, options: Options = {}): Promise<Imported> {
  const file = options.file ?? join(folder, `file${count++}.csv`)
  writeFileSync(file, content)
  const { org = server.a, ...rest } = options
  return importFile(server.store, { object: 'contact', file, pace: stillPace, ...rest, org: org.org })
}

const countsOf = ({ created, updated, unchanged, rejected }: Imported) => [created, updated, unchanged, rejected]

/** The reasons of the rejected rows, as the file of them tells. */
const reasonsOf = ({ rejectedFile }: Imported): string[] =>
  readFileSync(rejectedFile as string, 'utf8')
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => (/"?(line \d+: .*?)"?$/.exec(line)?.[1] ?? line).replaceAll('""', '"'))

const one = async (path: string, org?: Org) => {
  const { body } = await server.call('GET', path, undefined, org ? { token: org.token } : {})
  assert.equal(body.data.length, 1, `${path} answers ${body.data.length}`)
  return body.data[0]
}
const contactOf = (email: string, org?: Org) => one(`/contacts?email=${encodeURIComponent(email)}`, org)
const dealOf = (title: string) => one(`/deals?q=${encodeURIComponent(title)}`)
const nothing = async (path: string) => assert.deepEqual((await server.call('GET', path)).body.data, [])
const typesSince = (seq: number) => server.events(seq).map(({ type }) => type)

describe('an import of contacts', () => {
  test('makes them as the interface does, with their companies and tags, as the system', async () => {
    const seq = server.lastSeq()
    const result = await imported(
      'Vorname;Nachname;E-Mail;Handy;Firma;Schlagworte;Zuständig;Land;Ort\r\nAna;Lindqvist;ana@one.example;0171 1;One GmbH;vip, new;Ana;Schweden;Malmö\r\nBo;Ott;bo@one.example;;one gmbh;VIP;ana@acme.example;;\r\n',
    )
    assert.deepEqual(countsOf(result), [2, 0, 0, 0])
    assert.equal(result.rejectedFile, null)
    const [ana, bo] = [await contactOf('ana@one.example'), await contactOf('bo@one.example')]
    const company = await one('/companies?q=one')
    const { body: tags } = await server.call('GET', '/tags?sort=name')
    const [fresh, vip] = tags.data
    assert.deepEqual([company.name, fresh.name, vip.name], ['One GmbH', 'new', 'vip'])
    assert.deepEqual(
      { ...ana, id: 0, created_at: 0, updated_at: 0 },
      {
        id: 0,
        first_name: 'Ana',
        last_name: 'Lindqvist',
        name: 'Ana Lindqvist',
        emails: [{ email: 'ana@one.example', label: 'work', is_primary: true }],
        phones: [{ number: '0171 1', label: 'other', is_primary: true }],
        job_title: null,
        company_id: company.id,
        owner_id: server.a.owner,
        tag_ids: [vip.id, fresh.id],
        linkedin_url: null,
        website: null,
        address: { line1: null, line2: null, city: 'Malmö', region: null, postal_code: null, country: 'SE' },
        timezone: null,
        language: null,
        do_not_contact: false,
        unsubscribed_at: null,
        source: null,
        external_id: null,
        originally_created_at: null,
        custom_fields: {},
        created_at: 0,
        updated_at: 0,
        version: 1,
      },
    )
    assert.deepEqual([bo.company_id, bo.owner_id, bo.tag_ids], [company.id, server.a.owner, [vip.id]])
    const events = server.events(seq)
    assert.deepEqual(
      events.map(({ type }) => type),
      ['company.created', 'tag.created', 'tag.created', 'contact.created', 'contact.created'],
    )
    assert.deepEqual(events[3]?.object, ana)
    assert.ok(events.every(({ actor }) => actor === null))
  })

  test('leaves nothing of a row that is refused, and tells its line and every reason', async () => {
    const seq = server.lastSeq()
    const result = await imported(
      'First name,Email,Company,Tags,Do not contact,Country\nAna,no email,Ghost Ltd,ghost,maybe,Atlantis\nBo,bo@,Ghost Ltd,ghost,yes,Atlantis\nEva,eva@two.example,,,,\n\n,,,x,,\nIda,ida@two.example\nOwn,own@two.example,,,,\n',
    )
    assert.deepEqual(countsOf(result), [2, 0, 0, 4])
    assert.deepEqual(reasonsOf(result), [
      'line 2: do_not_contact must be yes or no, not "maybe"',
      'line 3: emails must be an email address, not "bo@"',
      'line 6: the row must have a name, an email or a phone',
      'line 7: the row has 2 cells where the header has 6',
    ])
    assert.deepEqual(typesSince(seq), ['contact.created', 'contact.created'])
    await nothing('/companies?q=ghost')
    await contactOf('eva@two.example')
    await contactOf('own@two.example')
  })

  test('refuses a duplicate, also one of the same file', async () => {
    const result = await imported('Email\ndup@three.example\nDUP@three.example\nother@three.example\n')
    assert.deepEqual(countsOf(result), [2, 0, 0, 1])
    assert.match(reasonsOf(result)[0] ?? '', /^line 3: Another contact, .* has the email "DUP@three.example"/)
  })

  test('makes a company for the next row where the row that made it first is refused', async () => {
    const seq = server.lastSeq()
    const file =
      'Email,Company,Tags\nr@three.example,,\nr@three.example,Second Ltd,second\ns@three.example,Second Ltd,second\n'
    assert.deepEqual(countsOf(await imported(file)), [2, 0, 0, 1])
    assert.deepEqual(typesSince(seq), ['contact.created', 'company.created', 'tag.created', 'contact.created'])
    assert.equal((await contactOf('s@three.example')).company_id, (await one('/companies?q=second')).id)
  })

  test('fills the search index, for new records and changed ones', async () => {
    await imported('Name,Email\nQuirina Searched,q1@four.example\nQuirin Searched,q2@four.example\n')
    const found = async (q: string) => (await server.call('GET', `/contacts?q=${q}`)).body.data.length
    assert.deepEqual([await found('quirin'), await found('q2 searched')], [2, 1])
    await imported('Name,Email\nXenia Searched,q2@four.example\n', { match: 'email' })
    assert.deepEqual([await found('quirin'), await found('xenia'), await found('four.example')], [1, 1, 2])
    const docs = server.store.db.prepare('SELECT count(*) FROM search_docs').pluck().get()
    const records = ['contacts', 'companies', 'deals', 'notes', 'tasks']
      .map((table) => server.store.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number)
      .reduce((sum, each) => sum + each)
    assert.equal(docs, records)
    server.store.db.exec("INSERT INTO search (search) VALUES ('integrity-check')")
  })

  test('takes companies, members and tags of its own organisation only', async () => {
    const { a, b } = server
    const foreign = await newRecord('/companies', { name: 'Everywhere', domains: ['everywhere.example'] }, b)
    const result = await imported('Email,Company\nw1@five.example,Everywhere\nw2@five.example,everywhere.example\n')
    assert.deepEqual(countsOf(result), [2, 0, 0, 0])
    const made = await one('/companies?q=everywhere&domain=everywhere.example')
    assert.notEqual(made.id, foreign.id)
    const ids = `Email,Company,Owner\nw3@five.example,${foreign.id},\nw4@five.example,,ana@birch.example\nw5@five.example,,${b.owner}\n`
    assert.deepEqual(reasonsOf(await imported(ids)), [
      'line 2: company_id does not refer to a record of this organisation',
      'line 3: owner_id does not match any member of this organisation: "ana@birch.example"',
      'line 4: owner_id does not refer to a record of this organisation',
    ])
    const first = 'Email\nboth@five.example\n'
    assert.deepEqual(countsOf(await imported(first)), [1, 0, 0, 0])
    assert.deepEqual(countsOf(await imported(first, { org: b })), [1, 0, 0, 0], 'the same file in another organisation')
    assert.notEqual((await contactOf('both@five.example')).id, (await contactOf('both@five.example', b)).id)
    assert.equal(server.events(0, b).at(-1)?.object.id, (await contactOf('both@five.example', b)).id)
    assert.ok(a.org !== b.org)
  })

  test('refuses a name that several have, unless one is written in the same way', async () => {
    const [first] = [await newRecord('/companies', { name: 'Twin' }), await newRecord('/companies', { name: 'TWIN' })]
    const result = await imported('Email,Company\nt1@six.example,twin\nt2@six.example,Twin\n')
    assert.match(reasonsOf(result)[0] ?? '', /^line 2: company_id matches several companies: "twin"; use its domain/)
    assert.equal((await contactOf('t2@six.example')).company_id, first?.id)
  })

  test('reads NDJSON in our own wire form', async () => {
    const tag = await newRecord('/tags', { name: 'wire' })
    const lines = [
      {
        first_name: 'Wire',
        emails: [{ email: 'wire@seven.example', label: 'home', is_primary: true }],
        tag_ids: [tag.id],
      },
      {
        first_name: 'Bad',
        emails: [{ email: 'wire2@seven.example' }],
        surprise: 1,
        do_not_contact: 'no',
        name: 'x',
        id: 'y',
      },
      { last_name: 5 },
    ]
    const result = await imported(lines.map((line) => JSON.stringify(line)).join('\n'), {
      file: join(folder, 'w.ndjson'),
    })
    assert.deepEqual(countsOf(result), [2, 0, 0, 1])
    assert.deepEqual(reasonsOf(result), ['line 3: last_name must be a string'])
    const contact = await contactOf('wire@seven.example')
    assert.deepEqual([contact.emails[0].label, contact.tag_ids], ['home', [tag.id]])
  })

  test('fills custom fields, by their types', async () => {
    const options = [{ value: 'gold', label: 'Der Goldene' }]
    for (const field of [
      { key: 'level', label: 'Stufe', type: 'select', options },
      { key: 'since', label: 'Since', type: 'date' },
      { key: 'keeper', label: 'Keeper', type: 'member' },
      { key: 'badge', label: 'Badge', type: 'text', is_unique: true },
    ])
      await newRecord('/custom-fields', { object: 'contact', ...field })
    const result = await imported(
      'Email;Stufe;custom_fields.since;Keeper;Badge\nc1@eight.example;der goldene;31.12.2026;Ana;7\nc2@eight.example;silver;;;\nc3@eight.example;;;;7\n',
    )
    assert.deepEqual(countsOf(result), [1, 0, 0, 2])
    const { custom_fields } = await contactOf('c1@eight.example')
    assert.deepEqual(custom_fields, { badge: '7', keeper: server.a.owner, level: 'gold', since: '2026-12-31' })
    const [option, unique] = reasonsOf(result)
    assert.match(option ?? '', /^line 3: custom_fields.level must be one of "gold"/)
    assert.match(unique ?? '', /^line 4: custom_fields.badge must be unique/)
  })
})

describe('a file without names', () => {
  const rows = (head: string, ...names: string[]) =>
    `${head},E-Mail\n${names.map((name, at) => `${name},p${at}@names.example\n`).join('')}`

  test('is refused where a column may have them, until --map says what it is', async () => {
    const refused = [
      rows('Kundin', 'Ana Ruiz', 'Bo'),
      rows('客户姓名', '王芳'),
      rows('Wer', 'Ana Ruiz', 'Bo Ott', 'Cy Blom', 'Di Lund'),
    ]
    for (const file of refused)
      await assert.rejects(
        imported(file),
        { code: 'usage', message: /recognised as the name of a contact, and "/ },
        file,
      )
    const named = await imported(refused[2] as string, { map: 'Wer=name' })
    assert.deepEqual([countsOf(named), (await contactOf('p1@names.example')).last_name], [[4, 0, 0, 0], 'Ott'])
    const without = await imported(refused[0] as string, { map: 'Kundin=-', match: 'email' })
    assert.deepEqual(countsOf(without), [0, 0, 2, 0])
  })

  test('is taken where no column may', async () => {
    const file =
      'E-Mail,Newsletter,Kundennummer,Kategorie\nq1@names.example,yes,K-1,Gold\nq2@names.example,no,K-2,Gold\n'
    assert.deepEqual(countsOf(await imported(file)), [2, 0, 0, 0])
  })
})

describe('--match', () => {
  test('changes the columns that are given of the contact with the email, and makes those that are not there', async () => {
    const ana = await newRecord('/contacts', {
      first_name: 'Ana',
      job_title: 'Old',
      source: 'fair',
      emails: [{ email: 'Ana@match.example', label: 'home' }, { email: 'second@match.example' }],
    })
    const seq = server.lastSeq()
    const file = 'Email,Job title,Tags\nana@MATCH.example,New,matched\nfresh@match.example,Fresh,\n'
    assert.deepEqual(countsOf(await imported(file, { match: 'email' })), [1, 1, 0, 0])
    const after = await contactOf('ana@match.example')
    assert.deepEqual(
      { ...after, updated_at: 0 },
      { ...ana, job_title: 'New', tag_ids: after.tag_ids, version: 2, updated_at: 0 },
      'its emails and its source stay',
    )
    const events = server.events(seq)
    assert.deepEqual(
      events.map(({ type, changed_fields }) => [type, ...changed_fields]),
      [['tag.created'], ['contact.updated', 'job_title', 'tag_ids'], ['contact.created']],
    )
  })

  test('finds a contact by a phone in any notation, and leaves the number as it is written there', async () => {
    const made = await newRecord('/contacts', { first_name: 'Mo', phones: [{ number: '0711 / 555 02-30' }] })
    const file = 'First name,Job title,Phone\nMo,Clerk,+49 (0)711 5550230\nMo,Other,0711 55502301\n'
    assert.deepEqual(countsOf(await imported(file, { match: 'phone' })), [1, 1, 0, 0])
    const { body } = await server.call('GET', `/contacts/${made.id}`)
    assert.deepEqual([body.job_title, body.phones], ['Clerk', made.phones])
    assert.deepEqual(countsOf(await imported(file, { match: 'phone', again: true })), [0, 0, 2, 0])
  })

  test('writes nothing, and no event, where all is as it was', async () => {
    const file = 'Email,First name,Country\nsame@match.example,Sam,Austria\n'
    assert.deepEqual(countsOf(await imported(file)), [1, 0, 0, 0])
    const seq = server.lastSeq()
    assert.deepEqual(countsOf(await imported(file, { match: 'email' })), [0, 0, 1, 0])
    assert.equal(server.lastSeq(), seq)
  })

  test('joins emails, phones and tags to those that are there', async () => {
    const kept = await newRecord('/tags', { name: 'kept' })
    const given = { emails: [{ email: 'join@match.example' }], phones: [{ number: '+49 (30) 1' }], tag_ids: [kept.id] }
    await newRecord('/contacts', given)
    const file = 'Email,Phone,Tags\n"join@match.example; more@match.example",+49 30 1; 0171 222,joined\n'
    await imported(file, { match: 'email' })
    const { emails, phones, tag_ids } = await contactOf('join@match.example')
    assert.deepEqual(
      emails.map(({ email, is_primary }: Record<string, unknown>) => [email, is_primary]),
      [
        ['join@match.example', true],
        ['more@match.example', false],
      ],
    )
    assert.deepEqual(
      phones.map(({ number }: Record<string, unknown>) => number),
      ['+49 (30) 1', '0171 222'],
    )
    assert.equal(tag_ids.length, 2)
    assert.equal(tag_ids[0], kept.id)
  })

  test('replaces them by a list of our own wire form', async () => {
    await newRecord('/contacts', { emails: [{ email: 'rep@match.example' }, { email: 'rep2@match.example' }] })
    await imported('{"emails":[{"email":"rep@match.example"}]}', { match: 'email' })
    assert.equal((await contactOf('rep@match.example')).emails.length, 1)
  })

  test('finds the records of earlier rows of the file, too', async () => {
    const file = 'Email,First name\nrows@match.example,One\nRows@match.example,Two\n'
    assert.deepEqual(countsOf(await imported(file, { match: 'email' })), [1, 1, 0, 0])
    assert.equal((await contactOf('rows@match.example')).first_name, 'Two')
  })

  test('refuses a row that matches several records', async () => {
    const [one, two] = [
      await newRecord('/contacts', { emails: [{ email: 'x1@match.example' }] }),
      await newRecord('/contacts', { emails: [{ email: 'x2@match.example' }] }),
    ]
    const result = await imported('Email\nx1@match.example;x2@match.example\n', { match: 'email' })
    assert.deepEqual(reasonsOf(result), [`line 2: The row matches several records: ${one?.id}, ${two?.id}.`])
  })

  test('finds companies by domain and records by external_id', async () => {
    const company = await newRecord('/companies', { name: 'Domain Ltd', domains: ['domain.example', 'two.example'] })
    const file =
      'Name,Company Domain Name,Number of Employees,Record ID\nDomain Ltd,https://www.DOMAIN.example,1.200,7\n'
    assert.deepEqual(countsOf(await imported(file, { object: 'company', match: 'domain' })), [0, 1, 0, 0])
    const byId = 'Name,Record ID,Industry\nDomain,7,Logistics\nElse,8,\n'
    assert.deepEqual(countsOf(await imported(byId, { object: 'company', match: 'external_id' })), [1, 1, 0, 0])
    const after = await one('/companies?external_id=7')
    assert.deepEqual(
      [after.id, after.name, after.domains, after.employee_count, after.industry],
      [company.id, 'Domain', ['domain.example', 'two.example'], 1200, 'Logistics'],
    )
    assert.deepEqual(countsOf(await imported('Name,ID\nAna,c7\n')), [1, 0, 0, 0])
    assert.deepEqual(countsOf(await imported('Name,ID\nAna Ruiz,c7\n', { match: 'external_id' })), [0, 1, 0, 0])
  })
})

describe('an import of companies', () => {
  test('reads amounts as their column is written, and refuses what is ambiguous', async () => {
    const file = 'Name;Umsatz;Parent company\nRev 1;1.234,50 €;\nRev 2;1.234;Rev 1\nRev 3;-5;\nRev 4;;Nobody\n'
    const result = await imported(file, { object: 'company' })
    assert.deepEqual(countsOf(result), [2, 0, 0, 2])
    const [one, two] = (await server.call('GET', '/companies?q=rev&sort=name')).body.data
    assert.deepEqual([one.annual_revenue, one.currency, two.annual_revenue], [1234.5, 'EUR', 1234])
    assert.equal(two.parent_company_id, one.id)
    const [negative, nobody] = reasonsOf(result)
    assert.match(negative ?? '', /^line 4: annual_revenue must be a number from 0/)
    assert.match(nobody ?? '', /^line 5: parent_company_id does not match any company of this organisation: "Nobody"/)
    const twofold = 'Name,Annual Revenue\nRev 5,1.234\n'
    assert.match(
      reasonsOf(await imported(twofold, { object: 'company' }))[0] ?? '',
      /"1.234" is ambiguous; use --decimal/,
    )
    assert.deepEqual(countsOf(await imported(twofold, { object: 'company', decimal: ',' })), [1, 0, 0, 0])
  })
})

describe('an import of deals', () => {
  test('creates them, then moves or closes them, as the interface does', async () => {
    const { a } = server
    const contact = await newRecord('/contacts', {
      first_name: 'Dea',
      last_name: 'Ler',
      emails: [{ email: 'dea@d.example' }],
    })
    const seq = server.lastSeq()
    const result = await imported(
      `Deal - Title,Deal - Value,Deal - Currency of Value,Deal - Stage,Deal - Status,Deal - Lost reason,Deal - Organization,Deal - Contact person,Deal - Expected close date
Imp one,"1,234.50",EUR,qualified,Open,,Deal Org,Dea Ler,12/31/2026
Imp two,5,EUR,Proposal,,,deal org,Dea Ler (dea@d.example),
Imp three,5,,demo,Won,,,,
Imp four,5,,,Lost,Price,,,
Imp five,5,,Lost,,,,,
`,
      { object: 'deal' },
    )
    assert.deepEqual(countsOf(result), [5, 0, 0, 0])
    const [one, two, three, four, five] = [
      await dealOf('imp one'),
      await dealOf('imp two'),
      await dealOf('imp three'),
      await dealOf('imp four'),
      await dealOf('imp five'),
    ]
    assert.deepEqual(
      [one.amount, one.currency, one.stage, one.expected_close_date, one.primary_contact_id],
      [1234.5, 'EUR', a.stages.qualified, '2026-12-31', contact.id],
    )
    assert.deepEqual(
      [two.stage, two.company_id, two.primary_contact_id],
      [a.stages.proposal, one.company_id, contact.id],
    )
    assert.deepEqual([three.status, three.stage, three.close_reason_id], ['won', a.stages.won, a.reasons.won])
    assert.deepEqual([four.status, four.close_reason_id], ['lost', a.reasons.lost])
    assert.deepEqual([five.status, five.close_reason_id], ['lost', a.reasons.lost])
    assert.deepEqual(typesSince(seq), [
      'company.created',
      'deal.created',
      'deal.created',
      'deal.stage_changed',
      'deal.created',
      'deal.closed',
      'deal.created',
      'deal.closed',
      'deal.created',
      'deal.closed',
    ])
  })

  test('puts them into the pipeline that is named, or that has the stage', async () => {
    const { a } = server
    const result = await imported(
      'Title,Pipeline,Stage\nPipe one,partners,\nPipe two,,demo (partners)\nPipe three,partners,proposal\n',
      { object: 'deal' },
    )
    assert.deepEqual(countsOf(result), [3, 0, 0, 0])
    assert.equal((await dealOf('pipe one')).stage, a.stages.partner)
    const stages = (await server.call('GET', `/stages?pipeline_id=${a.pipelines.partners}`)).body.data
    const named = (name: string) => stages.find((each: { name: string }) => each.name === name).id
    assert.equal((await dealOf('pipe two')).stage, named('demo'))
    assert.equal((await dealOf('pipe three')).stage, named('proposal'))
  })

  test('reads NDJSON in our own wire form', async () => {
    const { a } = server
    const [open, won] = [await dealOf('imp two'), await dealOf('imp three')]
    const lines = [open, won].map((deal, index) => JSON.stringify({ ...deal, title: `Wire ${index}` }))
    assert.deepEqual(countsOf(await imported(lines.join('\n'), { object: 'deal' })), [2, 0, 0, 0])
    const [first, second] = [await dealOf('wire 0'), await dealOf('wire 1')]
    assert.deepEqual([first.stage, first.company_id, first.status], [a.stages.proposal, open.company_id, 'open'])
    assert.deepEqual([second.status, second.close_reason_id], ['won', a.reasons.won])
  })

  test('refuses what does not fit together, and what is not there', async () => {
    const seq = server.lastSeq()
    const result = await imported(
      `Title,Stage,Status,Close reason,Primary contact,Pipeline
Bad 1,nowhere,,,,
Bad 2,,pending,,,
Bad 3,Won,lost,,,
Bad 4,,,price,,
Bad 5,,won,price,,
Bad 6,,lost,old,,
Bad 7,,,,Nobody,
Bad 8,,,,,nowhere
`,
      { object: 'deal' },
    )
    assert.deepEqual(
      reasonsOf(result).map((reason) => reason.replace(/^line \d+: /, '')),
      [
        'stage does not match any stage of this organisation: "nowhere"; use one of "qualified", "demo", "proposal", "won", "lost"',
        'status must be open, won or lost, not "pending"',
        'status is lost, but the stage "won" is for won',
        'close_reason_id must be omitted unless the deal is won or lost',
        'close_reason_id does not match any close reason for won of this organisation: "price"; use one of "fit"',
        'close_reason_id does not match any close reason for lost of this organisation: "old"; use one of "price"',
        'primary_contact_id does not match any contact of this organisation: "Nobody"',
        'pipeline_id does not match any pipeline of this organisation: "nowhere"; use one of "sales", "partners"',
      ],
    )
    assert.equal(server.lastSeq(), seq)
  })
})

describe('a dry run', () => {
  test('tells what would happen, duplicates in the file included, and leaves nothing', async () => {
    const { db } = server.store
    const before = [
      'imports',
      'import_rows',
      'import_rejects',
      'contacts',
      'companies',
      'tags',
      'events',
      'search_docs',
    ]
    const rows = () => before.map((table) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get())
    const was = rows()
    const file = 'Email,Company,Tags\ndry@dry.example,Dry Ltd,dry\nDRY@dry.example,Dry Ltd,\nbad,,\n'
    const dry = await imported(file, { dryRun: true, rejected: join(folder, 'dry.csv') })
    assert.deepEqual(countsOf(dry), [1, 0, 0, 2])
    assert.equal((await imported(file, { dryRun: true })).rejectedFile, null)
    assert.deepEqual(rows(), was)
    assert.equal(db.inTransaction, false)
    assert.equal(reasonsOf(dry).length, 2)
    assert.deepEqual(countsOf(await imported(file)), countsOf(dry), 'and then it does')
  })
})

describe('the same file once more', () => {
  test('does nothing when it was imported in the same way, and tells what that did', async () => {
    const file = 'First name\nDouble\nDouble\n'
    const first = await imported(file)
    const seq = server.lastSeq()
    const second = await imported(file)
    assert.deepEqual(second, { ...first, importedBefore: server.now() })
    assert.equal(server.lastSeq(), seq)
  })

  test('comes in again where that is asked for, or in another way', async () => {
    const file = 'First name,Source\nTwice,fair\n'
    const first = await imported(file)
    const again = await imported(file, { again: true })
    assert.notEqual(again.id, first.id)
    assert.deepEqual([countsOf(again), again.importedBefore], [[1, 0, 0, 0], null])
    assert.deepEqual(countsOf(await imported(file, { map: 'Source=-' })), [1, 0, 0, 0])
  })

  const rows = Array.from({ length: 1200 }, (_, n) => `Cut ${n},${n % 400 === 7 ? 'bad' : ''}`).join('\n')

  test('goes on where it was stopped, without doubles', async () => {
    const file = `Name,Email\n${rows}\n`
    const stop = new AbortController()
    const seq = server.lastSeq()
    await assert.rejects(imported(file, { signal: stop.signal, onProgress: (done) => done === 500 && stop.abort() }), {
      code: 'stopped',
      message: /after 500 of 1200 rows/,
    })
    assert.equal(server.lastSeq(), seq + 498)
    const done: number[] = []
    const result = await imported(file, { onProgress: (rows) => done.push(rows) })
    assert.deepEqual(
      [countsOf(result), done],
      [
        [1197, 0, 0, 3],
        [1000, 1200],
      ],
    )
    assert.equal(server.lastSeq(), seq + 1197)
    assert.deepEqual(
      reasonsOf(result).map((reason) => /line \d+/.exec(reason)?.[0]),
      ['line 9', 'line 409', 'line 809'],
      'those of the first part too',
    )
  })

  test('is refused where another command has gone on with it', async () => {
    const goOn = server.store.db.prepare('UPDATE imports SET position = 1000 WHERE position = 500')
    const both = imported(`Name,Email\n${rows}\n,both\n`, { onProgress: (done) => done === 500 && void goOn.run() })
    const seq = server.lastSeq()
    await assert.rejects(both, { status: 409, code: 'import_moved' })
    assert.equal(server.lastSeq(), seq + 498)
    server.store.db.exec(
      'DELETE FROM external_ids; DELETE FROM import_rejects; DELETE FROM import_rows; DELETE FROM imports',
    )
  })

  test('is refused in another way while it is unfinished, unless it is taken back', async () => {
    const file = `Name,Email\n${rows}\n,other\n`
    const signal = AbortSignal.abort()
    await assert.rejects(imported(file, { signal }), { code: 'stopped' })
    await assert.rejects(imported(file, { map: 'Email=-' }), { status: 409, code: 'unfinished_import' })
    await assert.rejects(
      imported(file, { signal, again: true }),
      { message: /after 1000 of 1201/ },
      'again goes on, too',
    )
  })
})

describe('the file of rejected rows', () => {
  test('has the rows as they were, is separated as they were, runs no formula, and can be imported', async () => {
    const file = join(folder, 'people.csv')
    const lines = 'Name;E-Mail;Notiz\r\n"Ott; Bo";nix;"=HYPERLINK(""x"")\nzwei"\r\nAna;"ana@rej.example";x\r\n'
    const { rejectedFile } = await imported(lines, { file })
    assert.equal(rejectedFile, join(folder, 'people.rejected.csv'))
    const text = readFileSync(rejectedFile as string, 'utf8')
    assert.equal(
      text,
      `\ufeffName;E-Mail;Notiz;error\r\n"Ott; Bo";nix;"'=HYPERLINK(""x"")\nzwei";"line 2: emails must be an email address, not ""nix"""\r\n`,
    )
    const mended = await imported(text.replace('nix', 'bo@rej.example'), { file: join(folder, 'mended.csv') })
    assert.deepEqual(countsOf(mended), [1, 0, 0, 0])
  })

  test('stands where --rejected says, and is there again when the same import is asked for', async () => {
    const path = join(folder, 'elsewhere.csv')
    const wrong = 'Email\nwrong\n'
    await assert.rejects(imported(wrong, { rejected: join(folder, 'no/where.csv') }), { code: 'cannot_write' })
    assert.equal(existsSync(path), false)
    // Without its file an import is not done: the same command goes on there, as after a crash.
    const done = await imported(wrong)
    assert.deepEqual([countsOf(done), done.importedBefore, reasonsOf(done).length], [[0, 0, 0, 1], null, 1])
    const again = await imported(wrong, { rejected: path })
    assert.deepEqual([countsOf(again), again.importedBefore], [[0, 0, 0, 1], server.now()])
    assert.equal(reasonsOf(again).length, 1)
    assert.equal((await imported(wrong)).rejectedFile, null)
  })

  test('is for the owner alone, and replaces neither the imported file nor one that was mended', async () => {
    const file = join(folder, 'kept.csv')
    const lines = 'Email\nkept-wrong\n'
    const first = await imported(lines, { file })
    assert.equal(statSync(first.rejectedFile as string).mode & 0o777, 0o600)
    writeFileSync(first.rejectedFile as string, 'Email\nmended@kept.example\n')
    const second = await imported(lines, { file, again: true })
    assert.equal(second.rejectedFile, join(folder, 'kept.rejected-2.csv'))
    assert.match(readFileSync(first.rejectedFile as string, 'utf8'), /mended@/)
    await assert.rejects(imported(lines, { file, again: true, rejected: file }), { code: 'usage' })
    assert.equal(readFileSync(file, 'utf8'), lines)
  })
})
