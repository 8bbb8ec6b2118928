import assert from 'node:assert/strict'
import type { Caller } from '../../src/lib/caller.ts'
import type { CommandStore } from '../../src/store/open.ts'
import { markOf } from '../../src/store/search/search.ts'
import { pendingWords } from '../../src/store/search/search-index.ts'
import type { Database } from '../../src/store/sqlite/driver.ts'
import { pendingStageChanges } from '../../src/store/stage-changes.ts'
import type { Org } from '../support/org.ts'
import type { TestServer } from '../support/server.ts'
import { companies, messageTexts, type Row, wordsIn } from './list/model.ts'

// The kinds of records that can be searched, and the expected contents of their index.

export const PATHS = {
  deal: '/deals',
  contact: '/contacts',
  company: '/companies',
  note: '/notes',
  task: '/tasks',
  meeting: '/meetings',
} as const
export type Searched = keyof typeof PATHS
export const KINDS = Object.keys(PATHS) as Searched[]
const ALL = { ...PATHS, conversation: '/conversations' }
/** A meeting is indexed twice, the second time without its transcript; meetings have no transcripts here. */
const NUMBERS: Record<Searched | 'conversation', readonly number[]> = {
  deal: [0],
  contact: [1],
  company: [2],
  note: [3],
  task: [4],
  conversation: [5],
  meeting: [6, 7],
}

export const who = (org: Org): Caller => ({ org: org.org, member: org.owner }) as Caller

/** What reads all records, and the index. */
type Searching = {
  store: Pick<CommandStore, 'db' | 'transaction'>
  call: (method: string, path: string, body: undefined, options: { token: string }) => Promise<{ body: Row }>
}

/** Returns every record of one list, oldest first. */
export async function recordsOf({ call }: Searching, path: string, org: Org): Promise<Row[]> {
  const found: Row[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = `limit=100&sort=created_at${cursor && `&cursor=${cursor}`}`
    const { body } = await call('GET', `${path}?${query}`, undefined, { token: org.token })
    found.push(...body.data)
    cursor = body.next_cursor
  }
  return found
}

/** Returns the ids that a search finds, newest first. */
export async function search({ call, a }: TestServer, kind: Searched, text: string, org: Org = a): Promise<string[]> {
  const path = `${PATHS[kind]}?limit=100&q=${encodeURIComponent(text)}`
  const { status, body } = await call('GET', path, undefined, { token: org.token })
  assert.equal(status, 200, `${path} ${JSON.stringify(body)}`)
  return body.data.map(({ id }: Row) => id)
}

/** The index must match the records of these organisations exactly. */
export async function checkIndex(server: Searching, orgs: readonly Org[]): Promise<void> {
  const { db } = server.store
  const wanted: string[] = []
  companies.clear()
  messageTexts.clear()
  const said = db.prepare(
    'SELECT conversation_id, body_text, author, sent_to, sent_cc, attachments FROM messages WHERE send_at IS NULL',
  )
  for (const [id = '', text = '', author = '', ...lists] of said.raw().all() as string[][]) {
    const people = [JSON.parse(author), ...lists.flatMap((list) => JSON.parse(list) as Row[])]
    const names = people.flatMap(({ name, email, phone }: Row) => [name, email, phone]).filter(Boolean)
    messageTexts.set(id, [...(messageTexts.get(id) ?? []), text, ...names])
  }
  for (const org of orgs) {
    for (const company of await recordsOf(server, '/companies', org)) companies.set(company.id, company)
    for (const kind of [...KINDS, 'conversation'] as const) {
      for (const record of await recordsOf(server, ALL[kind], org)) {
        const words = wordsIn({ ...record })
          .split(' ')
          .filter(Boolean)
        for (const number of NUMBERS[kind]) {
          const mark = markOf(org.org, number === 7 ? 'meeting_alone' : kind)
          wanted.push([org.org, number, record.id, ...words.map((word) => mark + word).sort()].join(' '))
        }
      }
    }
  }
  const held = () =>
    wordsNow(db).map(([org, kind, id, words]) => [org, kind, id, ...words.split(' ').filter(Boolean).sort()].join(' '))
  assert.deepEqual(held().sort(), wanted.sort(), 'pending or not')
  checkIntegrity(db)
  indexAll(server.store)
  assert.deepEqual(held().sort(), wanted.sort(), 'in the index')
  checkIntegrity(db)
  const docs = wordsNow(db)
  const storedWords = new Set(db.prepare("SELECT org_id || ' ' || word FROM search_words").pluck().all())
  for (const [org, kind, , words] of docs) {
    for (const word of words.split(' ').filter(Boolean)) {
      const isDigits = /^.\d+$/u.test(word)
      const hasPhones = (['contact', 'company', 'note', 'task'] as const).some((each) => NUMBERS[each].includes(kind))
      assert.equal(storedWords.has(`${org} ${word}`), !(isDigits && hasPhones), word)
    }
  }
}

/** The words of every document, whether they are in the index or pending. */
export const wordsNow = (db: Database): [org: number, kind: number, id: string, words: string][] =>
  db
    .prepare(
      `SELECT doc.org_id, kind, record_id, coalesce(pending.words, doc.words)
       FROM search_docs AS doc LEFT JOIN search_pending AS pending ON pending.docid = doc.docid ORDER BY doc.docid`,
    )
    .raw()
    .all() as ReturnType<typeof wordsNow>

/** Moves all that is pending to where it belongs. */
export function indexAll({ db, transaction }: Pick<CommandStore, 'db' | 'transaction'>): void {
  transaction(() => void pendingWords(db).index(Number.POSITIVE_INFINITY))
  transaction(() => void pendingStageChanges(db).move(1e9))
  assert.equal(db.prepare('SELECT count(*) FROM search_pending').pluck().get(), 0)
}

/** Asks FTS5 to compare its index with the documents. */
export function checkIntegrity(db: Database): void {
  db.prepare("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)").run()
}
