import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { mergeStore } from '../../../src/cleanup/merges/merges.ts'
import { writeExport } from '../../../src/exports/write.ts'
import { importFile, type RowsImported } from '../../../src/imports/csv/import.ts'
import { journal } from '../../../src/imports/journal/journal.ts'
import { undoImport } from '../../../src/imports/journal/undo.ts'
import { externalIds } from '../../../src/records/external-ids.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { stillPace } from '../../support/pace.ts'
import { recordsOf } from '../../support/records.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { type Account, type ActivityRow, hubspotAccount, pipedriveAccount } from './accounts.ts'
import { OWNER, type ProductFile } from './mess.ts'

// Two whole accounts move into one organisation: every row comes in or is named, what is merged stays merged when all files
// are imported again, nothing is doubled, and taken back they leave what was there before.

const folder = temporaryFolder()
let server: TestServer
const { newRecord } = recordsOf(() => server)
const accounts: Account[] = [hubspotAccount(), pipedriveAccount()]
const files = accounts.flatMap((account) => account.files)
const imports: { id: string; name: string }[] = []
const first = new Map<string, RowsImported>()
const merges: string[] = []
const mergedIds: string[] = []
let whole: Map<string, string>

before(async () => {
  server = await startServer()
  const { store, a } = server
  store.db
    .prepare('UPDATE members SET name = ?, email = ? WHERE org_id = ? AND id = ?')
    .run(OWNER.name, OWNER.email, a.org, a.owner)
  const company = await newRecord('/companies', { name: 'Own Ltd', domains: ['own.example'] })
  const contact = await newRecord('/contacts', {
    first_name: 'Own',
    emails: [{ email: 'own@own.example' }],
    company_id: company.id,
  })
  // Somebody whom both products have.
  await newRecord('/contacts', {
    first_name: 'Person0',
    last_name: 'Blom',
    emails: [{ email: 'person0@both.example' }],
  })
  await newRecord('/deals', { title: 'Own deal', primary_contact_id: contact.id })
  await newRecord('/notes', { body: 'Own note', contact_ids: [contact.id] })
  await newRecord('/tasks', { title: 'Own task', company_ids: [company.id] })
  whole = exported()
})
after(() => server.stop())

/** What an export has of the records, without what each change of a record changes. */
function exported(): Map<string, string> {
  const place = join(folder, `export${exports++}`)
  const { files } = writeExport(server.store, server.a.org, place)
  const records = files
    .map(({ name }) => name)
    .filter((name) => /^(?:companies|contacts|deals|notes|tasks|tags)\.ndjson$/.test(name))
  assert.equal(records.length, 6)
  return new Map(
    records.map((name) => [
      name,
      readFileSync(join(place, name), 'utf8').replace(/"(?:updated_at|version)":(?:"[^"]*"|\d+),?/g, ''),
    ]),
  )
}
let exports = 0

async function run({ object, name, text }: ProductFile, again = false): Promise<RowsImported> {
  const file = join(folder, name)
  writeFileSync(file, text)
  const rules = { lenient: true, makeStages: true, unknownOwner: OWNER.email }
  const { org } = server.a
  const done = await importFile(server.store, {
    org,
    object,
    file,
    match: 'external_id',
    rules,
    again,
    pace: stillPace,
  })
  imports.push({ id: done.id, name })
  return done
}

const count = (table: string): number =>
  server.store.db.prepare(`SELECT count(*) FROM ${table} WHERE org_id = ?`).pluck().get(server.a.org) as number

const contactOf = async (email: string) => (await server.call('GET', `/contacts?email=${email}`)).body.data

function merged(object: 'contact' | 'company', kept: string, other: string): void {
  const { id } = server.store.transaction(() =>
    mergeStore(server.deps).merge({ org: server.a.org, member: server.a.owner }, object, kept, other),
  )
  merges.push(id)
  mergedIds.push(kept)
}

/** The names by which the records of a note or a task are known. */
async function about(object: 'note' | 'task', id: string) {
  const { body: record } = await server.call('GET', `/${object}s/${id}`)
  const each = async (path: string, ids: string[], nameOf: (record: Record<string, unknown>) => unknown) =>
    (
      await Promise.all(ids.map(async (one) => String(nameOf((await server.call('GET', `/${path}/${one}`)).body))))
    ).sort()
  return {
    record,
    emails: await each(
      'contacts',
      record.contact_ids,
      (contact) => (contact.emails as { email: string }[])[0]?.email ?? '',
    ),
    companies: await each('companies', record.company_ids, ({ name }) => name),
    deals: await each('deals', record.deal_ids, ({ title }) => title),
  }
}

describe('two whole accounts', () => {
  test('come into one organisation, each row or its reason, and its id of the product', async () => {
    for (const each of files) {
      const done = await run(each)
      first.set(each.name, done)
      const { created, updated, unchanged, rejected } = done
      assert.equal(created + updated + unchanged + rejected, each.rows.length, each.name)
      const unusable = each.rows.flatMap(({ isUsable }, row) => (isUsable ? [] : [row]))
      const { org } = server.a
      const refused = [...journal(server.store).rejects(org, done.id)].map(({ row }) => row)
      assert.deepEqual(refused, unusable, each.name)
      const listed = new Set([...journal(server.store).omissions(org, done.id)].map(({ row }) => row))
      const silent = each.rows.flatMap(({ bad, isUsable }, row) =>
        isUsable && bad.length > 0 && !listed.has(row) ? [row] : [],
      )
      assert.deepEqual(silent, [], `${each.name}: what is left out is listed`)
    }
    assert.deepEqual(await contactOf('person0@both.example').then((all) => all.length), 1)
  })

  test('have each note and task about whom it was, though both products have the same ids', async () => {
    const ids = externalIds(server.store.db)
    for (const { product, activities } of accounts)
      for (const { name, rows } of activities) {
        const object = files.find((each) => each.name === name)?.object as 'note' | 'task'
        for (const row of rows.filter(({ isUsable }) => isUsable)) {
          const held = ids.claimsNow(server.a.org, object, row.id).find(({ source }) => source === product)
          assert.ok(held, `${name} ${row.id}`)
          await checkRow(object, held.id, row)
        }
      }
  })

  async function checkRow(object: 'note' | 'task', id: string, row: ActivityRow): Promise<void> {
    const { record, ...names } = await about(object, id)
    assert.ok(`${record.title}\n${record.body}`.includes(row.mark), row.mark)
    assert.doesNotMatch(`${record.body}`, /<\/?\w+>|&amp;/)
    const { emails, companies, deals } = row
    assert.deepEqual(names, { emails: [...new Set(emails)].sort(), companies: [...companies].sort(), deals }, row.mark)
  }

  test('stay merged, and nothing is doubled, when all files are imported again', async () => {
    const { db } = server.store
    const firm = (name: string) => db.prepare('SELECT id FROM companies WHERE name = ?').pluck().get(name) as string
    for (const index of [1, 5, 7]) merged('company', firm(`Hub Firm ${index}`), firm(`Pipe Org ${index}`))
    for (const index of [1, 2, 4, 10, 14]) {
      const [[hub], [pipe]] = await Promise.all([
        contactOf(`person${index}@hub.example`),
        contactOf(`person${index}@pipe.example`),
      ])
      merged('contact', index % 2 ? hub.id : pipe.id, index % 2 ? pipe.id : hub.id)
    }
    const tables = ['companies', 'contacts', 'deals', 'notes', 'tasks']
    const counts = tables.map(count)
    for (const each of files) {
      const { created, rejected } = await run(each, true)
      assert.deepEqual([created, rejected], [0, first.get(each.name)?.rejected], each.name)
    }
    assert.deepEqual(tables.map(count), counts)
    const seq = server.lastSeq()
    for (const each of files) {
      const { created, updated } = await run(each, true)
      assert.deepEqual([created, updated], [0, 0], each.name)
    }
    assert.equal(server.lastSeq(), seq, 'a third time, nothing is written')
  })

  test('leave what was there before, when they are taken back', async () => {
    const { store, a } = server
    const merging = mergeStore(server.deps)
    const who = { org: a.org, member: a.owner }
    const undoAll = async () => {
      const kept = []
      for (const { id, name } of imports.toReversed()) {
        const again = journal(store).find(a.org, id)?.undone_at === null
        if (again)
          kept.push(
            ...(await undoImport(store, { org: a.org, id, pace: stillPace })).kept.map((each) => ({ ...each, name })),
          )
      }
      return kept
    }
    // What is merged stays, and with it what it needs; it is named.
    const kept = await undoAll()
    assert.ok(kept.length > 0)
    for (const { reason } of kept)
      assert.match(reason, /^(?:was changed since then|was deleted since then|is used by |has another record in it)/)
    const stay = new Set(kept.map(({ id }) => id))
    for (const id of mergedIds) assert.ok(stay.has(id), 'what was merged is among it')
    for (const id of merges.toReversed()) store.transaction(() => merging.undo(who, id))
    assert.deepEqual(await undoAll(), [])
    assert.deepEqual(exported(), whole)
  })
})
