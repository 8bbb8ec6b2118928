import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { FORMAT } from '../../src/exports/manifest.ts'
import { restoreExport } from '../../src/exports/restore.ts'
import { writeExport } from '../../src/exports/write.ts'
import type { Problem } from '../../src/lib/problem.ts'
import { stillPace } from '../support/pace.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { scratch } from './export-fixture.ts'

// What is no whole export of this version, or comes to a place that is taken, is refused, and nothing is written.

const { folder, drop } = scratch()
const whole = join(folder, 'whole')
let server: TestServer
before(async () => {
  server = await startServer()
  const company = await server.call('POST', '/companies', { name: 'Harbor', owner_id: server.a.owner })
  for (const last_name of ['One', 'Two', 'Three']) {
    await server.call('POST', '/contacts', { last_name, company_id: company.body.id })
  }
  await server.call('POST', '/deals', { title: 'A deal', company_id: company.body.id })
  writeExport(server.store, server.a.org, whole)
})
after(async () => {
  await server.stop()
  drop()
})

let copies = 0
function copy(): string {
  const place = join(folder, `copy-${copies++}`)
  cpSync(whole, place, { recursive: true })
  return place
}

type Text = (text: string) => string

function edit(place: string, name: string, change: Text): void {
  const path = join(place, name)
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}

const editManifest = (place: string, change: (manifest: Manifest) => void): void =>
  edit(place, 'manifest.json', (text) => {
    const manifest = JSON.parse(text) as Manifest
    change(manifest)
    return JSON.stringify(manifest)
  })
type Manifest = Record<string, unknown> & { files: { name: string; bytes: number; sha256: string; records: number }[] }

/** As a hand would change an export that knows of the hashes. */
function forge(place: string, name: string, change: Text): void {
  edit(place, name, change)
  const bytes = readFileSync(join(place, name))
  const sum = { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  editManifest(place, ({ files }) => Object.assign(files.find((file) => file.name === name) as object, sum))
}

const inContact =
  (change: (contact: Record<string, unknown>) => void): Text =>
  (text) => {
    const lines = text.trimEnd().split('\n')
    const contact = JSON.parse(lines[1] as string)
    change(contact)
    lines[1] = JSON.stringify(contact)
    return `${lines.join('\n')}\n`
  }

/** All that the database holds. */
const dump = (): string => {
  const { db } = server.store
  // How the search index lies in its own tables is its own affair: what is gone from it stays there for a while.
  const tables = db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'search\\__%' ESCAPE '\\' OR name IN ('search_docs', 'search_words')",
    )
    .pluck()
  return JSON.stringify((tables.all() as string[]).map((table) => db.prepare(`SELECT * FROM ${table}`).raw().all()))
}

function restore(from: string, org = server.b.org) {
  return restoreExport(server.store, { dataDir: server.dataDir, org, folder: from, pace: stillPace })
}

/** The sentence of a refusal, which left everything as it was. */
async function refusal(from: string, org?: number): Promise<string> {
  const was = dump()
  let message = ''
  await assert.rejects(restore(from, org), (error: Problem) => {
    assert.ok(error.status < 500, String(error.stack))
    message = error.message.replaceAll(folder, '')
    return true
  })
  assert.equal(dump(), was)
  return message
}

const OLDER = { format_version: FORMAT - 1, dealbox_version: '0.0.9' }
const WAY_OUT = `It has format ${FORMAT - 1}, which is older than format ${FORMAT} of this version\\. Restore it into a data folder with Dealbox 0\\.0\\.9, which wrote it, and open that folder with this version\\. Nothing was restored\\.$`

describe('an export is refused', () => {
  const cases: [string, (place: string) => void, RegExp][] = [
    [
      'without its manifest',
      (place) => rmSync(join(place, 'manifest.json')),
      /^\/copy-\d+ is not an export, or is incomplete: it has no manifest\.json\.$/,
    ],
    [
      'with half a manifest',
      (place) => edit(place, 'manifest.json', (text) => text.slice(0, 200)),
      /manifest\.json is damaged: it is not valid JSON\./,
    ],
    [
      'with the manifest of something else',
      (place) => edit(place, 'manifest.json', () => '{"format":"zip"}'),
      /is not an export: its manifest\.json belongs to something else\.$/,
    ],
    [
      'with a manifest that lacks something',
      (place) => editManifest(place, (manifest) => delete manifest.last_seq),
      /manifest\.json is damaged: last_seq is not in the format/,
    ],
    [
      'of a newer format',
      (place) => editManifest(place, (manifest) => Object.assign(manifest, { format_version: FORMAT + 1 })),
      new RegExp(
        `was written by a newer version of Dealbox \\(format ${FORMAT + 1}, this version supports ${FORMAT}\\)\\. Restore it with that version\\.$`,
      ),
    ],
    ...[0, 1.5, '1', null].map((format): [string, (place: string) => void, RegExp] => [
      `of the format ${JSON.stringify(format)}`,
      (place) => editManifest(place, (manifest) => Object.assign(manifest, { format_version: format })),
      /manifest\.json is damaged: format_version is not in the format of an export\./,
    ]),
    [
      'of an older format with a file that is no longer read',
      (place) =>
        editManifest(place, (manifest) => {
          Object.assign(manifest, OLDER)
          manifest.files.push({ name: 'quotes.ndjson', records: 1, bytes: 1, sha256: '' })
        }),
      new RegExp(`^/copy-\\d+ has quotes\\.ndjson, which is no longer supported\\. ${WAY_OUT}`),
    ],
    [
      'with a file that this version does not know',
      (place) =>
        editManifest(place, ({ files }) => files.push({ name: 'quotes.ndjson', records: 1, bytes: 1, sha256: '' })),
      /newer version of Dealbox \(it has quotes\.ndjson\)/,
    ],
    [
      'with a file that is gone',
      (place) => rmSync(join(place, 'deals.ndjson')),
      /deals\.ndjson cannot be read: it does not exist\.$/,
    ],
    [
      'with other settings',
      (place) => edit(place, 'settings.json', (text) => text.replace('EUR', 'USD')),
      /settings\.json is damaged: it was changed after the export\./,
    ],
    [
      'without settings',
      (place) => editManifest(place, (manifest) => void (manifest.files = manifest.files.slice(1))),
      /is damaged: it has no settings\.json\./,
    ],
    [
      'that is cut off in a line',
      (place) => edit(place, 'contacts.ndjson', (text) => text.slice(0, -50)),
      /contacts\.ndjson is damaged: line 3 is not a JSON object\. Nothing was restored\.$/,
    ],
    [
      'that is cut off behind a line',
      (place) => edit(place, 'contacts.ndjson', (text) => text.split('\n').slice(0, 2).join('\n')),
      /contacts\.ndjson is damaged: it ends at line 2 of 3\./,
    ],
    [
      'with a line more',
      (place) => edit(place, 'contacts.ndjson', (text) => `${text}{}\n`),
      /line 4 is after its end\./,
    ],
    [
      'with a changed value',
      (place) => edit(place, 'contacts.ndjson', (text) => text.replace('Two', 'Tow')),
      /contacts\.ndjson is damaged: it was changed after the export\./,
    ],
    [
      'with a broken character',
      (place) =>
        writeFileSync(join(place, 'contacts.ndjson'), readFileSync(join(place, 'contacts.ndjson')).fill(0xff, 20, 21)),
      /line 1 is not a JSON object\./,
    ],
  ]
  for (const [name, damage, sentence] of cases) {
    test(name, async () => {
      const place = copy()
      damage(place)
      assert.match(await refusal(place), sentence)
    })
  }
})

describe('an export with forged hashes is refused at the line', () => {
  const cases: [string, Text, RegExp][] = [
    [
      'that has an unknown field',
      inContact((contact) => Object.assign(contact, { mood: 'good' })),
      /contacts\.ndjson cannot be restored: line 2 has the unknown field "mood"\. Nothing was restored\.$/,
    ],
    ['that has no id', inContact((contact) => Object.assign(contact, { id: 'x' })), /line 2 has an invalid id\./],
    [
      'that has a wrong type',
      inContact((contact) => Object.assign(contact, { version: 'one' })),
      /line 2 cannot store TEXT value in INTEGER column contacts\.version\./,
    ],
    ['that lacks what has to be there', inContact((contact) => delete contact.name), /line 2 /],
    [
      'that has an id for the second time',
      (text) => `${text}${text.split('\n')[0]}`,
      /line 4 UNIQUE constraint failed/,
    ],
    ['that is no JSON', (text) => text.replace('{', '['), /line 1 is not a JSON object\./],
  ]
  for (const [name, change, sentence] of cases) {
    test(name, async () => {
      const place = copy()
      forge(place, 'contacts.ndjson', change)
      assert.match(await refusal(place), sentence)
    })
  }

  test('and of an older format with the version that can restore it', async () => {
    for (const [change, sentence] of [
      [inContact((contact) => Object.assign(contact, { mood: 'good' })), 'line 2 has the unknown field "mood"'],
      [inContact((contact) => delete contact.version), 'line 2 NOT NULL constraint failed: contacts\\.version'],
    ] as const) {
      const place = copy()
      forge(place, 'contacts.ndjson', change)
      editManifest(place, (manifest) => Object.assign(manifest, OLDER))
      assert.match(await refusal(place), new RegExp(`contacts\\.ndjson cannot be restored: ${sentence}\\. ${WAY_OUT}`))
    }
  })

  test('and where the settings are not as they are written', async () => {
    const place = copy()
    forge(place, 'settings.json', (text) => text.replace('"timezone"', '"zone"'))
    assert.match(
      await refusal(place),
      /settings\.json is damaged: its org is not in the format of an export\. Nothing was restored\.$/,
    )
  })

  test('and as a whole where a record refers to one that is not in it', async () => {
    const place = copy()
    forge(place, 'deals.ndjson', (text) =>
      text.replace(/"owner_id":null/, `"owner_id":"01890000-0000-7000-8000-000000000000"`),
    )
    assert.match(await refusal(place), /cannot be restored: a record in it refers to one that does not exist\./)
  })
})

describe('an export goes into a new organisation', () => {
  test('and into none with records', async () => {
    assert.equal(
      await refusal(whole, server.a.org),
      'The organisation already has companies. Restore the export into a new organisation, as created by "dealbox init".',
    )
  })

  test('and into none whose records are gone', async () => {
    const { token } = server.b
    const { body } = await server.call('POST', '/tags', { name: 'Gone' }, { token })
    await server.call('DELETE', `/tags/${body.id}`, undefined, { token })
    assert.match(await refusal(whole), /^The organisation already has events\./)
    server.store.db.prepare('DELETE FROM events WHERE org_id = ?').run(server.b.org)
  })
})

describe('an export may be', () => {
  test('tried: then nothing stays', async () => {
    const was = dump()
    const { records } = await restoreExport(server.store, {
      dataDir: server.dataDir,
      org: server.b.org,
      folder: whole,
      dryRun: true,
    })
    assert.equal(records.contacts, 3)
    assert.equal(dump(), was)
  })

  test('of an older format: a file or a field that it does not have is empty; CSV is not looked at', async () => {
    const place = copy()
    editManifest(place, (manifest) => Object.assign(manifest, OLDER))
    forge(
      place,
      'contacts.ndjson',
      inContact((contact) => delete contact.source),
    )
    forge(place, 'companies.ndjson', (text) => text.replace('"annual_revenue":null,', ''))
    editManifest(place, (manifest) => {
      manifest.files = manifest.files.filter(({ name }) => name !== 'merges.ndjson')
    })
    rmSync(join(place, 'merges.ndjson'))
    edit(place, 'contacts.csv', () => 'saved by a spreadsheet')
    const { records } = await restore(place)
    assert.deepEqual([records.contacts, records.merges], [3, 0])
  })
})
