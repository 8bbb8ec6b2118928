import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { mergeStore } from '../../../src/cleanup/merges/merges.ts'
import { type Imported, type ImportOptions, importFile } from '../../../src/imports/csv/import.ts'
import { type ImportRow, journal } from '../../../src/imports/journal/journal.ts'
import { importStates } from '../../../src/imports/journal/states.ts'
import { type Undone, undoImport } from '../../../src/imports/journal/undo.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { stillPace } from '../../support/pace.ts'
import { recordsOf } from '../../support/records.ts'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
const { newRecord } = recordsOf(() => server)
before(async () => {
  server = await startServer()
})
after(() => server.stop())
const folder = temporaryFolder()
let count = 0

async function imported(content: string, options: Partial<ImportOptions> = {}): Promise<Imported> {
  const file = join(folder, `file${count++}.csv`)
  writeFileSync(file, content)
  return importFile(server.store, { org: server.a.org, object: 'contact', file, pace: stillPace, ...options })
}

const undone = ({ id }: Pick<Imported, 'id'>, org = server.a.org): Promise<Undone> =>
  undoImport(server.store, { org, id, pace: stillPace })
const listed = async (path: string) => (await server.call('GET', path)).body.data
const contactOf = async (email: string) => (await listed(`/contacts?email=${email}`))[0]
/** A record without what every change changes. */
const still = ({ version, updated_at, ...rest }: Record<string, unknown>) => rest
const typesSince = (seq: number) => server.events(seq).map(({ type }) => type)

describe('an import that is taken back', () => {
  test('deletes what it created, the companies and tags too, with their events', async () => {
    const result = await imported(
      'Name,Email,Company,Tags\nAna Uno,ana@u1.example,Uno Ltd,u1\nBo Uno,bo@u1.example,Uno Ltd,\n',
    )
    const seq = server.lastSeq()
    assert.deepEqual(await undone(result), { id: result.id, deleted: 4, restored: 0, kept: [] })
    assert.deepEqual(typesSince(seq), ['contact.deleted', 'contact.deleted', 'tag.deleted', 'company.deleted'])
    assert.ok(server.events(seq).every(({ actor }) => actor === null))
    for (const path of ['/contacts?q=uno', '/companies?q=uno', '/tags']) assert.deepEqual(await listed(path), [])
  })

  test('puts back what it changed, field by field, and nothing else', async () => {
    await newRecord('/custom-fields', { object: 'contact', key: 'size', label: 'Size', type: 'number' })
    await newRecord('/custom-fields', { object: 'contact', key: 'color', label: 'Color', type: 'text' })
    const before = await newRecord('/contacts', {
      first_name: 'Ana',
      emails: [{ email: 'ana@u2.example', label: 'home' }],
      address: { city: 'Porto' },
      custom_fields: { size: 1 },
    })
    const result = await imported(
      'Email,Job title,City,Country,Size,Color,Tags\n"ana@u2.example, more@u2.example",Boss,Lisbon,Portugal,2,red,u2\n',
      { match: 'email' },
    )
    const seq = server.lastSeq()
    assert.deepEqual(await undone(result), { id: result.id, deleted: 1, restored: 1, kept: [] })
    const after = await contactOf('ana@u2.example')
    assert.deepEqual(still(after), still(before))
    assert.equal(after.version, 3)
    assert.deepEqual(typesSince(seq), ['contact.updated', 'tag.deleted'])
  })

  test('puts a record back that several rows have changed, to what it was before the first', async () => {
    const before = await newRecord('/contacts', {
      first_name: 'Rows',
      emails: [{ email: 'rows@u3.example' }],
      custom_fields: { size: 7 },
    })
    const file =
      'Email,First name,Source,Size,Color\nrows@u3.example,One,,8,\nROWS@u3.example,Two,fair,,red\nrows@u3.example,,,9,\n'
    const result = await imported(file, { match: 'email' })
    assert.equal(result.updated, 3)
    assert.deepEqual(await undone(result), { id: result.id, deleted: 0, restored: 1, kept: [] })
    assert.deepEqual(still(await contactOf('rows@u3.example')), still(before))
  })

  test('deletes a record that it created and changed', async () => {
    const result = await imported('Email,Source\ntwo@u4.example,one\ntwo@u4.example,two\n', { match: 'email' })
    assert.deepEqual([result.created, result.updated], [1, 1])
    assert.deepEqual(await undone(result), { id: result.id, deleted: 1, restored: 0, kept: [] })
    assert.equal(await contactOf('two@u4.example'), undefined)
  })

  test('leaves what was changed or deleted since, and tells of it', async () => {
    const updated = await newRecord('/contacts', { emails: [{ email: 'up@u5.example' }] })
    const file = 'Email,Source\nup@u5.example,fair\nnew@u5.example,fair\ngone@u5.example,\nfine@u5.example,\n'
    const result = await imported(file, { match: 'email' })
    const [created, gone] = [await contactOf('new@u5.example'), await contactOf('gone@u5.example')]
    for (const { id } of [updated, created]) await server.call('PATCH', `/contacts/${id}`, { job_title: 'Since' })
    await server.call('DELETE', `/contacts/${gone.id}`)
    const seq = server.lastSeq()
    assert.deepEqual(await undone(result), {
      id: result.id,
      deleted: 1,
      restored: 0,
      kept: [
        { object: 'contact', id: updated.id, reason: 'was changed since then' },
        { object: 'contact', id: gone.id, reason: 'was deleted since then' },
        { object: 'contact', id: created.id, reason: 'was changed since then' },
      ],
    })
    assert.deepEqual(typesSince(seq), ['contact.deleted'])
    assert.deepEqual(
      [(await contactOf('up@u5.example')).source, (await contactOf('new@u5.example')).source],
      ['fair', 'fair'],
    )
  })

  test('leaves what others refer to by now', async () => {
    const result = await imported(
      'Name,Email,Company,Tags\nUsed,used@u6.example,Used Ltd,u6\nFree,free@u6.example,Free Ltd,\n',
    )
    const [used] = [await contactOf('used@u6.example'), await contactOf('free@u6.example')]
    const other = await newRecord('/contacts', {
      first_name: 'Other',
      company_id: used.company_id,
      tag_ids: used.tag_ids,
    })
    await newRecord('/notes', { body: 'Talked', contact_ids: [used.id] })
    const { deleted, kept } = await undone(result)
    assert.equal(deleted, 2)
    assert.deepEqual(kept, [
      { object: 'contact', id: used.id, reason: 'is used by note contacts' },
      { object: 'tag', id: used.tag_ids[0], reason: 'is used by contact tags' },
      { object: 'company', id: used.company_id, reason: 'is used by contacts' },
    ])
    assert.deepEqual((await server.call('GET', `/contacts/${other.id}`)).body, other)
  })

  test('leaves a record whose old values another one has by now', async () => {
    await newRecord('/custom-fields', {
      object: 'contact',
      key: 'badge',
      label: 'Badge',
      type: 'text',
      is_unique: true,
    })
    const before = await newRecord('/contacts', {
      first_name: 'Tak',
      custom_fields: { badge: 'taken' },
      emails: [{ email: 't@u7.example' }],
    })
    const result = await imported('Email,Badge,Job title\nt@u7.example,moved,Boss\n', { match: 'email' })
    await newRecord('/contacts', { first_name: 'Thief', custom_fields: { badge: 'taken' } })
    const { kept, restored } = await undone(result)
    assert.deepEqual([restored, kept.map(({ id }) => id)], [0, [before.id]])
    assert.match(kept[0]?.reason ?? '', /value|unique|badge/)
    assert.equal((await contactOf('t@u7.example')).job_title, 'Boss')
  })

  test('deletes deals, with their history and their place in lists', async () => {
    const file = 'Title,Status,Stage,Company\nUndo one,,proposal,Dealt Ltd\nUndo two,won,,Dealt Ltd\nUndo three,,,\n'
    const result = await imported(file, { object: 'deal' })
    const [three] = await listed('/deals?q=undo+three')
    await newRecord('/tasks', { title: 'Call', deal_ids: [three.id] })
    const list = await newRecord('/lists', { name: 'Listed', object: 'deal', kind: 'static' })
    const ids = (await listed('/deals?q=undo')).map(({ id }: { id: string }) => id)
    assert.equal((await server.call('POST', `/lists/${list.id}/members`, { add_ids: ids, remove_ids: [] })).status, 200)
    const seq = server.lastSeq()
    const { deleted, kept } = await undone(result)
    assert.deepEqual([deleted, kept], [3, [{ object: 'deal', id: three.id, reason: 'is used by task deals' }]])
    const left = ['list.updated', 'deal.deleted']
    assert.deepEqual(typesSince(seq), [...left, ...left, 'company.deleted'])
    assert.deepEqual(await listed('/deals?q=undo'), [three])
    const { member_count, version } = (await server.call('GET', `/lists/${list.id}`)).body
    assert.deepEqual([member_count, version], [1, 4], 'filled once, and left twice')
    const kinds = ['contacts', 'companies', 'deals', 'tasks', 'notes'].map((table) => `SELECT id FROM ${table}`)
    const orphans = server.store.db.prepare(
      `SELECT count(*) FROM search_docs WHERE record_id NOT IN (${kinds.join(' UNION ALL ')})`,
    )
    assert.equal(orphans.pluck().get(), 0)
    assert.deepEqual(server.store.db.pragma('foreign_key_check'), [])
    server.store.db.exec("INSERT INTO search (search) VALUES ('integrity-check')")
  })

  test('goes on with what had to stay, once nothing is in the way', async () => {
    const result = await imported('Email\nstays@u10.example\n')
    const { id } = await contactOf('stays@u10.example')
    const note = await newRecord('/notes', { body: 'In the way', contact_ids: [id] })
    const { deleted, kept } = await undone(result)
    assert.deepEqual([deleted, kept.length], [0, 1])
    await server.call('DELETE', `/notes/${note.id}`)
    assert.deepEqual(await undone(result), { id: result.id, deleted: 1, restored: 0, kept: [] })
    await assert.rejects(undone(result), { code: 'undone_already' })
  })

  test('is taken back once; after that the file is new', async () => {
    const file = 'Email\nonce@u9.example\n'
    const first = await imported(file)
    await undone(first)
    await assert.rejects(undone(first), { status: 409, code: 'undone_already' })
    const second = await imported(file)
    assert.deepEqual([second.created, second.importedBefore, second.id === first.id], [1, null, false])
  })

  test('may be unfinished, and does not go on then', async () => {
    const file = `Name\n${Array.from({ length: 700 }, (_, n) => `Unfinished ${n}`).join('\n')}\n`
    await assert.rejects(imported(file, { signal: AbortSignal.abort() }), { code: 'stopped' })
    const { db } = server.store
    const id = db.prepare('SELECT max(id) FROM imports WHERE org_id = ?').pluck().get(server.a.org) as string
    assert.equal((await undone({ id })).deleted, 500)
    const again = await imported(file)
    assert.deepEqual([again.created, again.id === id], [700, false])
  })

  test('keeps a record into which an older one was merged, until that merge is undone', async () => {
    const who = { org: server.a.org, member: server.a.owner }
    const own = await newRecord('/contacts', { first_name: 'Ana', last_name: 'Older' })
    const result = await imported('First name,Last name,Email\nAna,Older,ana@u11.example\nBo,Older,bo@u11.example\n')
    const [ana, bo] = [await contactOf('ana@u11.example'), await contactOf('bo@u11.example')]
    const merges = mergeStore(server.deps)
    const { id } = server.store.transaction(() => merges.merge(who, 'contact', ana.id, own.id))
    assert.equal((await contactOf('ana@u11.example')).version, ana.version)
    const { deleted, kept } = await undone(result)
    const reason = 'has another record in it, which was merged into it'
    assert.deepEqual([deleted, kept], [1, [{ object: 'contact', id: ana.id, reason }]])
    assert.equal(await contactOf(bo.emails[0].email), undefined)
    server.store.transaction(() => merges.undo(who, id))
    assert.deepEqual((await undone(result)).kept, [])
    assert.equal((await server.call('GET', `/contacts/${own.id}`)).status, 200)
  })

  test('takes back what is as it was left, but nothing whose event is gone or that somebody has changed', async () => {
    const { db } = server.store
    const result = await imported(`Email,Job title\n${[1, 2, 3].map((n) => `e${n}@u12.example,Boss\n`).join('')}`)
    const all = await Promise.all([1, 2, 3].map((n) => contactOf(`e${n}@u12.example`)))
    for (const { id } of all)
      for (const job_title of ['Chief', 'Boss'])
        assert.equal((await server.call('PATCH', `/contacts/${id}`, { job_title })).status, 200)
    await server.call('PATCH', `/contacts/${all[1].id}`, { job_title: 'Chief' })
    db.prepare("DELETE FROM events WHERE object_id = ? AND type = 'contact.created'").run(all[2].id)
    const { deleted, kept } = await undone(result)
    const reason = 'was changed since then'
    assert.deepEqual(
      [deleted, kept.toReversed()],
      [1, all.slice(1).map(({ id }) => ({ object: 'contact', id, reason }))],
    )
  })

  test('reads no events of other times than those of the import', async () => {
    const { store, a } = server
    const other = await newRecord('/contacts', { first_name: 'Other' })
    const change = async (first_name: string) => server.call('PATCH', `/contacts/${other.id}`, { first_name })
    for (let n = 0; n < 5; n++) await change(`Before ${n}`)
    server.advance(5000)
    const result = await imported('Email\nwalk@u13.example\n')
    server.advance(5000)
    for (let n = 0; n < 5; n++) await change(`After ${n}`)
    let read = 0
    const counted = (rows: unknown[]) => {
      read += rows.length
      return rows.values()
    }
    const prepare = (sql: string) => {
      const statement = store.db.prepare(sql)
      const iterate = (...values: unknown[]) => counted(statement.all(...values))
      return sql.endsWith('ORDER BY seq') ? { iterate } : statement
    }
    const row = journal(store).find(a.org, result.id) as ImportRow
    const { id } = await contactOf('walk@u13.example')
    importStates({ prepare } as never)(a.org, row, new Map([[id, 99]])) // a version that there is not
    assert.ok(read > 0 && read < 3, `${read} events`)
  })

  test('goes on where it was cut off', async () => {
    const file = `Name\n${Array.from({ length: 700 }, (_, n) => `Cut ${n}`).join('\n')}\n`
    const result = await imported(file)
    const { org } = server.a
    const cut = () => assert.fail('cut off')
    await assert.rejects(
      undoImport(server.store, { org, id: result.id, pace: stillPace, onProgress: (records) => records > 0 && cut() }),
    )
    assert.equal((await listed('/contacts?q=cut&limit=100')).length, 100)
    assert.deepEqual(await undone(result), { id: result.id, deleted: 200, restored: 0, kept: [] })
    assert.deepEqual(await listed('/contacts?q=cut'), [])
  })

  test('is 404 where there is none, and for one of another organisation', async () => {
    const result = await imported('Email\nother@u10.example\n')
    for (const [id, org] of [
      [result.id, server.b.org],
      ['nothing', server.a.org],
    ] as const)
      await assert.rejects(undone({ id }, org), { status: 404, code: 'no_such_import' })
    assert.ok(await contactOf('other@u10.example'))
  })
})
