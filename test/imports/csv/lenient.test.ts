import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { type ImportOptions, importFile, type RowsImported } from '../../../src/imports/csv/import.ts'
import { undoImport } from '../../../src/imports/journal/undo.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { stillPace } from '../../support/pace.ts'
import { recordsOf } from '../../support/records.ts'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
const { newRecord, newDeal } = recordsOf(() => server)
const folder = temporaryFolder()
let count = 0
before(async () => {
  server = await startServer()
})
after(() => server.stop())

/** Imports a file with this content into organisation A, leniently unless said otherwise. */
async function imported(content: string, options: Partial<ImportOptions> = {}): Promise<RowsImported> {
  const file = options.file ?? join(folder, `lenient${count++}.csv`)
  writeFileSync(file, content)
  const given = { object: 'contact', file, pace: stillPace, rules: { lenient: true }, ...options } as const
  return importFile(server.store, { ...given, org: server.a.org })
}

const countsOf = ({ created, updated, unchanged, rejected }: RowsImported) => [created, updated, unchanged, rejected]

/** The lines of a file of rejected rows or left-out values, without the header. */
const linesOf = (path: string | null): string[][] =>
  path === null ? [] : parse(readFileSync(path, 'utf8'), { bom: true, from: 2 })
const omittedIn = ({ omittedFile }: RowsImported) => linesOf(omittedFile).map((cells) => cells.join(' | '))
const reasonsIn = ({ rejectedFile }: RowsImported) => linesOf(rejectedFile).map((cells) => cells.at(-1) as string)

const one = async (path: string) => {
  const { body } = await server.call('GET', path)
  assert.equal(body.data.length, 1, `${path} answers ${body.data.length}`)
  return body.data[0]
}
const contactOf = (email: string) => one(`/contacts?email=${encodeURIComponent(email)}`)
const dealOf = (id: string) => one(`/deals?external_id=${id}`)

describe('a lenient import', () => {
  test('keeps the rows and lists every value that it left out, once', async () => {
    await newRecord('/custom-fields', {
      object: 'contact',
      key: 'level',
      label: 'Level',
      type: 'multi_select',
      options: ['gold', 'silver'].map((value) => ({ value, label: value })),
    })
    const seq = server.lastSeq()
    const result = await imported(
      `Name,Email,Email 2,Phone,Country,Owner,Company,Website,Language,Level,Created,Job title
Ana Ruiz,ana@len.example; nope,also nope,n,Atlantis,Nobody,Len Ltd,:,??,gold; iron; silver,soon,${'x'.repeat(256)}
Bo Ott,bo@len.example,,030 123456,Germany,Ana,Len Ltd,len.example,de,gold,2020-05-06 07:08,Buyer
,nix,,,,,,,,,,
`,
    )
    assert.deepEqual(countsOf(result), [2, 0, 0, 1])
    const ana = await contactOf('ana@len.example')
    assert.deepEqual(
      [ana.emails.length, ana.phones, ana.address, ana.owner_id, ana.website, ana.language, ana.job_title],
      [1, [], null, null, null, null, null],
    )
    assert.deepEqual([ana.custom_fields, ana.originally_created_at], [{ level: ['gold', 'silver'] }, null])
    assert.equal((await contactOf('bo@len.example')).originally_created_at, '2020-05-06T05:08:00.000Z')
    const left = omittedIn(result)
    const of = (column: string) => left.filter((line) => line.startsWith(`2 | ${column} | `))
    assert.match(of('Email')[0] ?? '', /^2 \| Email \| ana@len.example; nope \| must be an email address, not "nope"$/)
    assert.match(of('Email 2')[0] ?? '', /^2 \| Email 2 \| also nope \| must be an email address, not "also nope"$/)
    assert.match(of('Phone')[0] ?? '', /^2 \| Phone \| n \| must be a phone number, not "n"$/)
    assert.match(of('Country')[0] ?? '', /^2 \| Country \| Atlantis \| .*country code/)
    assert.equal(of('Owner')[0], '2 | Owner | Nobody | does not match any member of this organisation: "Nobody"')
    assert.match(of('Level')[0] ?? '', /^2 \| Level \| gold; iron; silver \| "iron" must be one of "gold", "silver"/)
    assert.equal(of('Created')[0], '2 | Created | soon | must be a date with a time, not "soon"')
    assert.match(of('Job title')[0] ?? '', /must be at most 255 characters long$/)
    const counts = Object.fromEntries(result.omitted.map(({ column, count }) => [column, count]))
    const [texts, codes] = [
      { Email: 1, 'Email 2': 1, Phone: 1, Owner: 1, Website: 1, 'Job title': 1 },
      { Country: 1, Language: 1, Level: 1, Created: 1 },
    ]
    assert.deepEqual(counts, { ...texts, ...codes })
    assert.equal(left.length, 10)
    assert.deepEqual(result.made, { company: 1, contact: 2 })
    assert.match(
      reasonsIn(result)[0] ?? '',
      /line 4: Email must be an email address, not "nix"; the row must have a name, an email or a phone$/,
    )
    assert.deepEqual(
      server.events(seq).map(({ type }) => type),
      ['company.created', 'contact.created', 'contact.created'],
    )
  })

  test('leaves out what only the store refuses, and nothing of what it wrote before', async () => {
    const owner = server.a.deactivated
    await newRecord('/custom-fields', {
      object: 'contact',
      key: 'badge',
      label: 'Badge',
      type: 'text',
      is_unique: true,
    })
    await newRecord('/contacts', { last_name: 'Badged', custom_fields: { badge: 'B7' } })
    const rows = `Name,Email,Owner,Company,Badge,Tags
Eva One,eva@store.example,${owner},Store Ltd,B7,a;b
Udo Two,udo@store.example,gone@acme.example,Store Ltd,B8,a
Ida Three,ida@store.example,,019aa07f-5d16-74d1-8b2d-5b2ae3c0a1f4,,
`
    const seq = server.lastSeq()
    const result = await imported(rows)
    assert.deepEqual(countsOf(result), [3, 0, 0, 0])
    assert.deepEqual(
      server.events(seq).map(({ type }) => type),
      ['company.created', 'tag.created', 'tag.created', 'contact.created', 'contact.created', 'contact.created'],
    )
    const [eva, udo] = [await contactOf('eva@store.example'), await contactOf('udo@store.example')]
    assert.deepEqual([eva.owner_id, eva.custom_fields, eva.company_id], [null, {}, udo.company_id])
    assert.deepEqual([udo.owner_id, udo.custom_fields], [null, { badge: 'B8' }])
    assert.deepEqual(
      result.omitted.map(({ column, count }) => [column, count]),
      [
        ['Owner', 2],
        ['Badge', 1],
        ['Company', 1],
      ],
    )
  })

  test('lists a value once, also of a row that is tried again', async () => {
    const rows = 'Name,Owner,Company\nUna Vez,Nobody,019aa07f-5d16-74d1-8b2d-5b2ae3c0a1f4\n'
    const result = await imported(rows, { rules: { lenient: true, unknownOwner: 'ana@acme.example' } })
    assert.deepEqual(
      omittedIn(result).map((line) => line.split(' | ')[1]),
      ['Owner', 'Company'],
    )
  })

  test('rejects a duplicate, and keeps somebody else without the email that another has, or with it if there is no other', async () => {
    const taken = await newRecord('/contacts', { first_name: 'Info', emails: [{ email: 'info@dup.example' }] })
    const result = await imported(
      'Name,Email\nINFO,info@dup.example\nJo Desk,info@dup.example; jo@dup.example\n,info@dup.example\nEd Desk,info@dup.example\n',
    )
    assert.deepEqual(countsOf(result), [2, 0, 0, 2])
    assert.deepEqual((await contactOf('jo@dup.example')).emails.length, 1)
    assert.deepEqual(omittedIn(result), [
      `3 | Email | info@dup.example; jo@dup.example | "info@dup.example" is that of another contact, ${taken.id}`,
      `5 | Email | info@dup.example | "info@dup.example" is also that of another contact, ${taken.id}`,
    ])
    const shared = (await server.call('GET', '/contacts?email=info%40dup.example')).body.data
    assert.deepEqual(shared.map(({ name }: { name: string }) => name).sort(), ['Ed Desk', 'Info'])
    assert.match(reasonsIn(result)[0] ?? '', /Another contact, .* has the email/)
    assert.match(reasonsIn(result)[1] ?? '', /Another contact, .* has the email/)
    const company = await newRecord('/companies', { name: 'Holding', domains: ['hold.example'], external_id: 'H1' })
    const companies = await imported(
      'Name,Domain,ID\nholding,hold.example,H2\nBranch,hold.example,H3\nOther,hold.example,H1\nHolding,hold.example,H1\nUnit,hold.example;unit.example,H4\n',
      { object: 'company' },
    )
    assert.deepEqual(countsOf(companies), [1, 0, 0, 4])
    assert.deepEqual((await one('/companies?external_id=H4')).domains, ['unit.example'])
    assert.match(reasonsIn(companies)[1] ?? '', /Another company, .* has the domain "hold.example"/)
    assert.deepEqual(omittedIn(companies), [
      `6 | Domain | hold.example;unit.example | "hold.example" is that of another company, ${company.id}`,
    ])
  })

  test('never takes a row whose cells do not fit the header, nor one that matches several records', async () => {
    for (const email of ['m1@never.example', 'm2@never.example']) await newRecord('/contacts', { emails: [{ email }] })
    const rows = 'Email,Name\nm1@never.example;m2@never.example,Both\na,b,c\n'
    const result = await imported(rows, { match: 'email' })
    assert.deepEqual(countsOf(result), [0, 0, 0, 2])
    assert.match(reasonsIn(result).join(), /matches several records.*has 3 cells/s)
    assert.deepEqual(result.omitted, [])
  })

  test('finds the record of a row without the value to match by, if it has everything that the row has', async () => {
    const options = { match: 'email', again: true } as const
    const rows =
      'Name,Email,Phone,City,Tags,Company\nTwin One,,030 123456,Porto,t1;t2,Twin Ltd\nTwin Two,nix,,,,\n,,030 7654321,,,\n'
    assert.deepEqual(countsOf(await imported(rows, options)), [3, 0, 0, 0])
    const seq = server.lastSeq()
    assert.deepEqual(countsOf(await imported(rows, options)), [0, 0, 3, 0])
    assert.equal(server.lastSeq(), seq)
    // A namesake with other data is somebody else: nothing is overwritten.
    const namesakes = rows.replace('Porto', 'Lyon').replace('Twin Two,nix,', 'Twin Two,nix,030 99999')
    assert.deepEqual(countsOf(await imported(namesakes, options)), [2, 0, 1, 0])
    assert.deepEqual(countsOf(await imported(rows.replaceAll('030', '040'), options)), [2, 0, 1, 0])
    assert.deepEqual(countsOf(await imported(rows, { match: undefined })), [3, 0, 0, 0], 'without --match')
    const deals = 'Title,ID,Stage,Amount\nNo id,,demo,5\nNo id,,demo,5\nNo id,,proposal,5\n'
    const first = await imported(deals, { object: 'deal', match: 'external_id' })
    assert.deepEqual(countsOf(first), [2, 0, 1, 0])
    const second = await imported(deals, { object: 'deal', match: 'external_id', again: true })
    assert.deepEqual(countsOf(second), [0, 0, 3, 0])
  })

  test('leaves out the wrong items of a list, and no other', async () => {
    const result = await imported('Name,Email\nOr Der,x1; x2; order@len.example; x3; last@len.example\n')
    const { emails } = await contactOf('order@len.example')
    assert.deepEqual(
      emails.map(({ email }: { email: string }) => email),
      ['order@len.example', 'last@len.example'],
    )
    assert.equal(result.omitted[0]?.count, 3)
  })

  test('cuts a name that is too long, since no record can be without it', async () => {
    const result = await imported(`Title,ID\n${'ä'.repeat(300)},long\n`, { object: 'deal' })
    assert.deepEqual([countsOf(result), (await dealOf('long')).title], [[1, 0, 0, 0], 'ä'.repeat(255)])
    assert.match(omittedIn(result)[0] ?? '', /must be at most 255 characters long; the rest is left out$/)
  })

  test('leaves no value of a rejected row in the list, and nothing of it behind', async () => {
    const seq = server.lastSeq()
    const result = await imported('Name,Country,Company\n,Atlantis,Ghost Ltd\n')
    assert.deepEqual([countsOf(result), result.omitted, result.omittedFile], [[0, 0, 0, 1], [], null])
    assert.equal(server.lastSeq(), seq)
  })

  test('accounts for every row, also stopped and continued, and changes nothing when it runs once more', async () => {
    const rows = Array.from({ length: 1100 }, (_, n) => {
      const email = n % 3 === 0 ? 'bad' : `r${n}@many.example`
      return `P${n} Many,${email},${n % 5 === 0 ? 'Nowhere' : 'DE'},${n % 7 === 0 ? 'Nobody' : ''},m${n}`
    })
    const file = `Name,Email,Country,Owner,ID\n${rows.join('\n')}\n,nix,,,\n`
    const path = join(folder, 'many.csv')
    const stop = new AbortController()
    const given = { file: path, match: 'external_id' } as const
    await assert.rejects(imported(file, { ...given, signal: stop.signal, onProgress: () => stop.abort() }), {
      code: 'stopped',
    })
    const strict = { ...given, rules: {} }
    await assert.rejects(imported(file, strict), { code: 'unfinished_import' }, 'leniency is one of the options')
    const seq = server.lastSeq()
    const done = await imported(file, given)
    assert.deepEqual(countsOf(done), [1100, 0, 0, 1])
    assert.equal(server.lastSeq(), seq + 600)
    assert.deepEqual(
      done.omitted.map(({ column, count }) => [column, count]),
      [
        ['Email', 367],
        ['Country', 220],
        ['Owner', 158],
      ],
    )
    assert.equal(omittedIn(done).length, 367 + 220 + 158)
    assert.deepEqual(countsOf(await imported(file, { ...given, again: true })), [0, 0, 1100, 1])
    assert.equal(server.lastSeq(), seq + 600)
    const undone = await undoImport(server.store, { org: server.a.org, id: done.id })
    assert.deepEqual([undone.deleted, undone.restored, undone.kept], [1100, 0, []])
  })
})

describe('without leniency', () => {
  test('an unknown contact is left out or made if that is said, and an unknown company too', async () => {
    const rows = 'Title,Contact,Company,ID\nRules,Mia Muster (mia@rules.example),Rules Ltd,r1\n'
    const wanted = (rules: ImportOptions['rules']) => imported(rows, { object: 'deal', rules, match: 'external_id' })
    assert.deepEqual(countsOf(await wanted({})), [0, 0, 0, 1])
    assert.deepEqual(countsOf(await wanted({ lenient: true, unknownContacts: 'reject' })), [0, 0, 0, 1])
    assert.deepEqual(countsOf(await wanted({ unknownContacts: 'omit', unknownCompanies: 'reject' })), [0, 0, 0, 1])
    const omitting = await wanted({ unknownContacts: 'omit', unknownCompanies: 'omit' })
    assert.deepEqual(
      [countsOf(omitting), omittedIn(omitting).map((line) => line.split(' | ')[1])],
      [
        [1, 0, 0, 0],
        ['Company', 'Contact'],
      ],
    )
    const making = await wanted({ unknownContacts: 'make' })
    assert.deepEqual([countsOf(making), making.made], [[0, 1, 0, 0], { company: 1, contact: 1 }])
    const [deal, mia] = [await dealOf('r1'), await contactOf('mia@rules.example')]
    assert.deepEqual([mia.name, mia.company_id, deal.primary_contact_id], ['Mia Muster', deal.company_id, mia.id])
    const [second] = [await imported('Title,Contact\nSecond,mia@rules.example; Bo\n', { object: 'deal' })]
    assert.match(omittedIn(second)[0] ?? '', /takes the first contact only, and not "Bo"/)
    await undoImport(server.store, { org: server.a.org, id: making.id })
    assert.deepEqual((await server.call('GET', '/contacts?email=mia@rules.example')).body.data.length, 1, 'is in use')
  })

  test('the same name with another address is somebody else, and ids of Salesforce are no names', async () => {
    const first = await newRecord('/contacts', {
      first_name: 'Lea',
      last_name: 'Same',
      emails: [{ email: 'l1@same.example' }],
    })
    const rules = { unknownContacts: 'make' } as const
    await imported('Title,Contact,ID\nS1,Lea Same <l2@same.example>,s1\nS2,Lea Same <L1@same.example>,s2\n', {
      object: 'deal',
      rules,
    })
    assert.notEqual((await dealOf('s1')).primary_contact_id, first.id)
    assert.equal((await dealOf('s2')).primary_contact_id, first.id)
    const account = await newRecord('/companies', { name: 'Account', external_id: '0015g00000AbCdEAAX' })
    const ids = await imported('Title,Account Name,ID\nS3,0015g00000AbCdEAAX,s3\nS4,0015g00000AbCdEAAY,s4\n', {
      object: 'deal',
      rules,
    })
    assert.deepEqual(countsOf(ids), [1, 0, 0, 1])
    assert.equal((await dealOf('s3')).company_id, account.id)
  })

  test('unknown and former owners get one member, which is listed', async () => {
    const rows = 'Title,Owner,ID\nO1,max@old.example,o1\nO2,gone@acme.example,o2\nO3,Ana,o3\nO4,,o4\n'
    const result = await imported(rows, { object: 'deal', rules: { unknownOwner: 'ANA@acme.example' } })
    assert.deepEqual(countsOf(result), [4, 0, 0, 0])
    const { owner } = server.a
    const owners = await Promise.all(['o1', 'o2', 'o3', 'o4'].map(async (id) => (await dealOf(id)).owner_id))
    assert.deepEqual(owners, [owner, owner, owner, null])
    assert.deepEqual(
      result.omitted.map(({ column, count }) => [column, count]),
      [['Owner', 2]],
    )
    for (const unknownOwner of ['gone@acme.example', 'nobody', server.b.owner])
      await assert.rejects(imported(rows, { object: 'deal', rules: { unknownOwner } }), { code: 'usage' })
  })

  test('notes of a row are notes about its record, once', async () => {
    const rows = 'Name,Email,Notes,Comments\nNo Te,note@notes.example,Likes roofs,Call on Mondays\n'
    const result = await imported(rows, { match: 'email' })
    assert.deepEqual([countsOf(result), result.made], [[1, 0, 0, 0], { contact: 1, note: 2 }])
    const { id } = await contactOf('note@notes.example')
    const { body } = await server.call('GET', `/notes?contact_id=${id}`)
    const bodies = body.data.map((note: { body: string }) => note.body).sort()
    assert.deepEqual(bodies, ['Call on Mondays', 'Likes roofs'])
    assert.deepEqual(countsOf(await imported(rows, { match: 'email', again: true })), [0, 0, 1, 0])
    const more = await imported(rows.replace('Likes roofs', 'Likes doors'), { match: 'email' })
    assert.deepEqual([countsOf(more), more.made], [[0, 1, 0, 0], { note: 1 }])
    for (const each of [more, result]) await undoImport(server.store, { org: server.a.org, id: each.id })
    assert.deepEqual((await server.call('GET', '/contacts?email=note@notes.example')).body.data, [])
  })

  test('do_not_contact is set and never cleared', async () => {
    const rows = (no: string) => `Email,Do not contact\nconsent@no.example,${no}\n`
    await imported(rows('no'), { match: 'email', rules: {} })
    assert.equal((await contactOf('consent@no.example')).do_not_contact, false)
    assert.deepEqual(countsOf(await imported(rows('yes'), { match: 'email', rules: {} })), [0, 1, 0, 0])
    assert.deepEqual(countsOf(await imported(rows('false'), { match: 'email', rules: {} })), [0, 0, 1, 0])
    assert.equal((await contactOf('consent@no.example')).do_not_contact, true)
  })
})

describe('a second export of deals', () => {
  const rows = (stage: string, status: string, more = '') =>
    `Deal ID,Title,Stage,Status,Amount,Lost reason,Pipeline\nx1,Second,${stage},${status},5,${more}\n`
  const bring = (content: string, options: Partial<ImportOptions> = {}) =>
    imported(content, { object: 'deal', match: 'external_id', rules: {}, ...options })

  test('moves and closes the deals of the first, and leaves closed ones closed', async () => {
    const { stages, reasons } = server.a
    assert.deepEqual(countsOf(await bring(rows('demo', '', ','))), [1, 0, 0, 0])
    assert.deepEqual(countsOf(await bring(rows('demo', '', ','), { again: true })), [0, 0, 1, 0])
    const seq = server.lastSeq()
    const moved = await bring(rows('proposal', 'open', ','))
    assert.deepEqual([countsOf(moved), (await dealOf('x1')).stage], [[0, 1, 0, 0], stages.proposal])
    const closed = await bring(rows('', 'lost', 'price,'))
    assert.deepEqual(countsOf(closed), [0, 1, 0, 0])
    const lost = await dealOf('x1')
    assert.deepEqual([lost.status, lost.stage, lost.close_reason_id], ['lost', stages.lost, reasons.lost])
    assert.deepEqual(
      server.events(seq).map(({ type }) => type),
      ['deal.stage_changed', 'deal.closed'],
    )
    assert.deepEqual(countsOf(await bring(rows('', 'lost', 'price,'), { again: true })), [0, 0, 1, 0])
    const strict = await bring(rows('demo', '', ',').replace('Second', 'Third'))
    assert.match(reasonsIn(strict)[0] ?? '', /stage is open, but the deal is closed as lost/)
    const lenient = await bring(rows('', 'won', ',').replace('Second', 'Third'), { rules: { lenient: true } })
    assert.deepEqual([countsOf(lenient), lenient.omitted[0]?.column], [[0, 1, 0, 0], 'Status'])
    const { title, status } = await dealOf('x1')
    assert.deepEqual([title, status], ['Third', 'lost'])
    const undone = await undoImport(server.store, { org: server.a.org, id: lenient.id })
    assert.deepEqual([undone.restored, undone.kept, (await dealOf('x1')).title], [1, [], 'Second'])
  })

  test('is taken back with the stage of a deal that it moved, or closed', async () => {
    const { stages } = server.a
    for (const [id, status] of [
      ['y1', 'won'],
      ['y2', 'open'],
    ] as const) {
      const deal = await newDeal({ external_id: id, title: 'Here' })
      await server.call('PATCH', `/deals/${deal.id}`, { stage: stages.demo })
      const rows = `Deal ID,Title,Stage,Status\n${id},There,${status === 'open' ? 'proposal' : ''},${status}\n`
      const done = await bring(rows)
      assert.equal((await dealOf(id)).status, status)
      const undone = await undoImport(server.store, { org: server.a.org, id: done.id })
      assert.deepEqual([undone.restored, undone.kept], [1, []])
      const back = await dealOf(id)
      assert.deepEqual([back.title, back.status, back.stage], ['Here', 'open', stages.demo])
    }
  })

  test('moves a deal into the pipeline that it names, and leaves one there where it is', async () => {
    const { stages } = server.a
    await newDeal({ external_id: 'x2' })
    const into = (text: string) => bring(`Deal ID,Title,Pipeline\nx2,Moved,${text}\n`)
    assert.deepEqual(countsOf(await into('partners')), [0, 1, 0, 0])
    assert.equal((await dealOf('x2')).stage, stages.partner)
    await server.call('PATCH', `/deals/${(await dealOf('x2')).id}`, { title: 'Moved' })
    assert.deepEqual(countsOf(await into('Partners')), [0, 0, 1, 0])
    assert.deepEqual(countsOf(await into('sales')), [0, 1, 0, 0])
    await server.call('PATCH', `/deals/${(await dealOf('x2')).id}`, { stage: stages.demo })
    const options = { again: true }
    assert.deepEqual(countsOf(await bring('Deal ID,Title,Pipeline\nx2,Moved,sales\n', options)), [0, 0, 1, 0])
  })
})

describe('--make-stages', () => {
  const stagesOf = async (pipeline: string) => {
    const { body } = await server.call('GET', `/stages?pipeline_id=${pipeline}`)
    return body.data.map(({ name }: { name: string }) => name)
  }
  const rules = { makeStages: true }

  test('makes what the file names and the pipeline lacks, as it is first met, before won and lost', async () => {
    const { pipelines } = server.a
    const before = await stagesOf(pipelines.sales)
    const rows =
      'Title,Stage,Pipeline\nM1,Contract sent,\nM2,demo,\nM3,Éxito,\nM4,contract SENT,\nM5,closedwon,\nM6,Kick off,Projects\nM7,Review,projects\n,Never,\n'
    const result = await imported(rows, { object: 'deal', rules })
    assert.deepEqual([countsOf(result), result.made], [[7, 0, 0, 1], { deal: 7, pipeline: 1, stage: 3 }])
    assert.deepEqual(await stagesOf(pipelines.sales), [
      ...before.slice(0, 3),
      'Contract sent',
      'Éxito',
      ...before.slice(3),
    ])
    const { body } = await server.call('GET', '/stages')
    const made = body.data.filter((each: Record<string, string>) => each.pipeline_name === 'Projects')
    assert.deepEqual(
      made.map(({ name, outcome }: Record<string, string>) => [name, outcome]),
      [
        ['Kick off', null],
        ['Review', null],
        ['Won', 'won'],
        ['Lost', 'lost'],
      ],
    )
    // A deal that somebody works on keeps its stage.
    const [kept] = (await server.call('GET', '/deals?q=M3')).body.data
    await server.call('PATCH', `/deals/${kept.id}`, { title: 'M3 now' })
    const first = await undoImport(server.store, { org: server.a.org, id: result.id })
    assert.deepEqual(
      [first.deleted, first.kept.map(({ object, reason }) => `${object} ${reason}`)],
      [9, ['deal was changed since then', 'stage is used by deals, deal stage changes']],
    )
    assert.deepEqual(await stagesOf(pipelines.sales), [...before.slice(0, 3), 'Éxito', ...before.slice(3)])
  })

  test('closes the deals of stages that are for won and lost ones, under whatever name, and makes none of these', async () => {
    const { pipelines, reasons } = server.a
    const before = await stagesOf(pipelines.sales)
    const rows =
      'Deal ID,Title,Stage\nw1,W1,Closed-Lost to a rival\nw2,W2,Gewonnen 🎉\nw3,W3,Lost - price\nw4,W4,Pilot\nw5,W5,Perdu\n'
    const result = await imported(rows, { object: 'deal', rules })
    assert.deepEqual([countsOf(result), result.made], [[5, 0, 0, 0], { deal: 5, stage: 1 }])
    assert.deepEqual(await stagesOf(pipelines.sales), [...before.slice(0, 3), 'Éxito', 'Pilot', ...before.slice(4)])
    const closed = await Promise.all(['w1', 'w2', 'w3', 'w4', 'w5'].map(dealOf))
    assert.deepEqual(
      closed.map(({ status, close_reason_id }) => [status, close_reason_id]),
      [
        ['lost', reasons.lost],
        ['won', reasons.won],
        ['lost', reasons.lost],
        ['open', null],
        ['lost', reasons.lost],
      ],
    )
    // The reason that is not one of ours is said, the one that is ours is taken.
    assert.deepEqual(omittedIn(result), [
      '2 | Stage | Closed-Lost to a rival | is taken as lost with the reason "price", since there is no close reason "to a rival"',
    ])
    assert.deepEqual((await undoImport(server.store, { org: server.a.org, id: result.id })).kept, [])
  })

  test('refuses a stage that may be won or lost, also leniently, until an option or the state says it', async () => {
    const { stages } = server.a
    const rows = (more = '') =>
      `Deal ID,Title,Stage,Status\n${more}1,U1,Closed,\n${more}2,U2,Closed,won\n${more}3,U3,closed,open\n`
    const result = await imported(rows('u'), { object: 'deal', rules: { ...rules, lenient: true } })
    assert.deepEqual(countsOf(result), [2, 0, 0, 1])
    assert.deepEqual(reasonsIn(result), [
      'line 2: stage may be won, lost or open: "Closed"; use --won-stage, --lost-stage or --open-stage with that name',
    ])
    const [second, third] = await Promise.all(['u2', 'u3'].map(dealOf))
    assert.deepEqual([second.status, third.status], ['won', 'open'])
    await undoImport(server.store, { org: server.a.org, id: result.id })

    const lost = { ...rules, stagesAs: { lost: ['CLOSED', 'demo'] } }
    const chosen = await imported('Deal ID,Title,Stage\nv1,V1,Closed\nv2,V2,Demo\n', { object: 'deal', rules: lost })
    assert.deepEqual([countsOf(chosen), chosen.made], [[2, 0, 0, 0], { deal: 2 }])
    assert.deepEqual([(await dealOf('v1')).stage, (await dealOf('v2')).stage], [stages.lost, stages.lost])
  })

  test('makes nothing without it, or in a row that is rejected', async () => {
    const before = (await server.call('GET', '/stages')).text
    await imported('Title,Stage\nN1,Brand new\n', { object: 'deal' })
    await imported(`Title,Stage,Status\nN2,Newer,nonsense\n,Newest,\nN3,${'x'.repeat(256)},\n`, {
      object: 'deal',
      rules,
    })
    assert.equal((await server.call('GET', '/stages')).text, before)
  })
})
