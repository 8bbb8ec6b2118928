import type { Fields, Meeting, Note, Task } from '../../data/types.ts'

// What GET /app/timeline answers: docs/decisions/023-timeline.md.

export type NoteEntry = Pick<
  Note,
  'id' | 'title' | 'body' | 'author_id' | 'is_pinned' | 'contact_ids' | 'company_ids' | 'deal_ids' | 'version'
> & { is_cut: boolean; updated_at: string }
export type TaskEntry = Pick<
  Task,
  'id' | 'title' | 'body' | 'type' | 'status' | 'due_at' | 'owner_id' | 'completed_at' | 'version'
>
export type MeetingEntry = Pick<
  Meeting,
  'id' | 'title' | 'starts_at' | 'ends_at' | 'status' | 'location' | 'participants' | 'owner_id' | 'summary'
> & { has_transcript: boolean }
export type MailEntry = {
  id: string
  conversation_id: string
  subject: string | null
  channel: string
  direction: 'inbound' | 'outbound' | 'note'
  author: { type?: string; id?: string | null; name?: string | null; email?: string | null } | null
  status: string
  sent_at: string
  text: string | null
  is_cut: boolean
  attachments: number
}
export type EnrollmentEntry = {
  id: string
  sequence_id: string
  sequence_name: string
  status: string
  stop_reason: string | null
  contact_id: string | null
}
export type Change = {
  event_id: string
  seq: number
  type: string
  fields: string[]
  previous: Fields
  current: Fields
}

type Base = { id: string; at: string; actor_id: string | null }

export type Entry = Base &
  (
    | { kind: 'note'; note: NoteEntry }
    | { kind: 'task' | 'task_completed'; task: TaskEntry }
    | { kind: 'meeting'; meeting: MeetingEntry }
    | { kind: 'mail'; mail: MailEntry }
    | { kind: 'enrollment' | 'enrollment_finished'; enrollment: EnrollmentEntry }
    | { kind: 'stage'; stage: { from_stage_id: string | null; to_stage_id: string; event_id: string | null } }
    | { kind: 'change'; change: Change }
    | { kind: 'merge'; merge: { id: string; merged_id: string; title: string | null; undone_at: string | null } }
    | { kind: 'created' | 'originally_created'; record_id: string }
    | { kind: 'restored' | 'deleted'; event: { event_id: string; seq: number } }
  )

/** What can be shown alone. */
export const FILTERS = ['all', 'notes', 'mails', 'tasks', 'meetings', 'changes'] as const
export type Filter = (typeof FILTERS)[number]

const FILTER_OF: Record<Entry['kind'], Exclude<Filter, 'all'>> = {
  note: 'notes',
  mail: 'mails',
  enrollment: 'mails',
  enrollment_finished: 'mails',
  task: 'tasks',
  task_completed: 'tasks',
  meeting: 'meetings',
  stage: 'changes',
  change: 'changes',
  merge: 'changes',
  created: 'changes',
  originally_created: 'changes',
  restored: 'changes',
  deleted: 'changes',
}

export const isIn = (entry: Entry, filter: Filter): boolean => filter === 'all' || FILTER_OF[entry.kind] === filter

/** Changes of fields that one person made within five minutes are one entry. */
export type Shown = { key: string; entry: Entry; changes: readonly Change[] }

const FOLD_MS = 5 * 60_000

/** `entries` are the newest first, and so is what is folded. */
export function folded(entries: readonly Entry[]): Shown[] {
  const shown: Shown[] = []
  for (const entry of entries) {
    const before = shown.at(-1)
    if (wasDoneBefore(entry)) continue
    if (entry.kind !== 'change') {
      shown.push({ key: entry.id, entry, changes: [] })
      continue
    }
    const isNear =
      before?.entry.kind === 'change' &&
      before.entry.actor_id === entry.actor_id &&
      Date.parse(before.entry.at) - Date.parse(entry.at) <= FOLD_MS
    if (isNear) shown[shown.length - 1] = { ...before, changes: [...before.changes, entry.change] }
    else shown.push({ key: entry.id, entry, changes: [entry.change] })
  }
  // What was changed and back has nothing left to tell.
  return shown.filter(({ entry, changes }) => entry.kind !== 'change' || fieldChanges(changes).length > 0)
}

/** What was done when it was written down, such as a call that is logged, was never to be done. */
const wasDoneBefore = (entry: Entry): boolean =>
  entry.kind === 'task' && entry.task.completed_at !== null && entry.task.completed_at <= entry.at

/** A field of a record that a folded entry tells about: its value before the first change and after the last. */
export type FieldChange = { name: string; before: unknown; after: unknown }

/** The fields that changes tell about; members of custom fields and addresses each by themselves. Newest change first. */
export function fieldChanges(changes: readonly Change[]): FieldChange[] {
  const found = new Map<string, FieldChange>()
  for (const change of changes.toReversed()) {
    for (const each of changesIn(change)) {
      const known = found.get(each.name)
      found.set(each.name, known ? { ...known, after: each.after } : each)
    }
  }
  return [...found.values()].filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))
}

function changesIn({ fields, previous, current }: Change): FieldChange[] {
  // A price is one property.
  const names = fields.filter((name) => name !== 'currency' || !fields.some((each) => /amount|revenue/.test(each)))
  return names.flatMap((name): FieldChange[] => {
    const [before, after] = [previous[name], current[name]]
    if (name === 'custom_fields') return members(name, before, after)
    if (name === 'amount' || name === 'annual_revenue')
      return [{ name, before: moneyOf(previous, name, current), after: moneyOf(current, name, previous) }]
    return [{ name, before, after }]
  })
}

const moneyOf = (side: Fields, name: string, other: Fields) => ({
  amount: side[name] ?? null,
  currency: side.currency ?? other.currency ?? null,
})

function members(name: string, before: unknown, after: unknown): FieldChange[] {
  const [old, now] = [(before ?? {}) as Fields, (after ?? {}) as Fields]
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((key) => JSON.stringify(old[key] ?? null) !== JSON.stringify(now[key] ?? null))
    .map((key) => ({ name: `${name}.${key}`, before: old[key] ?? null, after: now[key] ?? null }))
}
