import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashOf, NO_HASH, type Row } from '../../src/events/audit/entry.ts'
import { DATABASE } from '../../src/store/open.ts'
import { KINDS, type Kind, markOf } from '../../src/store/search/search.ts'
import { type Connection, openSqlite } from '../../src/store/sqlite/driver.ts'
import { HOLE, RECORDS, SAME_MOMENT, type Table, writeTemplate } from './capacity-template.ts'

/** Values that fit into the hole of an id. */
const HOLES = 4096
const CACHE_MB = 1500
/** Memory for words before the index writes a segment. The usual megabyte would make thousands of them. */
const HASH_BYTES = 200_000_000
const USUAL_HASH_BYTES = 1_048_576
/** A part of HOLES, so that the numbers of their documents ascend with theirs. */
const ORGS_AT_ONCE = 512

/** The rate of a filling, table by table. */
export type Filled = { rows: number; seconds: number; tables: [string, number, number][] }

/**
 * Adds organisations to the folder of a template until it has so many. Each has all rows of the first with ids of its own;
 * they are added table by table, in the order of the keys, so that every tree grows at its end.
 */
export function addOrgs(folder: string, orgs: number): Filled {
  return filling(folder, [], (db, tables, filled) => {
    const have = db.prepare('SELECT max(id) FROM orgs').pluck().get() as number
    if (have >= orgs) return
    addOrgRows(db, have + 1, orgs)
    for (const table of tables) filled(table.name, () => db.exec(ofOrgs(table)))
    const docs = tables.find(({ name }) => name === 'search_docs')
    if (docs) filled('words', () => indexDocs(db, docs, have + 1, orgs))
  })
}

/** Multiplies the deals, contacts and companies of the only organisation, which has nothing else. */
export function multiplyDeals(folder: string, copies: number): Filled {
  const kept = [
    'members',
    'pipelines',
    'stages',
    'close_reasons',
    'tags',
    'custom_fields',
    'hours',
    'sla_policies',
    'lists',
  ]
  return filling(folder, kept, (db, tables, filled) => {
    if (copies < 2) return
    db.exec('CREATE TEMP TABLE copies (k INTEGER PRIMARY KEY, hole TEXT)')
    const insert = db.prepare('INSERT INTO copies VALUES (?, ?)')
    for (let k = 1; k < copies; k++) insert.run(k, hex(k))
    const events = db.prepare('SELECT last_seq FROM orgs').pluck().get() as number
    for (const table of tables)
      if (RECORDS.includes(table.name)) filled(table.name, () => db.exec(ofCopies(table, copies, events)))
    db.exec('UPDATE orgs SET last_seq = (SELECT max(seq) FROM events)')
    filled('words', () => db.exec("INSERT INTO search (search) VALUES ('rebuild')"))
  })
}

function filling(
  folder: string,
  kept: readonly string[],
  fill: (db: Connection, tables: Table[], filled: (name: string, job: () => unknown) => void) => void,
): Filled {
  const work = mkdtempSync(join(tmpdir(), 'dealbox-template-'))
  const db = openSqlite(join(folder, DATABASE))
  const started = performance.now()
  const timed: [string, number, number][] = []
  try {
    db.pragma('journal_mode = DELETE') // without a log
    db.pragma('journal_mode = OFF')
    db.pragma('locking_mode = EXCLUSIVE')
    db.pragma('synchronous = OFF')
    db.pragma(`cache_size = ${-1024 * CACHE_MB}`)
    db.pragma('foreign_keys = OFF')
    db.pragma('ignore_check_constraints = ON')
    const file = join(work, 'template.db')
    const tables = writeTemplate(db, file, kept)
    db.exec(`ATTACH '${file}' AS template`)
    const total = db.prepare('SELECT total_changes()').pluck()
    db.exec(`INSERT INTO search (search, rank) VALUES ('hashsize', ${HASH_BYTES}); BEGIN`)
    fill(db, tables, (name, job) => {
      const [before, from] = [total.get() as number, performance.now()]
      job()
      timed.push([name, (total.get() as number) - before, (performance.now() - from) / 1000])
    })
    db.exec(`COMMIT; INSERT INTO search (search, rank) VALUES ('hashsize', ${USUAL_HASH_BYTES})`)
  } finally {
    db.pragma('journal_mode = WAL')
    db.close()
    rmSync(work, { recursive: true, force: true })
  }
  const rows = timed.reduce((sum, [, count]) => sum + count, 0)
  return { rows, seconds: (performance.now() - started) / 1000, tables: timed }
}

const hex = (k: number): string => (k % HOLES).toString(16).padStart(3, '0')

/** The organisations themselves, with the start of their audit log; and a table of them for the others. */
function addOrgRows(db: Connection, first: number, last: number): void {
  db.exec('CREATE TEMP TABLE fresh (org INTEGER PRIMARY KEY, hole TEXT, round INTEGER)')
  const fresh = db.prepare('INSERT INTO fresh VALUES (?, ?, ?)')
  const insert = db.prepare(
    `INSERT INTO orgs (id, public_id, name, timezone, currency, last_seq, last_conversation, created_at)
     SELECT ?, ?, ?, timezone, currency, last_seq, last_conversation, created_at FROM orgs WHERE id = 1`,
  )
  const chain = db.prepare('INSERT INTO audit_chains (org, anchor_hash, last_hash) VALUES (?, ?, ?)')
  const entry = db.prepare(
    `INSERT INTO audit_log (org, seq, at, actor_type, actor_id, actor_email, via, action, record_id, detail, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const { public_id, created_at } = db.prepare('SELECT public_id, created_at FROM orgs WHERE id = 1').get() as {
    public_id: string
    created_at: number
  }
  for (let org = first; org <= last; org++) {
    fresh.run(org, hex(org), Math.floor(org / HOLES))
    const publicId = public_id.slice(0, 24) + org.toString(16).padStart(12, '0')
    insert.run(org, publicId, `Bench ${org}`)
    const row: Omit<Row, 'hash'> = {
      ...{ org: publicId, seq: 1, at: created_at, actor_type: 'command', actor_id: null, actor_email: null },
      ...{ via: 'bench', action: 'org.created', record_id: publicId, detail: '{}' },
    }
    chain.run(publicId, NO_HASH, NO_HASH)
    entry.run(...Object.values(row), hashOf(NO_HASH, row))
  }
}

const filledIn = ({ holed }: Table, column: string): string =>
  holed.has(column) ? `replace(each.${column}, '${HOLE}', hole)` : `each.${column}`

/** In the order of the key: by organisation, but where the file gives the numbers, by time. */
function ofOrgs(table: Table): string {
  const { name, columns } = table
  const values = columns.map((column) => {
    if (column === 'org_id') return 'org'
    if (name === 'search_docs' && column === 'docid') return docid('hole', 'round + 1')
    if (name === 'search_docs' && column === 'words') return remarked(filledIn(table, column))
    if (name === 'search_words' && column === 'word') return 'char(unicode(word) + (org - 1) * 16) || substr(word, 2)'
    return filledIn(table, column)
  })
  const isByTime = name === 'search_docs' || name === 'events'
  const from = isByTime ? `template.${name} AS each CROSS JOIN fresh` : `fresh CROSS JOIN template.${name} AS each`
  return `INSERT INTO main.${name} (${columns}) SELECT ${values} FROM ${from}`
}

/** The number of a document, as src/store/search/search.ts makes it of an id. */
const docid = (hole: string, round: string): string =>
  `(moment * 32768 + ${fromHex(hole)} * 8 + low) * 64 + (${round}) * ${SAME_MOMENT} + place`

const DIGITS = "'0123456789abcdef'"
const fromHex = (hole: string): string =>
  [1, 2, 3]
    .map((at) => `(instr(${DIGITS}, substr(${hole}, ${at}, 1)) - 1) * ${16 ** (3 - at)}`)
    .join(' + ')
    .replace(/^/, '(') + ')'

/** Words with the mark of the organisation instead of that of the first. */
function remarked(words: string): string {
  const first = markOf(1, Object.keys(KINDS)[0] as Kind).codePointAt(0)
  return `replace(${words}, char(${first} + kind), char(${first} + (org - 1) * 16 + kind))`
}

const uniqueValues = (table: string) => ({
  [`${table}.value`]: "CASE WHEN unique_value IS NULL THEN value ELSE value || '-' || k END",
  [`${table}.unique_value`]: "unique_value || '-' || k",
})

/** Values that have to differ between the copies in one organisation. */
const DIFFERENT: Record<string, string> = {
  'companies.external_id': "external_id || '-' || k",
  'contacts.external_id': "external_id || '-' || k",
  'deals.external_id': "external_id || '-' || k",
  'companies.domains': `replace(replace(domains, '["', '["c' || k || '.'), '","', '","c' || k || '.')`,
  'company_domains.domain': "'c' || k || '.' || domain",
  ...uniqueValues('company_values'),
  ...uniqueValues('contact_values'),
  ...uniqueValues('deal_values'),
  'deals.amount_micros': 'amount_micros + k * 10000',
}

/** By time: the copies of a record lie beside it. Their events continue after the first `events`. */
function ofCopies(table: Table, copies: number, events: number): string {
  const { name, columns } = table
  const values = columns.map((column) => {
    if (name === 'search_docs' && column === 'docid') return docid('hole', '1')
    if (name === 'events' && column === 'seq') return `${events} + (each.rowid - 1) * ${copies - 1} + k`
    return DIFFERENT[`${name}.${column}`] ?? filledIn(table, column)
  })
  return `INSERT INTO main.${name} (${columns}) SELECT ${values} FROM template.${name} AS each CROSS JOIN copies`
}

/**
 * Adds the words of the new documents to the index: in the order of their numbers, as it needs them, and for some hundred
 * organisations at a time, whose words are then beside each other.
 */
function indexDocs(db: Connection, { holed }: Table, first: number, last: number): void {
  db.exec('CREATE INDEX template.docs_by_moment ON search_docs (moment, low, place)')
  const words = remarked(holed.has('words') ? `replace(words, '${HOLE}', hole)` : 'words')
  const add = db.prepare(
    `INSERT INTO search (rowid, words) SELECT ${docid('hole', 'round + 1')}, ${words}
     FROM (SELECT DISTINCT moment AS at FROM template.search_docs ORDER BY moment)
     CROSS JOIN fresh CROSS JOIN template.search_docs INDEXED BY docs_by_moment ON moment = at
     WHERE org BETWEEN ? AND ? AND words <> ''`,
  )
  for (let from = first; from <= last; from = (Math.floor(from / ORGS_AT_ONCE) + 1) * ORGS_AT_ONCE)
    add.run(from, Math.min(last, (Math.floor(from / ORGS_AT_ONCE) + 1) * ORGS_AT_ONCE - 1))
}
