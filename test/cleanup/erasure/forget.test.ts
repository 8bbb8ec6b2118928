import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { finder } from '../../../src/cleanup/erasure/traits.ts'
import { isServed, lockInstance } from '../../../src/store/folder/lock.ts'
import { isWhole } from '../../../src/store/schema/foreign-keys.ts'
import { textTables } from '../../../src/store/schema/tables.ts'
import { cli, cliJson } from '../../cli/command-line.ts'
import { type Row, recordsOf } from '../../support/records.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { DIGITS, EMAIL, fillPerson, LETTERS, NAME, PERSONAL, type PersonFixture } from './person-fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'dealbox-erasure-'))
let server: TestServer
let made: PersonFixture
let own: () => string[]
const { newContact, newId, getRecord } = recordsOf(() => server)
before(async () => {
  server = await startServer()
  made = await fillPerson(server)
  own = () => ['--data', server.dataDir, '--org', server.a.id]
})
after(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

const forget = (who: string, ...more: string[]): Promise<Row> => cliJson('contact', 'forget', who, ...own(), ...more)
const refusal = async (...argv: string[]): Promise<string> => {
  const { code, err, out } = await cli([...argv, ...own()])
  assert.notEqual(code, 0, out)
  return err
}

/** The columns of tables that have any of the letters, in any row. */
function places(...all: string[]): string[] {
  return textTables(server.store.db).flatMap(({ table, texts }) =>
    texts
      .filter((name) =>
        all.some((letters) =>
          server.store.db.prepare(`SELECT 1 FROM ${table} WHERE lower(${name}) LIKE ? LIMIT 1`).get(`%${letters}%`),
        ),
      )
      .map((name) => `${table}.${name}`),
  )
}

/** Whether the letters are in the bytes of the file or its log, also where no row is any more. */
const isInFiles = (letters: string): boolean =>
  ['dealbox.db', 'dealbox.db-wal'].some((name) => {
    const path = join(server.dataDir, name)
    return existsSync(path) && readFileSync(path, 'latin1').toLowerCase().includes(letters)
  })

test('a dry run says what would be erased, and changes nothing', async () => {
  const seq = server.lastSeq()
  assert.match(await refusal('contact', 'forget', EMAIL), /cannot be undone.*--dry-run.*--yes/)
  const { erased, changed, shared, is_dry_run } = await forget(EMAIL, '--dry-run')
  assert.equal(is_dry_run, true)
  assert.deepEqual(erased, { contacts: 1, conversations: 2, messages: 3, notes: 1, tasks: 1, meetings: 1 })
  assert.ok(changed.deals > 0 && changed.companies > 0)
  assert.deepEqual(shared, {
    notes: [made.notes.shared],
    tasks: [made.tasks.shared],
    meetings: [made.meetings.shared, made.lunch],
    deals: [made.deal],
  })
  assert.equal(server.lastSeq(), seq)
})

test('a person is exported with all that is about them, and their files', async () => {
  const file = join(folder, 'person.json')
  const { records } = await cliJson('contact', 'export', EMAIL, '--to', file, ...own())
  const found = JSON.parse(readFileSync(file, 'utf8'))
  assert.deepEqual(found.about.contact_ids, [made.person.id, made.twin.id, made.first.id])
  assert.equal(found.contacts[0].job_title, `${LETTERS}chief`)
  assert.equal(found.archived_values[0].archived_fields.its_old, `${LETTERS}archived`)
  for (const [name, count] of Object.entries(records)) assert.equal(found[name].length, count, name)
  assert.deepEqual(
    found.files.map(({ data }: Row) => Buffer.from(data, 'base64').toString()),
    Array(2).fill(`${LETTERS}content`.repeat(9)),
  )
  const names = 'deals notes tasks meetings transcripts transcript_segments conversations messages merges history'
  for (const name of names.split(' ')) assert.ok(found[name].length > 0, name)
  assert.ok(found.mentions.some(({ id, source }: Row) => id === made.ben.id && source.includes(EMAIL)))
  assert.match(await refusal('contact', 'export', EMAIL, '--to', file), /exists already/)
  assert.match(await refusal('contact', 'export', EMAIL, '--to', join(folder, 'no/file')), /cannot be written/)
  assert.match(
    await refusal('contact', 'export', 'nobody@x.example', '--to', join(folder, 'other')),
    /no contact|Nothing/,
  )
})

test('nothing is left of a person, in no column and in no byte of the file', async () => {
  const { store, a } = server
  assert.deepEqual(
    PERSONAL.filter((place) => !places(LETTERS, DIGITS).includes(place)),
    [],
    'the fixture has the person everywhere',
  )
  assert.deepEqual(
    places(LETTERS, DIGITS).filter((place) => !PERSONAL.includes(place)),
    [],
    'and every place is named here',
  )
  const pages = ['/contacts', '/notes', `/contacts?q=${LETTERS}`]
  for (const page of pages) assert.ok((await getRecord(page)).data.length > 0)

  const { erased, contact_ids, backups, remnants } = await forget(EMAIL, '--yes')
  assert.deepEqual(contact_ids, [made.person.id, made.twin.id, made.first.id])
  assert.match(backups, /^There are no backups in .*backups; any elsewhere.* about six months/)
  assert.equal(remnants, undefined)
  for (const kind of [
    'contacts',
    'conversations',
    'messages',
    'events',
    'merges',
    'import_rows',
    'answers',
    'drafts',
    'draft_files',
  ])
    assert.ok(erased[kind] > 0, kind)

  const originals = store.db
    .prepare('SELECT data FROM mail_originals JOIN file_chunks USING (org_id, sha256)')
    .pluck()
    .all() as Buffer[]
  const read = originals.map((bytes) => gunzipSync(bytes).toString())
  assert.ok(read.length > 0, 'mails of others keep theirs')
  for (const letters of [LETTERS, DIGITS]) {
    for (const mail of read) assert.ok(!mail.toLowerCase().includes(letters.toLowerCase()), mail)
    assert.deepEqual(places(letters), [])
    assert.equal(isInFiles(letters), false, letters)
  }
  assert.equal(store.db.prepare('SELECT count(*) FROM invitations').pluck().get(), 0, 'a row whose key names them goes')
  assert.equal(
    store.db.prepare('SELECT trusted_forwarders FROM mailboxes').pluck().get(),
    '["forwarder.example"]',
    'settings stay valid',
  )
  store.db.prepare("INSERT INTO search (search) VALUES ('integrity-check')").run()
  assert.equal(isWhole(store.db, a.org), true)
  for (const page of pages)
    assert.ok(!(await getRecord(page)).data.some(({ id }: Row) => contact_ids.includes(id)), `${page} is not as before`)
  await cliJson('export', join(folder, 'out'), ...own())
})

describe('what is about others too', () => {
  test('stays, without the person', async () => {
    assert.deepEqual((await getRecord(`/notes/${made.notes.shared}`)).body, '[erased] likes it, write to [erased].')
    const task = await getRecord(`/tasks/${made.tasks.shared}`)
    assert.deepEqual([task.title, task.contact_ids, task.deal_ids], ['Call [erased]', [], [made.deal]])
    const deal = await getRecord(`/deals/${made.deal}`)
    assert.deepEqual(
      [deal.title, deal.primary_contact_id, deal.company_id],
      ['Licences for [erased]', null, made.company],
    )
    for (const [id, people] of [
      [made.meetings.shared, [server.a.owner]],
      [made.lunch, [server.a.owner, made.ben.id]],
    ] as const) {
      const { participants } = await getRecord(`/meetings/${id}`)
      assert.deepEqual(
        participants.map(({ contact_id, member_id }: Row) => contact_id ?? member_id),
        people,
      )
    }
    const { segments } = await getRecord(`/meetings/${made.meetings.shared}/transcript`)
    assert.deepEqual(
      segments.map(({ speaker, text }: Row) => [speaker, text]),
      [
        ['[erased]', '[erased]'],
        ['ben', 'As [erased] said, yes'],
      ],
    )
    const { custom_fields } = await getRecord(`/companies/${made.company}`)
    assert.deepEqual(custom_fields, { must: '[erased]' }, 'it is required')
    const ben = await getRecord(`/contacts/${made.ben.id}`)
    assert.deepEqual([ben.source, ben.custom_fields], ['A friend of [erased]', { its_text: 'see [erased]' }])
  })

  test('has an empty message where the person wrote', async () => {
    const { data } = await getRecord(`/conversations/${made.bens.conversation_id}/messages?sort=created_at`)
    assert.deepEqual(
      data.map(({ body_text }: Row) => body_text),
      ['I am Ben and ask', '[erased]', 'Tell [erased]'],
    )
    assert.deepEqual([data[1].author.id, data[1].author.name, data[1].attachments], [null, '[erased]', []])
    assert.equal((await getRecord(`/conversations/${made.bens.conversation_id}`)).preview, '[erased]')
    assert.deepEqual(await getRecord('/conversations?q=ask'), await getRecord('/conversations?q=ben+ask'))
  })

  test('keeps the figures of a sequence, without the contact', async () => {
    const { contact_id, conversation_id, status } = await getRecord(`/enrollments/${made.enrollment}`)
    assert.deepEqual([contact_id, conversation_id, status], [null, null, 'stopped'])
  })

  test('keeps the order of the history, and tells of the deletion without the person', () => {
    const events = server.events()
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, at) => at + 1),
    )
    const deleted = events.findLast(({ object_id, type }) => object_id === made.person.id && type === 'contact.deleted')
    assert.deepEqual(
      [deleted?.object.id, deleted?.object.name, deleted?.object.emails],
      [made.person.id, '[erased]', []],
    )
  })
})

test('the audit log says that it was done, and to whom only by the id', async () => {
  const entries: Row[] = server.store.db.prepare('SELECT action, record_id, detail FROM audit_log ORDER BY seq').all()
  const done = entries.filter(({ action }) => action.startsWith('contact_'))
  assert.deepEqual(
    done.map(({ action, record_id }) => [action, record_id]),
    [
      ['contact_export.finished', made.person.id],
      ['contact_forget.started', null],
      ['contact_forget.finished', made.person.id],
    ],
  )
})

test('the same command again finds nothing more to erase', async () => {
  const { code } = await cli(['backup', '--data', server.dataDir])
  assert.equal(code, 0)
  const { erased, changed, backups } = await forget(made.person.id, '--yes')
  assert.deepEqual([erased.contacts, changed], [undefined, {}])
  assert.match(backups, /^The backups in .* \(1, from 2\d{3}-\d\d-\d\d to 2\d{3}-\d\d-\d\d\) still contain/)
})

test('a person is named exactly', async () => {
  const shared = { emails: [{ email: 'both@mail.example' }] }
  const [one, other] = [
    await newContact(shared),
    (await server.call('POST', '/contacts?allow_duplicate=true', { last_name: 'Two', ...shared })).body,
  ]
  assert.match(await refusal('contact', 'forget', 'both@mail.example', '--yes'), new RegExp(`${one.id}, ${other.id}`))
  assert.match(await refusal('contact', 'forget', 'nobody@mail.example', '--yes'), /Nothing about this person/)
  assert.match(
    await refusal('contact', 'forget', '01890000-0000-7000-8000-000000000000', '--yes'),
    /There is no contact/,
  )
  assert.match(await refusal('contact', 'forget', 'Ben', '--yes'), /There is no contact/)

  const note = await newId('/notes', { body: 'Write to both@mail.example', contact_ids: [other.id] })
  await forget(one.id, '--yes')
  assert.equal((await getRecord(`/contacts/${other.id}`)).emails[0].email, 'both@mail.example', 'it is theirs as well')
  assert.equal((await getRecord(`/notes/${note}`)).body, 'Write to both@mail.example')
})

test('an address of ours that a contact has is not theirs alone', async () => {
  const alias = 'helpdesk@acme.example'
  server.store.db.prepare('UPDATE mailboxes SET aliases = ?').run(JSON.stringify([alias]))
  const { id } = await newContact({ emails: [{ email: alias }] })
  await forget(id, '--yes')
  assert.equal(server.store.db.prepare('SELECT aliases FROM mailboxes').pluck().get(), JSON.stringify([alias]))
})

test('a person who is only named is erased by the email, also from what no record shows', async () => {
  const { db } = server.store
  const planted: string[] = []
  // An email that a member or a mailbox has is not theirs alone.
  const others = textTables(db).filter(({ table }) => !/^(search_.*|members|mailboxes)$/.test(table))
  for (const { table, key, texts } of others) {
    const row = db.prepare(`SELECT * FROM ${table} WHERE org_id = ? LIMIT 1`).get(server.a.org) as Row | undefined
    for (const name of row ? texts.filter((each) => !key.includes(each) && !/(^|_)ids?$/.test(each)) : []) {
      const value = String(row[name] ?? '')
      const given = value.startsWith('{')
        ? JSON.stringify({ ...JSON.parse(value), planted: 'planted@mail.example' })
        : 'planted@mail.example'
      const where = [...new Set(['org_id', ...key])].map((each) => `${each} = @${each}`).join(' AND ')
      db.prepare('SAVEPOINT planted').run()
      try {
        db.prepare(`UPDATE ${table} SET ${name} = @given WHERE ${where}`).run({ ...row, given })
        planted.push(`${table}.${name}`)
      } catch {
        db.prepare('ROLLBACK TO planted').run() // it takes one of a few words, or a reference
      }
      db.prepare('RELEASE planted').run()
    }
  }
  assert.ok(planted.length > 60, String(planted.length))
  await forget('Planted@mail.example', '--yes')
  assert.deepEqual(places('planted@mail'), [])
})

test('the commands of the guide work as they are printed', async () => {
  const { id } = await newContact({ emails: [{ email: 'ana@northwind.example' }] })
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/personal-data.md'), 'utf8')
  const commands = [...guide.matchAll(/^dealbox (.*)$/gm)].map(([, line]) => (line as string).split(' '))
  assert.equal(commands.length, 3)
  for (const argv of commands) {
    const { code, err } = await cli([
      ...argv.map((each) => (each === 'ana.json' ? join(folder, each) : each)),
      ...own(),
    ])
    assert.equal(code, 0, err)
  }
  if (process.platform !== 'win32') assert.equal(statSync(join(folder, 'ana.json')).mode & 0o777, 0o600)
  assert.equal((await server.call('GET', `/contacts/${id}`)).status, 404)
})

test('whether a server runs can be seen from the lock of its folder', () => {
  assert.equal(isServed(folder), false)
  const release = lockInstance(folder)
  assert.equal(isServed(folder), true)
  release()
  assert.equal(isServed(folder), false)
})

test('a text names a person only as a whole', () => {
  const find = finder(['ana@x.example', 'Zoë "Z" Ruiz', '+49 30 1234'])
  for (const [text, without] of [
    ['write to ANA@x.example.', 'write to [erased].'],
    ['diana@x.example ana@x.example.org ana@x.example2', 'diana@x.example ana@x.example.org ana@x.example2'],
    ['{"name":"Zoë \\"Z\\" Ruiz"}', '{"name":"[erased]"}'],
    ['zoe "z" ruiz.csv', '[erased].csv'],
    ['Zoë "Z" Ruiz-Maas', 'Zoë "Z" Ruiz-Maas'],
    ['call +49 30 1234, not +49 30 12345', 'call [erased], not +49 30 12345'],
  ] as const)
    assert.equal(find.without(text), without)
  const odd = "a-b.c+d_e'^$*?()[]{}|/\\&&x@y-z.example"
  assert.equal(finder([odd]).without(`to ${odd}`), 'to [erased]')
  assert.equal(finder([]).without(NAME), NAME)
})
