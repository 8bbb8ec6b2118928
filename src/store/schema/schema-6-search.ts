import { uniqueName } from '../../lib/pure/fold.ts'
import { wordsOf, wordsOfProse } from '../../lib/words.ts'
import { isOwnerWord, type Kind, searchIndex } from '../search/search.ts'
import { pendingWords } from '../search/search-index.ts'
import type { Connection } from '../sqlite/driver.ts'

// Frozen once released.

/**
 * From schema 5: what is found inside of scripts without spaces, without apostrophes and with two letters for one, and what
 * is compared without regard to what cannot be seen; phones in notes and tasks. Texts in ASCII without apostrophes have their
 * words already.
 */
export function renewSearch(db: Connection): void {
  for (const [table, text, key] of [
    ['contacts', 'name', 'name_key'],
    ['companies', 'name', 'name_key'],
    ['deals', 'title', 'title_key'],
    ['lists', 'name', 'name_key'],
  ] as const)
    db.exec(`UPDATE ${table} SET ${key} = fold(${text}) WHERE ${hasOther(text)} AND ${key} <> fold(${text})`)
  renewTags(db)
  renewSegments(db)
  for (const [kind, sql] of Object.entries(TEXTS)) renewKind(db, kind as Kind, sql)
}

/** Documents that are moved into the index at once, and records that are read at once. */
const SOME = 4096
const PAGE = 500
/** The most words of a conversation, and how much of a message is read; the most words of a transcript. */
const MAX_WORDS = 10_000
const MAX_TEXT = 65_536
const MAX_NAMES = 16_384
const MAX_SAID = 20_000

/** Whether a text has other characters than those from tab to tilde, or an apostrophe. */
function hasOther(text: string): string {
  return `(${text} GLOB '*[^' || char(9) || '-~]*' OR ${text} GLOB '*[''\`]*')`
}

const MEETING = `title, description, location, summary,
  (SELECT group_concat(concat_ws(' ', value ->> 'name', value ->> 'email'), ' ') FROM json_each(participants))`

/** The people and the files of a message, by which its conversation is found from now on. */
const PEOPLE = "SELECT group_concat(concat_ws(' ', value ->> 'name', value ->> 'email'), ' ') FROM json_each"
const NAMES = `substr(concat_ws(' ', author ->> 'name', author ->> 'email', author ->> 'phone', (${PEOPLE}(sent_to)), (${PEOPLE}(sent_cc)),
  (SELECT group_concat(value ->> 'name', ' ') FROM json_each(attachments))), 1, ${MAX_NAMES})`

/** The texts that a record is found by, and words that it has already. Those of phones and owners stay as they are. */
const TEXTS: { [kind in Kind]: string } = {
  deal: 'SELECT org_id, id, title AS text FROM deals',
  contact: `SELECT org_id, id, concat_ws(' ', name,
      (SELECT name FROM companies WHERE companies.org_id = contacts.org_id AND companies.id = company_id),
      (SELECT group_concat(value ->> 'email', ' ') FROM json_each(emails))) AS text FROM contacts`,
  company:
    "SELECT org_id, id, concat_ws(' ', name, (SELECT group_concat(value, ' ') FROM json_each(domains))) AS text FROM companies",
  note: "SELECT org_id, id, concat_ws(' ', title, body) AS text FROM notes",
  task: "SELECT org_id, id, concat_ws(' ', title, body) AS text FROM tasks",
  conversation: `SELECT org_id, id, concat_ws(' ', subject, (SELECT group_concat(concat_ws(' ', substr(body_text, 1, ${MAX_TEXT}), ${NAMES}), ' ')
      FROM messages WHERE messages.org_id = conversations.org_id AND conversation_id = conversations.id)) AS text FROM conversations`,
  meeting: `SELECT org_id, id, concat_ws(' ', ${MEETING}) AS text,
      (SELECT words FROM transcripts WHERE transcripts.org_id = meetings.org_id AND meeting_id = meetings.id) AS words FROM meetings`,
  meeting_alone: `SELECT org_id, id, concat_ws(' ', ${MEETING}) AS text FROM meetings`,
}

/** Kinds whose texts may have phones. */
const PROSE: readonly string[] = ['note', 'task'] satisfies Kind[]

type Row = { org_id: number; id: string; text: string; words?: string | null }

function renewKind(db: Connection, kind: Kind, sql: string): void {
  const search = searchIndex(db, kind)
  const pending = pendingWords(db)
  const isLimited = kind === 'conversation'
  let count = 0
  const more = isLimited
    ? 'TRUE'
    : kind === 'meeting'
      ? hasOther('words')
      : PROSE.includes(kind)
        ? "text GLOB '*[0-9][0-9]*'"
        : 'FALSE'
  const has = `${hasOther('text')} OR ${more}`
  const read = PROSE.includes(kind) ? wordsOfProse : wordsOf
  for (const { org_id, id, text, words } of every(db, `SELECT * FROM (${sql}) WHERE (${has})`)) {
    const present = search.wordsOf(org_id, id) ?? []
    const said = words ? words.split(' ') : []
    const all = [...new Set([...present.filter(isStill), ...read([text]), ...said])]
    search.put(org_id, id, isLimited ? all.slice(0, MAX_WORDS) : all)
    if (++count % SOME === 0) pending.index(SOME)
  }
  while (pending.index(SOME) > 0);
}

/** A word that would be divided now is of no use. */
const isStill = (word: string): boolean => isOwnerWord(word) || wordsOf([word]).join(' ') === word

/** In the order of the keys, some at a time: no statement is open while others write. */
function* every(db: Connection, sql: string): Generator<Row> {
  const page = db.prepare(`${sql} AND (org_id, id) > (?, ?) ORDER BY org_id, id LIMIT ${PAGE}`)
  for (let rows = page.all(-1, '') as Row[]; rows.length > 0; ) {
    yield* rows
    const last = rows.at(-1) as Row
    rows = rows.length < PAGE ? [] : (page.all(last.org_id, last.id) as Row[])
  }
}

/** Of two tags that are one now, the older one keeps its name for itself. */
function renewTags(db: Connection): void {
  const update = db.prepare('UPDATE OR IGNORE tags SET name_key = ? WHERE org_id = ? AND id = ?')
  for (const { org_id, id, text } of every(db, `SELECT org_id, id, name AS text FROM tags WHERE ${hasOther('name')}`))
    update.run(uniqueName(text), org_id, id)
}

function renewSegments(db: Connection): void {
  const other = `SELECT DISTINCT org_id, transcript_id FROM transcript_segments WHERE ${hasOther('text')}`
  const changed = db.prepare(other).raw().all() as [org: number, id: string][]
  db.exec(`UPDATE transcript_segments SET words = words_of(text) WHERE ${hasOther('text')}`)
  const words = db
    .prepare('SELECT words FROM transcript_segments WHERE org_id = ? AND transcript_id = ? ORDER BY position')
    .pluck()
  const update = db.prepare('UPDATE transcripts SET words = ? WHERE org_id = ? AND id = ?')
  for (const [org, id] of changed) {
    const all = new Set((words.all(org, id) as string[]).flatMap((each) => each.split(' ')).filter(Boolean))
    update.run([...all].slice(0, MAX_SAID).join(' '), org, id)
  }
}
