import * as v from 'valibot'
import { type Deps, once } from '../deps.ts'
import type { Route } from '../http/route.ts'
import { standardRoutes } from '../http/standard.ts'
import type { Caller } from '../lib/caller.ts'
import * as f from '../lib/fields.ts'
import { same } from '../lib/merge.ts'
import { field, invalid } from '../lib/problem.ts'
import { wordsOfProse } from '../lib/words.ts'
import { plainStore } from '../records/plain-store.ts'
import { linkColumns, linkFields, linkFilters, recordLinks } from '../records/record-links.ts'
import { unlinking } from '../records/unlink.ts'
import type { Filter } from '../store/list/conditions.ts'
import { listing } from '../store/list/page.ts'
import type { Sort } from '../store/list/query.ts'
import { searchFilter } from '../store/list/search.ts'
import * as c from '../store/rows/columns.ts'
import { finder } from '../store/rows/find.ts'
import type { Versioned } from '../store/rows/versions.ts'
import { searchIndex } from '../store/search/search.ts'
import { binWriter } from './binned.ts'

// 1. The wire form.

const fields = {
  title: f.doc(f.nullable(f.line()), 'For example "Call with Ana".'),
  body: f.doc(f.longText(262_144), 'Text in Markdown, up to 256 KiB.'),
  ...linkFields,
  // A note needs a link, and so does its example.
  deal_ids: v.pipe(linkFields.deal_ids, v.examples([['019aa07f-5d16-74d1-8b2d-5b2ae3c0a1f4']])),
  meeting_id: f.doc(f.nullable(f.id), 'The meeting that the note is about.'),
  conversation_id: f.doc(f.nullable(f.id), 'The conversation that the note is about.'),
  is_pinned: f.doc(f.flag, 'Whether the note is pinned to the top.'),
}

export const Note = f.doc(
  f.object({
    id: f.id,
    title: fields.title,
    body: fields.body,
    contact_ids: fields.contact_ids,
    company_ids: fields.company_ids,
    deal_ids: fields.deal_ids,
    meeting_id: fields.meeting_id,
    conversation_id: fields.conversation_id,
    author_id: f.doc(f.nullable(f.id), 'The member who wrote the note; null if it was written by the system.'),
    is_pinned: fields.is_pinned,
    ...f.recordFields,
  }),
  'A note is a text about contacts, companies, deals, a meeting or a conversation. It needs at least one of them.',
)
export type Note = v.InferOutput<typeof Note>

const NotePatch = f.patchOf(fields)

const NoteCreate = f.object({ ...NotePatch.entries, body: fields.body })
type NoteCreate = v.InferOutput<typeof NoteCreate>

const filters: Record<string, Filter> = {
  ...linkFilters('note'),
  meeting_id: { type: 'id', nullable: true },
  conversation_id: { type: 'id', nullable: true },
  author_id: { type: 'id', nullable: true, isMember: true },
  is_pinned: { type: 'flag' },
  created_at: { type: 'time' },
  updated_at: { type: 'time' },
  q: searchFilter('note', 'title and body'),
}

const sorts: Record<string, Sort> = { created_at: { column: 'id' }, updated_at: { column: 'updated_at' } }

// 2. The row.

export const columns = c.columns<Note>({
  id: c.plain('id'),
  title: c.text('title'),
  body: c.text('body'),
  ...linkColumns,
  meeting_id: c.plain('meeting_id'),
  conversation_id: c.plain('conversation_id'),
  author_id: c.plain('author_id'),
  is_pinned: c.bool('is_pinned'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})

// 3. The statements and the rules.

/** The words that it is found by. */
export const wordsOfNote = ({ title, body }: Pick<Note, 'title' | 'body'>): string[] => wordsOfProse([title, body])

export const noteStore = once((deps: Deps) => {
  const { db } = deps
  const bin = binWriter(deps)
  const { list, render } = listing(db, { table: 'notes', columns, filters, sorts })
  const find = finder(db, 'notes', columns)
  const search = searchIndex(db, 'note')
  const plain = plainStore<Note>(deps, {
    ...{ kind: 'note', table: 'notes', columns, blank: BLANK, check: checkLinked },
    also(org, note, before) {
      links.set(org, note, before)
      if (note.title !== before?.title || note.body !== before.body) search.put(org, note.id, wordsOfNote(note))
    },
  })
  const { patch, restore, save } = plain
  const links = recordLinks<Note>(db, 'note', (who, id) => columns.present(find(who, id)), save)
  const clearMeeting = unlinking(db, 'notes', columns, 'meeting_id', (who, note) =>
    save(who, note, { ...note, meeting_id: null }),
  )

  const create = (who: Caller, given: NoteCreate): Note => createBy(who, given, who.member)

  /** Creates a note that somebody else has written, elsewhere. */
  const createBy = (who: Caller, given: NoteCreate, author_id: string | null): Note =>
    plain.createWith(who, given, { author_id })

  function remove(who: Caller, note: Note): void {
    const keep = bin.keeping(who, 'note', note)
    search.remove(who.org, note.id)
    keep(plain.remove(who, note))
  }

  return {
    Create: NoteCreate,
    Patch: NotePatch,
    columns,
    filters,
    list,
    render,
    find,
    create,
    createBy,
    restore,
    patch,
    remove,
    clearContact: links.clearContact,
    clearCompany: links.clearCompany,
    clearDeal: links.clearDeal,
    clearMeeting,
  }
})

/** A new note, in the order of the wire form. */
const BLANK: Omit<Note, 'id' | keyof Versioned> = {
  title: null,
  body: '',
  contact_ids: [],
  company_ids: [],
  deal_ids: [],
  meeting_id: null,
  conversation_id: null,
  author_id: null,
  is_pinned: false,
}

const LINKS = ['contact_ids', 'company_ids', 'deal_ids', 'meeting_id', 'conversation_id'] as const

/** A note stays when the last record that it is about is deleted; only who changes its links has to leave one. */
function checkLinked(_: Caller, note: Note, before?: Note): void {
  if (before && LINKS.every((name) => same(note[name], before[name]))) return
  const { contact_ids, company_ids, deal_ids, meeting_id, conversation_id } = note
  if (contact_ids.length + company_ids.length + deal_ids.length > 0 || meeting_id || conversation_id) return
  throw invalid(field('', 'no_link', 'must have at least one contact, company, deal, meeting or conversation'))
}

// 4. The routes.

export const notes = (deps: Deps): Route[] =>
  standardRoutes({ path: '/notes', scope: 'rest.crm.notes', name: 'note', Shape: Note, sorts, ...noteStore(deps) })
