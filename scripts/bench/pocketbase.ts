import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { ended } from './serving.ts'

// PocketBase, another server in one executable on SQLite, with the same deals, companies and contacts as Dealbox. It keeps no
// events, history, search index or custom fields, and writes with synchronous=NORMAL: a power cut may take its last writes.

const root = join(import.meta.dirname, '../..')
const EMAIL = 'bench@example.com'
const PASSWORD = 'a lake in the north'

export type PocketBase = {
  url: string
  token: string
  /** The id of PocketBase for an id of Dealbox. */
  idOf: (uuid: string) => string
  stop: () => Promise<void>
}

/** Builds PocketBase, once; undefined where Go is missing. */
export function buildPocketBase(): string | undefined {
  if (spawnSync('go', ['version']).status !== 0) return undefined
  const folder = join(root, 'node_modules/.cache/dealbox/pocketbase')
  const program = join(folder, 'pocketbase')
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  execFileSync('go', ['build', '-ldflags', '-s -w', '-o', program, '.'], {
    cwd: join(import.meta.dirname, 'pocketbase'),
    env: { ...process.env, CGO_ENABLED: '0' },
    stdio: 'inherit',
  })
  return program
}

/** Serves a copy of the first organisation of a data folder of Dealbox, on all cores as it does by itself. */
export async function servePocketBase(program: string, database: string): Promise<PocketBase> {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-bench-pocketbase-'))
  const dir = ['--dir', folder]
  execFileSync(program, ['superuser', 'upsert', EMAIL, PASSWORD, ...dir], { stdio: 'ignore' })
  const empty = await start(program, dir)
  const admin = await signIn(empty.url, '_superusers')
  await send(empty.url, 'PUT', '/api/collections/import', admin, { collections: COLLECTIONS, deleteMissing: false })
  const user = { email: EMAIL, password: PASSWORD, passwordConfirm: PASSWORD }
  await send(empty.url, 'POST', '/api/collections/users/records', admin, user)
  await ended(empty.child)
  copyRecords(database, join(folder, 'data.db'))
  const { url, child } = await start(program, dir)
  return {
    url,
    token: await signIn(url, 'users'),
    idOf,
    stop: async () => {
      await ended(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const rule = '@request.auth.id != ""'
const rules = { listRule: rule, viewRule: rule, createRule: rule, updateRule: rule, deleteRule: rule }
const text = (name: string) => ({ name, type: 'text' })
const dates = [
  { name: 'created', type: 'autodate', onCreate: true },
  { name: 'updated', type: 'autodate', onCreate: true, onUpdate: true },
]
const relation = (name: string, collectionId: string) => ({ name, type: 'relation', collectionId, maxSelect: 1 })

/** With the indexes that the questions need: one of each is asked for. */
const COLLECTIONS = [
  { id: 'pbccompanies001', name: 'companies', type: 'base', ...rules, fields: [text('name'), ...dates] },
  {
    ...{ id: 'pbccontacts0001', name: 'contacts', type: 'base', ...rules },
    fields: [text('name'), text('email'), relation('company', 'pbccompanies001'), ...dates],
  },
  {
    ...{ id: 'pbcdeals0000001', name: 'deals', type: 'base', ...rules },
    fields: [
      ...[text('title'), { name: 'amount', type: 'number' }, text('currency'), text('stage'), text('status')],
      ...[relation('company', 'pbccompanies001'), relation('contact', 'pbccontacts0001'), text('owner')],
      ...[text('expected_close_date'), ...dates],
    ],
    indexes: ['stage, created', 'company', 'contact', 'created', 'amount'].map(
      (columns, index) => `CREATE INDEX deals_${index} ON deals (${columns})`,
    ),
  },
]

/** 15 digits of the random part of an id. */
const idOf = (uuid: string): string => uuid.replaceAll('-', '').slice(-15)

function copyRecords(from: string, to: string): void {
  const db = new Sqlite(to)
  db.function('pb_id', { deterministic: true }, (id) => (id === null ? '' : idOf(id as string)))
  db.function('pb_date', { deterministic: true }, (ms) => new Date(Number(ms)).toISOString().replace('T', ' '))
  db.prepare('ATTACH ? AS dealbox').run(from)
  const when = 'pb_date(created_at), pb_date(updated_at)'
  db.exec(`
    INSERT INTO companies (id, name, created, updated) SELECT pb_id(id), name, ${when} FROM dealbox.companies;
    INSERT INTO contacts (id, name, email, company, created, updated)
      SELECT pb_id(id), name, coalesce(emails ->> '$[0].email', ''), pb_id(company_id), ${when} FROM dealbox.contacts;
    INSERT INTO deals (id, title, amount, currency, stage, status, company, contact, owner, expected_close_date, created, updated)
      SELECT pb_id(id), title, coalesce(amount_micros, 0) / 1e6, coalesce(currency, ''), stage_id, status, pb_id(company_id),
        pb_id(primary_contact_id), coalesce(owner_id, ''), coalesce(expected_close_date, ''), ${when} FROM dealbox.deals`)
  db.close()
}

async function start(program: string, dir: string[]): Promise<{ url: string; child: ChildProcess }> {
  const address = `127.0.0.1:${await freePort()}` // it prints what it was given, also a port of 0
  const child = spawn(program, ['serve', '--http', address, ...dir], { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = `http://${address}`
  let out = ''
  await new Promise<void>((found, failed) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk
      if (out.includes(url)) found()
    })
    child.once('exit', () => failed(new Error(`PocketBase did not start: ${out}`)))
  })
  return { url, child }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

async function signIn(url: string, collection: string): Promise<string> {
  const body = { identity: EMAIL, password: PASSWORD }
  const path = `/api/collections/${collection}/auth-with-password`
  return (await send(url, 'POST', path, '', body)).token as string
}

async function send(url: string, method: string, path: string, token: string, body: object) {
  const headers = { authorization: token, 'content-type': 'application/json' }
  const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
  const answer = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`)
  return answer === '' ? {} : JSON.parse(answer)
}
