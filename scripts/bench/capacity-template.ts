import { makeOrg, newOrgSettings, prepareFolder } from '../../src/app/settings/new-org.ts'
import { replaySeed } from '../../src/demo/replay/replay.ts'
import { SIZES } from '../../src/demo/story/steps.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { type OpenedStore, openStore } from '../../src/store/open.ts'
import type { Connection } from '../../src/store/sqlite/driver.ts'

/** Stands for the upper 12 bits of the counter in an id, which tell its copies apart: no text of the sample data has it. */
export const HOLE = '\ue001'
/** The events of a week: the sample data has most of its deals in its last month. */
const EVENTS_MS = 7 * DAY_MS
const OWNER_MARK = '\ue000'
/** Documents of one millisecond and low counter; further ones belong to other copies. */
export const SAME_MOMENT = 8

export const OWNER = 'bench@example.com'

/** A data folder whose only organisation has so many deals, with all that the sample data has, or without mails and notes. */
export function seedTemplate(folder: string, deals: number, contents: 'all' | 'deals'): void {
  const store = openStore(folder, { create: true })
  const usual = SIZES['10k']
  try {
    SIZES['10k'] = {
      members: Math.max(4, Math.min(12, Math.round(deals / 100))),
      tags: Math.max(8, Math.min(24, Math.round(deals / 60))),
      companies: Math.ceil(deals / 5),
      contacts: Math.ceil((deals * 2) / 5),
      deals,
    }
    const owner = { email: OWNER, name: 'Bench' }
    const settings = newOrgSettings({ name: 'Bench', currency: 'EUR', timezone: 'UTC', owner })
    const { org } = store.transaction(() => makeOrg(store, settings))
    prepareFolder(store, folder)
    const asOf = Date.parse(new Date().toISOString().slice(0, 10))
    replaySeed(store, { org, seed: 1, profile: '10k', asOf, eventsFrom: asOf - EVENTS_MS })
    settle(store)
    if (contents === 'deals') onlyDeals(store.db)
  } finally {
    SIZES['10k'] = usual
    store.close()
  }
}

/** Nothing is left to be done behind the commits: a template has its words in the index. */
function settle({ db, upkeep }: OpenedStore): void {
  while (upkeep.isDue() && upkeep.stepOfCommand());
  db.exec(`UPDATE search_docs SET words = (SELECT words FROM search_pending AS fresh WHERE fresh.docid = search_docs.docid)
    WHERE docid IN (SELECT docid FROM search_pending); DELETE FROM search_pending;
    INSERT INTO search (search) VALUES ('rebuild')`)
}

/** What an organisation with nothing but deals, contacts and companies has beside its settings, in copies of each. */
export const RECORDS = [
  ...['companies', 'company_domains', 'company_tags', 'company_values'],
  ...['contacts', 'contact_emails', 'contact_tags', 'contact_values'],
  ...['deals', 'deal_tags', 'deal_values', 'deal_stage_changes', 'events', 'search_docs'],
]

/** What such an organisation leaves out, those that refer to others first. */
const LEFT_OUT = [
  ...[
    'jobs',
    'task_contacts',
    'task_companies',
    'task_deals',
    'tasks',
    'note_contacts',
    'note_companies',
    'note_deals',
  ],
  ...['notes', 'enrollment_steps', 'message_headers', 'attachments', 'mail_originals', 'messages', 'enrollments'],
  ...[
    'file_chunks',
    'file_contents',
    'transcript_segments',
    'transcript_contacts',
    'transcript_members',
    'transcripts',
  ],
  ...['meeting_contacts', 'meeting_members', 'meetings', 'invitations', 'notifications', 'conversation_tags'],
  ...['conversation_statuses', 'sla_clocks', 'conversations'],
]

/** Leaves only deals, contacts and companies, their history and their words. */
function onlyDeals(db: Connection): void {
  db.pragma('foreign_keys = OFF')
  for (const table of LEFT_OUT) db.exec(`DELETE FROM ${table}`)
  db.exec(`DELETE FROM search_docs WHERE kind NOT IN (0, 1, 2);
    DELETE FROM events WHERE type NOT GLOB 'deal.*' AND type NOT GLOB 'contact.*' AND type NOT GLOB 'company.*';
    UPDATE orgs SET last_conversation = 0;
    INSERT INTO search (search) VALUES ('rebuild')`)
  const seqs = db.prepare('SELECT commit_seq FROM events ORDER BY commit_seq').pluck().all() as number[]
  const number = db.prepare('UPDATE events SET seq = ? WHERE commit_seq = ?')
  seqs.forEach((at, index) => {
    number.run(index + 1, at)
  })
  db.prepare('UPDATE orgs SET last_seq = ?').run(seqs.length)
}

export type Table = {
  name: string
  columns: string[]
  /** Those whose values have holes. */
  holed: Set<string>
}

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g

/**
 * Writes the tables of an organisation into another file, where the ids have a hole: a copy fills it, wherever an id stands,
 * be it a key or in JSON. Ids of `kept` tables stay, for copies in the same organisation.
 */
export function writeTemplate(db: Connection, file: string, kept: readonly string[]): Table[] {
  const stays = new Set(
    kept.flatMap((table) => db.prepare(`SELECT id FROM ${table} WHERE org_id = 1`).pluck().all() as string[]),
  )
  // The last digit is another one, too: the original stays beside the copies.
  const holed = (id: string) =>
    id.slice(0, 15) + HOLE + id.slice(18, 35) + (Number.parseInt(id.slice(35), 16) ^ 1).toString(16)
  const ofText = (text: unknown): unknown => {
    if (typeof text !== 'string' || text.length < 33) return text
    return text
      .replace(ID, (id) => (stays.has(id) ? id : holed(id)))
      .replaceAll(new RegExp(`${OWNER_MARK}([0-9a-f]{32})`, 'g'), (all, hex: string) => {
        const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
        return stays.has(id) ? all : OWNER_MARK + holed(id).replaceAll('-', '')
      })
  }
  db.function('holed', { deterministic: true }, ofText)
  db.exec(`ATTACH '${file}' AS template; PRAGMA template.journal_mode = OFF; PRAGMA template.synchronous = OFF`)
  const tables = ownTables(db).map((name) => copied(db, name))
  numberDocs(db)
  db.exec('DETACH template')
  return tables
}

/** The tables with rows of an organisation, without those that a copy makes in another way. */
function ownTables(db: Connection): string[] {
  const names = db
    .prepare(
      `SELECT t.name FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c ON c.name = 'org_id'
       WHERE t.schema = 'main' AND t.type = 'table' ORDER BY t.name`,
    )
    .pluck()
    .all() as string[]
  return names.filter((name) => db.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() && !UNCOPIED.includes(name))
}

const UNCOPIED = ['tokens', 'credentials', 'sessions', 'sign_in_links', 'idempotency', 'search_pending']
/** Numbers that the file gives. */
const NUMBERED = ['row_id', 'commit_seq']

function copied(db: Connection, name: string): Table {
  const all = db.prepare(`SELECT name, pk, hidden FROM pragma_table_xinfo('${name}') ORDER BY cid`).all() as {
    name: string
    pk: number
    hidden: number
  }[]
  const columns = all.filter((each) => each.hidden === 0).map((each) => each.name)
  const key = all.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
  const values = columns.map((column) => `CASE typeof(${column}) WHEN 'text' THEN holed(${column}) ELSE ${column} END`)
  db.exec(`CREATE TABLE template.${name} AS SELECT ${values.map((value, at) => `${value} AS ${columns[at]}`)}
    FROM main.${name} WHERE org_id = 1 ORDER BY ${key.map((each) => each.name)}`)
  const hasHole = (column: string) =>
    db.prepare(`SELECT 1 FROM template.${name} WHERE instr(${column}, '${HOLE}') LIMIT 1`).get() !== undefined
  const copiedColumns = columns.filter((column) => !NUMBERED.includes(column))
  return { name, columns: copiedColumns, holed: new Set(copiedColumns.filter(hasHole)) }
}

/** Gives each document the parts of its number: the millisecond and low counter of its id, and its place among those. */
function numberDocs(db: Connection): void {
  db.exec(`ALTER TABLE template.search_docs ADD COLUMN moment INTEGER;
    ALTER TABLE template.search_docs ADD COLUMN low INTEGER;
    ALTER TABLE template.search_docs ADD COLUMN place INTEGER`)
  const set = db
    .prepare('UPDATE template.search_docs SET moment = ?, low = ?, place = ? WHERE docid = ?')
    .safeIntegers()
  const docs = db
    .prepare('SELECT docid, record_id AS id FROM template.search_docs ORDER BY record_id')
    .safeIntegers()
    .all() as { docid: bigint; id: string }[]
  const places = new Map<string, number>()
  for (const { docid, id } of docs) {
    const moment = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
    // The hole is one character in the place of three.
    const low = (Number.parseInt(id.slice(17, 19), 16) >> 3) & 7
    const place = places.get(`${moment} ${low}`) ?? 0
    if (place === SAME_MOMENT) throw new Error(`More than ${SAME_MOMENT} documents have the moment of ${id}.`)
    places.set(`${moment} ${low}`, place + 1)
    set.run(moment, low, place, docid)
  }
}
