import type * as v from 'valibot'
import { type Deps, once } from '../deps.ts'
import type { Route } from '../http/route.ts'
import { standardRoutes } from '../http/standard.ts'
import type { Caller } from '../lib/caller.ts'
import * as f from '../lib/fields.ts'
import { change } from '../lib/merge.ts'
import { wordsOfProse } from '../lib/words.ts'
import { linkColumns, linkFields, linkFilters, recordLinks } from '../records/record-links.ts'
import type { Condition, Filter } from '../store/list/conditions.ts'
import { listing, type Page } from '../store/list/page.ts'
import type { ListQuery, Sort } from '../store/list/query.ts'
import { searchFilter } from '../store/list/search.ts'
import type { RawRow } from '../store/rows/columns.ts'
import * as c from '../store/rows/columns.ts'
import { finder } from '../store/rows/find.ts'
import { rows } from '../store/rows/rows.ts'
import { newRow, nextRow } from '../store/rows/versions.ts'
import { searchIndex } from '../store/search/search.ts'
import { binWriter } from './binned.ts'

// 1. The wire form. A task is work for a member; work of the server is a job.

const TYPES = ['todo', 'call', 'email', 'meeting'] as const
const STATUSES = ['open', 'done', 'canceled'] as const
/** From low to high. */
const PRIORITIES = ['low', 'normal', 'high'] as const

const fields = {
  title: f.doc(f.title, 'For example "Send the offer".'),
  body: f.doc(f.nullable(f.longText()), 'Details of the task.'),
  type: f.doc(f.oneOf(TYPES), '`todo` by default.'),
  status: f.doc(f.oneOf(STATUSES), '`open` by default. A task that is `done` or `canceled` can be reopened.'),
  priority: f.doc(f.oneOf(PRIORITIES), '`normal` by default.'),
  due_at: f.doc(f.nullable(f.time), 'When the task is due.'),
  owner_id: f.doc(f.nullable(f.id), 'The member who is responsible for the task.'),
  ...linkFields,
  conversation_id: f.doc(f.nullable(f.id), 'The conversation that the task is about.'),
}

export const Task = f.doc(
  f.object({
    id: f.id,
    title: fields.title,
    body: fields.body,
    type: fields.type,
    status: fields.status,
    priority: fields.priority,
    due_at: fields.due_at,
    owner_id: fields.owner_id,
    contact_ids: fields.contact_ids,
    company_ids: fields.company_ids,
    deal_ids: fields.deal_ids,
    conversation_id: fields.conversation_id,
    enrollment_id: f.doc(f.nullable(f.id), 'The enrollment whose step created the task; null for other tasks.'),
    completed_at: f.doc(f.nullable(f.recordFields.created_at), 'When the task was done; null if it is not done.'),
    is_overdue: f.doc(f.flag, 'Whether the task is open and `due_at` has passed.'),
    ...f.recordFields,
  }),
  'A task is something for a member to do, optionally about contacts, companies, deals or a conversation.',
)
export type Task = v.InferOutput<typeof Task>

const TaskPatch = f.patchOf(fields)
type TaskPatch = v.InferOutput<typeof TaskPatch>

const TaskCreate = f.object({ ...TaskPatch.entries, title: fields.title })
type TaskCreate = v.InferOutput<typeof TaskCreate>

const rankOf = (priority: string): number => (PRIORITIES as readonly string[]).indexOf(priority)

const filtersAt = (now: () => number): Record<string, Filter> => ({
  ...linkFilters('task'),
  conversation_id: { type: 'id', nullable: true },
  owner_id: { type: 'id', nullable: true, isMember: true },
  due_at: { type: 'time', nullable: true },
  status: { type: 'choice', choices: STATUSES },
  type: { type: 'choice', choices: TYPES },
  priority: { type: 'choice', choices: PRIORITIES, column: 'priority_rank', normal: rankOf },
  is_overdue: {
    type: 'flag',
    resolve: (_, isWanted) => (isWanted ? overdue(now()) : [{ not: { all: overdue(now()) } }]),
  },
  created_at: { type: 'time' },
  updated_at: { type: 'time' },
  q: searchFilter('task', 'title and body'),
})

const overdue = (now: number): Condition[] => [
  { column: 'due_at', operator: 'lt', values: [now], indexed: true },
  { column: 'status', operator: 'eq', values: ['open'], indexed: true },
]

const sorts: Record<string, Sort> = {
  created_at: { column: 'id' },
  updated_at: { column: 'updated_at' },
  due_at: { column: 'due_at', nullable: true },
  priority: { column: 'priority_rank' },
}

// 2. The row.

export const columns = c.columns<Task>({
  id: c.plain('id'),
  title: c.text('title'),
  body: c.text('body'),
  type: c.plain('type'),
  status: c.plain('status'),
  priority: c.plain('priority'),
  due_at: c.time('due_at'),
  owner_id: c.plain('owner_id'),
  ...linkColumns,
  conversation_id: c.plain('conversation_id'),
  enrollment_id: c.plain('enrollment_id'),
  completed_at: c.time('completed_at'),
  is_overdue: c.computed(),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})

const indexOf = (name: keyof Task): number => Object.keys(Task.entries).indexOf(name)
const [STATUS, DUE_AT, IS_OVERDUE] = [indexOf('status'), indexOf('due_at'), indexOf('is_overdue')]

const isOverdue = (status: unknown, dueMs: number | null, now: number): boolean =>
  status === 'open' && dueMs !== null && dueMs < now

// 3. The statements and the rules.

/** The words that it is found by. */
export const wordsOfTask = ({ title, body }: Pick<Task, 'title' | 'body'>): string[] => wordsOfProse([title, body])

export const taskStore = once((deps: Deps) => {
  const { db, clock, announce, references } = deps
  const bin = binWriter(deps)
  const filters = filtersAt(clock.now)
  const { list: listRows } = listing(db, { table: 'tasks', columns, filters, sorts })
  const { insert, update, remove: removeRow } = rows(db, 'tasks', columns)
  const findRow = finder(db, 'tasks', columns)
  const search = searchIndex(db, 'task')
  const links = recordLinks<Task>(db, 'task', (who, id) => columns.present(find(who, id)), save)

  function list(org: number, ask: ListQuery): Page {
    const page = listRows(org, ask)
    for (const row of page.rows) setOverdue(row)
    return page
  }

  const find = (who: Caller, id: string): RawRow => setOverdue(findRow(who, id))

  /** Sets `is_overdue`, which depends on the time. */
  function setOverdue(row: RawRow): RawRow {
    row[IS_OVERDUE] = isOverdue(row[STATUS], row[DUE_AT] as number | null, clock.now())
    return row
  }

  const create = (who: Caller, given: TaskCreate): Task => createFor(who, given, null)

  /** Creates the task of an enrollment step; null for other tasks. One that was done elsewhere has been so since `completed`. */
  function createFor(who: Caller, given: TaskCreate, enrollmentId: string | null, completed?: string): Task {
    references.check(who.org, given)
    const task: Task = newRow(clock, {
      title: given.title,
      body: given.body ?? null,
      type: given.type ?? 'todo',
      status: given.status ?? 'open',
      priority: given.priority ?? 'normal',
      due_at: given.due_at ?? null,
      owner_id: given.owner_id ?? null,
      contact_ids: given.contact_ids ?? [],
      company_ids: given.company_ids ?? [],
      deal_ids: given.deal_ids ?? [],
      conversation_id: given.conversation_id ?? null,
      enrollment_id: enrollmentId,
      completed_at: null as string | null,
      is_overdue: false,
    })
    if (given.status === 'done') task.completed_at = completed ?? task.created_at
    task.is_overdue = isOverdueNow(task)
    restore(who.org, task)
    announce(who, 'task.created', task)
    return task
  }

  /** Writes a task unchanged, without an event. */
  function restore(org: number, task: Task): void {
    insert(org, task)
    links.set(org, task)
    search.put(org, task.id, wordsOfTask(task))
  }

  const patch = (who: Caller, before: Task, given: TaskPatch): Task => takeBack(who, before, given)

  /** A patch that gives back when the task was done, too. */
  function takeBack(who: Caller, before: Task, given: TaskPatch, completed?: Task['completed_at']): Task {
    const { after, changed } = change(before, given)
    if (changed.length === 0) return before
    references.check(who.org, Object.fromEntries(changed.map((name) => [name, after[name]])))
    return save(who, before, after, completed)
  }

  function save(who: Caller, before: Task, given: Task, completed?: Task['completed_at']): Task {
    const after = nextRow(clock, given)
    const isMoved = after.status !== before.status
    if (isMoved) after.completed_at = after.status === 'done' ? (completed ?? after.updated_at) : null
    after.is_overdue = isOverdueNow(after)
    update(who.org, before, after)
    links.set(who.org, after, before)
    if (after.title !== before.title || after.body !== before.body) search.put(who.org, after.id, wordsOfTask(after))
    announce(who, isMoved && after.status === 'done' ? 'task.completed' : 'task.updated', after, before)
    return after
  }

  const isOverdueNow = ({ status, due_at }: Task): boolean =>
    isOverdue(status, due_at === null ? null : Date.parse(due_at), clock.now())

  function remove(who: Caller, task: Task): void {
    const keep = bin.keeping(who, 'task', task)
    search.remove(who.org, task.id)
    removeRow(who.org, task.id) // deletes its rows in the link tables, too
    keep(announce(who, 'task.deleted', task))
  }

  return {
    Create: TaskCreate,
    Patch: TaskPatch,
    columns,
    filters,
    list,
    find,
    create,
    createFor,
    restore,
    patch,
    takeBack,
    remove,
    clearContact: links.clearContact,
    clearCompany: links.clearCompany,
    clearDeal: links.clearDeal,
  }
})

// 4. The routes.

export const tasks = (deps: Deps): Route[] =>
  standardRoutes({
    path: '/tasks',
    scope: 'rest.crm.tasks',
    name: 'task',
    Shape: Task,
    sorts,
    timeDependent: true,
    ...taskStore(deps),
  })
