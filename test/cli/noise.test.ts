import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Problem } from '../../src/lib/problem.ts'
import { openStore } from '../../src/store/open.ts'
import { openSqlite } from '../../src/store/sqlite/driver.ts'
import { failureOf, storageProblem } from '../../src/store/sqlite/failures.ts'
import { noiseOf, overwritePages, pageCount } from '../support/noise.ts'
import { makeOrg } from '../support/org.ts'
import { seedOf } from '../support/seed.ts'
import { type Served, serve } from '../support/served.ts'
import { cli } from './command-line.ts'

// Noise over random pages of the database: whatever it hits, nothing wrong is answered, written or exported without an
// error that says what to do.

const ROUNDS = Number(process.env.DEALBOX_NOISE_ROUNDS ?? 5)
const LISTS = ['/contacts', '/deals', '/notes', '/tags', '/companies', '/stages']
const TABLES = [
  'orgs',
  'members',
  'contacts',
  'contact_emails',
  'deals',
  'notes',
  'note_contacts',
  'companies',
  'stages',
]
/** The files of an export that differ with each one. */
const OF_EXPORT = ['manifest.json']

const root = mkdtempSync(join(tmpdir(), 'dealbox-noise-'))
const whole = join(root, 'whole')
let token: string
let answers: Map<string, string>
let rows: Map<string, string>
let files: Map<string, string>

before(async () => {
  const store = openStore(whole, { create: true })
  token = (await makeOrg(store, whole, 'Acme')).token
  store.close()
  const server = await serve(whole, token)
  const made = Array.from({ length: 60 }, (_, n) => {
    const emails = [{ email: `lee${n}@acme.example` }]
    return server.call('POST', '/contacts', { last_name: `Lee ${n}`, emails })
  })
  for (const [n, { body }] of (await Promise.all(made)).entries()) {
    await server.call('POST', '/notes', { body: `Note ${n}`, contact_ids: [body.id] })
    if (n % 3 === 0) await server.call('POST', '/deals', { title: `Deal ${n}`, primary_contact_id: body.id })
    if (n % 5 === 0) await server.call('POST', '/companies', { name: `Company ${n}` })
  }
  await server.call('POST', '/tags', { name: 'old' })
  answers = new Map()
  for (const path of LISTS) answers.set(path, JSON.stringify((await read(server, path)).body.data))
  await server.stop()
  rows = rowsOf(whole)
  const exported = await exportOf(whole)
  assert.ok('files' in exported)
  files = exported.files
})
after(() => rmSync(root, { recursive: true, force: true }))

const read = (server: Served, path: string) => server.call('GET', `${path}?limit=100`)

/** The tables that can be read whole. */
function rowsOf(dataDir: string): Map<string, string> {
  const found = new Map<string, string>()
  try {
    const db = openSqlite(join(dataDir, 'dealbox.db'), { readonly: true })
    for (const table of TABLES) {
      try {
        const select = table === 'orgs' ? 'id, public_id, name, timezone, currency, created_at' : '*'
        found.set(table, JSON.stringify(db.prepare(`SELECT ${select} FROM ${table} ORDER BY 1, 2, 3`).all()))
      } catch (error) {
        assert.equal(failureOf(error), 'damaged')
      }
    }
    db.close()
  } catch (error) {
    assert.equal(failureOf(error), 'damaged')
  }
  return found
}

async function exportOf(dataDir: string): Promise<{ files: Map<string, string> } | { err: string }> {
  const out = join(root, 'out')
  rmSync(out, { recursive: true, force: true })
  const { code, err } = await cli(['export', out, '--data', dataDir])
  if (code !== 0) return { err }
  const names = (readdirSync(out) as string[]).filter((name) => name.endsWith('.ndjson') && !OF_EXPORT.includes(name))
  return { files: new Map(names.map((name) => [name, readFileSync(join(out, name), 'utf8')])) }
}

/** Reads and writes what there is; answers whether the damage was noticed. */
async function use(server: Served): Promise<boolean> {
  let isNoticed = server.lines.some(({ failure }) => failure === 'damaged')
  for (const path of LISTS) {
    const { status, body } = await read(server, path)
    if (status === 200) assert.equal(JSON.stringify(body.data), answers.get(path), path)
    else assert.deepEqual([path, status, body.code], [path, 503, 'database_damaged'])
    isNoticed ||= status !== 200
  }
  const [status, code] = await server.tryTo('POST', '/tags', { name: 'new' })
  if (isNoticed) assert.deepEqual([status, code], [503, 'database_damaged'], 'written after the damage was noticed')
  else assert.ok(status === 201 || code === 'database_damaged', `${status} ${code}`)
  isNoticed ||= status !== 201
  const ready = await server.screen('/readyz')
  isNoticed ||= server.lines.some(({ failure }) => failure === 'damaged')
  if (isNoticed) {
    assert.deepEqual([ready.status, ready.body.code], [503, 'database_damaged'])
    assert.match(ready.body.detail, /restore a backup/)
  }
  return isNoticed
}

const CLEAR = /damaged|database of another program|unreleased version|newer version|cannot be read/

for (let round = 0; round < ROUNDS; round++) {
  const seed = seedOf(1000 * round + 7)
  test(`noise over some pages of the database (seed ${seed})`, async () => {
    const noise = noiseOf(seed)
    const folder = join(root, `round ${round}`)
    cpSync(whole, folder, { recursive: true })
    const pages = Array.from({ length: 1 + noise.below(3) }, () => 1 + noise.below(pageCount(folder)))
    overwritePages(folder, pages, noise.page)
    const doctor = await cli(['doctor', '--full', '--data', folder])
    assert.equal(doctor.err, '')
    const isNoticed = doctor.code === 1
    if (isNoticed)
      assert.match(
        doctor.out,
        /\nfail {2}(database .*\n {20}→ .*(restore|dealbox export)|search .*\n {20}→ .*--fix)/,
        doctor.out,
      )
    try {
      const server = await serve(folder, token, { minFree: 'off' })
      try {
        if (await use(server)) assert.equal(isNoticed, true, `the doctor has not seen pages ${pages}`)
      } finally {
        await server.stop()
      }
    } catch (error) {
      const problem = storageProblem(error) // as the command line says it
      if (!(problem instanceof Problem)) throw error
      assert.match(problem.message, CLEAR)
    }
    for (const [table, text] of rowsOf(folder))
      assert.equal(text, rows.get(table), `${table} after noise over ${pages}`)
    const exported = await exportOf(folder)
    if ('err' in exported) assert.match(exported.err, CLEAR)
    else
      for (const [name, text] of files)
        if (!/^(tags|events|audit)/.test(name)) assert.equal(exported.files.get(name), text, name)
    rmSync(folder, { recursive: true })
  })
}
