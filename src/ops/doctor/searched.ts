import { companyStore } from '../../crm/companies.ts'
import { contactStore } from '../../crm/contacts.ts'
import { dealStore } from '../../crm/deals/deals.ts'
import { wordsOfNote } from '../../crm/notes.ts'
import { wordsOfTask } from '../../crm/tasks.ts'
import type { Deps } from '../../deps.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { meetingStore } from '../../meetings/meetings.ts'
import { rowsAfter } from '../../store/rows/rows-after.ts'
import { KINDS, type Kind } from '../../store/search/search.ts'

/** A document that the search should have, made from its record. */
export type Wanted = { kind: Kind; id: string; words: readonly string[] }

/** Records that are read at once. */
const PAGE = 200

type After = (org: number, id: string, most: number) => { id: string; words: readonly string[] }[]

/** All that an organisation is searched by, from its records alone: by kinds, and in the order of the ids. */
export function searched(deps: Deps) {
  const { db } = deps
  const conversations = conversationStore(deps)
  const meetings = meetingStore(deps)

  /** Of records whose row has all words. */
  function inRows<Row extends { id: string }>(
    table: string,
    columns: string,
    words: (org: number, row: Row) => string[],
  ): After {
    const some = rowsAfter<Row>(db, table, columns)
    return (org, after, most) => some(org, after, most).map((row) => ({ id: row.id, words: words(org, row) }))
  }

  const kinds: Record<Kind, After> = {
    deal: dealStore(deps).wordsAfter,
    contact: contactStore(deps).wordsAfter,
    company: companyStore(deps).wordsAfter,
    note: inRows('notes', 'title, body', (_, note: { id: string; title: string | null; body: string }) =>
      wordsOfNote(note),
    ),
    task: inRows('tasks', 'title, body', (_, task: { id: string; title: string; body: string | null }) =>
      wordsOfTask(task),
    ),
    conversation: inRows('conversations', 'subject', conversations.wordsNow),
    meeting: (org, after, most) => meetings.wordsAfter(org, after, most, 'meeting'),
    meeting_alone: (org, after, most) => meetings.wordsAfter(org, after, most, 'meeting_alone'),
  }

  return function* wanted(org: number): Generator<Wanted> {
    for (const kind of Object.keys(KINDS) as Kind[])
      for (let last: string | undefined = ''; last !== undefined; ) {
        const found: ReturnType<After> = kinds[kind](org, last, PAGE)
        for (const each of found) yield { kind, ...each }
        last = found.length < PAGE ? undefined : found.at(-1)?.id
      }
  }
}
