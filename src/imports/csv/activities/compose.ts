import type { Json } from '../../../lib/json.ts'
import { zoned } from '../../../lib/written/days/zoned.ts'
import type { Draft } from '../cells/draft.ts'

// Makes notes and tasks of what the cells of a row say. docs/decisions/051-activities.md

type Type = 'todo' | 'call' | 'email' | 'meeting' | 'note'
type Status = 'open' | 'done' | 'canceled'

/** What the cells of a row say. */
export type Parts = {
  draft: Draft
  given: Record<string, Json>
  bodies: string[]
  /** What has no field, with its column. */
  details: [column: string, text: string][]
  /** What only a task has a field for. */
  ofTasks: [column: string, text: string][]
  type: Type | undefined
  typeText: string | undefined
  /** What all rows of the file are. */
  typeOfAll: Type | undefined
  status: Status | undefined
  isDone?: boolean
  /** The moment at which a note was written; a text that has no reading for certain stays one. */
  written?: number | string
  times: { [name: string]: string }
  id?: string
  /** The cells with content, by field. */
  content: [name: string, cell: string][]
}

export const emptyParts = (typeOfAll: Type | undefined): Parts => ({
  draft: { given: {}, links: new Map(), added: new Set() },
  given: {},
  bodies: [],
  details: [],
  ofTasks: [],
  type: undefined,
  typeText: undefined,
  typeOfAll,
  status: undefined,
  times: {},
  content: [],
})

const WORDS: Record<Type, string> = { todo: 'Task', call: 'Call', email: 'Email', meeting: 'Meeting', note: 'Note' }
const MAX_TITLE = 100

/** What has happened, or has to: a call that nobody says is open was made if its time is past. */
export function taskOf(parts: Parts, now: number): Draft {
  const { draft, given, times, isDone, typeText } = parts
  const type = parts.type ?? parts.typeOfAll ?? 'todo'
  const { due_at, completed_at } = times
  const isPast = due_at === undefined || Date.parse(due_at) <= now
  const isHappened = type !== 'todo' && isPast
  const said = isDone === undefined ? parts.status : isDone ? 'done' : parts.status === 'canceled' ? 'canceled' : 'open'
  const status = said ?? (completed_at !== undefined || isHappened ? 'done' : 'open')
  const body = textOf(parts)
  const title = given.title ?? (firstLine(parts.bodies) || typeText || WORDS[type])
  return {
    ...draft,
    given: {
      ...given,
      title,
      type,
      status,
      ...(due_at === undefined ? {} : { due_at }),
      ...(body === '' ? {} : { body }),
    },
    activity: {
      object: 'task',
      bare: body,
      completed_at: status === 'done' ? (completed_at ?? (isPast ? due_at : undefined)) : undefined,
    },
  }
}

/**
 * When a note was written, and by whom, stands above its text if no field has it; what only tasks have a field for stands below.
 */
export function noteOf(parts: Parts, zone = 'UTC'): Draft {
  const { draft, given, times } = parts
  const { title, is_pinned } = given
  const at = parts.written ?? (times.due_at === undefined ? undefined : Date.parse(times.due_at))
  const below = parts.ofTasks.filter(([column]) => !parts.details.some(([other]) => other === column))
  const text = textOf({ ...parts, details: [...parts.details, ...below] })
  const bare = text === '' ? String(title ?? '') : text
  const when = typeof at === 'number' ? shown(at, zone) : at
  const links = new Map(draft.links)
  const owner = links.get('author') ?? links.get('owner_id')
  links.delete('owner_id')
  if (owner) links.set('author', owner)
  return {
    ...draft,
    links,
    given: {
      body: bare,
      ...(title === undefined || text === '' ? {} : { title }),
      ...(is_pinned === undefined ? {} : { is_pinned }),
    },
    activity: { object: 'note', bare, when },
  }
}

function textOf({ bodies, details }: Parts): string {
  const texts = [...new Set(bodies.map((text) => text.trim()))].filter((text) => text !== '')
  const lines = details.map(([column, text]) => `${nameOf(column)}: ${text}`)
  return [...texts, ...(lines.length > 0 ? [lines.join('\n')] : [])].join('\n\n')
}

/** Pipedrive writes "Activity - Duration". */
const nameOf = (column: string): string => column.replace(/^\w+ - (?=\S)/, '')

function firstLine(bodies: readonly string[]): string {
  const [line = ''] = (bodies[0] ?? '').trim().split('\n')
  return line.length > MAX_TITLE
    ? `${[...line]
        .slice(0, MAX_TITLE - 1)
        .join('')
        .trim()}…`
    : line.trim()
}

/** As "2024-05-31 14:05"; midnight stands for the whole day. */
function shown(ms: number, zone: string): string {
  const { year, month, day, hour, minute } = zoned(ms, zone)
  const two = (number: number): string => String(number).padStart(2, '0')
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
  return hour === 0 && minute === 0 ? date : `${date} ${two(hour)}:${two(minute)}`
}
