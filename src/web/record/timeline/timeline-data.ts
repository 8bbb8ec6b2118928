import { batch, type ReadonlySignal, signal } from '@preact/signals'
import { nounOf } from '../../../lib/pure/nouns.ts'
import type { PageKind } from '../../components/kinds.ts'
import { pathWith } from '../../data/api.ts'
import { client } from '../../data/current.ts'
import type { StreamEvent } from '../../data/stream-types.ts'
import type { Fields } from '../../data/types.ts'
import type { Entry } from './entries.ts'

export type TimelineData = {
  entries: ReadonlySignal<readonly Entry[]>
  /** Whether the oldest entry is there. */
  done: ReadonlySignal<boolean>
  isLoading: ReadonlySignal<boolean>
  error: ReadonlySignal<unknown>
  more(): Promise<void>
  /** Follows the events until it is called off. */
  follow(): () => void
}

type Page = { data: Entry[]; next_cursor: string | null }

const PAGE = 40
/** What happens at once comes with one request. */
const PAUSE_MS = 150

const kept = new Map<string, TimelineData>()
const MAX_KEPT = 20

/** The timeline of a record. It is kept for a while, for a quick return to the record. */
export function timelineOf(kind: PageKind, id: string): TimelineData {
  const name = `${kind}/${id}`
  const found = kept.get(name) ?? make(kind, id)
  kept.delete(name)
  kept.set(name, found)
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value as string)
  return found
}

function make(kind: PageKind, id: string): TimelineData {
  const entries = signal<readonly Entry[]>([])
  const done = signal(false)
  const isLoading = signal(false)
  const error = signal<unknown>(undefined)
  let cursor: string | null = null
  let loading: Promise<void> | undefined
  let isDue = false

  const read = (at: string | null) =>
    client().api.get<Page>(
      pathWith('/app/timeline', { [`${nounOf(kind)}_id`]: id, limit: PAGE, cursor: at ?? undefined }),
    )

  /** The page behind the last entry, also where another one became the last while it was on its way. */
  async function readNext(): Promise<Page> {
    const asked = cursor
    const page = await read(asked)
    return asked === cursor ? page : readNext()
  }

  /** Loads the next page. Never rejects: see `error`. */
  function more(): Promise<void> {
    if (loading || done.peek()) return loading ?? Promise.resolve()
    isLoading.value = true
    loading = readNext()
      .then(({ data, next_cursor }) =>
        batch(() => {
          const known = new Set(entries.peek().map((entry) => entry.id))
          entries.value = [...entries.peek(), ...data.filter((entry) => !known.has(entry.id))]
          cursor = next_cursor
          done.value = next_cursor === null
          error.value = undefined
        }),
      )
      .catch((reason: unknown) => {
        error.value = reason
      })
      .finally(() => {
        loading = undefined
        isLoading.value = false
      })
    return loading
  }

  /**
   * Reads the newest page again; what is older than its last entry stays as it is. Where so much has happened that the two
   * have no entry in common, what lies between is missing: then the older ones are loaded anew from there.
   */
  async function refresh(): Promise<void> {
    try {
      const { data, next_cursor } = await read(null)
      batch(() => {
        const last = data.at(-1)
        // One that was known and has come to the top since, such as a task, joins nothing.
        const known = new Map(entries.peek().map(({ id, at }) => [id, at]))
        const touches = next_cursor !== null && data.some(({ id, at }) => known.get(id) === at)
        const older = touches && last ? entries.peek().filter((entry) => isOlder(entry, last)) : []
        if (older.length === 0) {
          cursor = next_cursor
          done.value = next_cursor === null
        }
        entries.value = [...data, ...older]
        error.value = undefined
      })
    } catch {
      // The next event asks again.
    }
  }

  function refreshSoon(): void {
    if (isDue) return
    isDue = true
    client().timers.after(PAUSE_MS, () => {
      isDue = false
      void refresh()
    })
  }

  function follow(): () => void {
    if (entries.peek().length > 0) refreshSoon()
    const stop = client().events.onEvent((event) => {
      const isKnown = entries.peek().some((entry) => aboutOf(entry) === event.data.object.id)
      if (isKnown) takeOver(event)
      if (isKnown || concerns(event, id)) refreshSoon()
    })
    client().refreshers.add(refresh)
    return () => {
      stop()
      client().refreshers.delete(refresh)
    }
  }

  /** Entries that no page will bring again have to follow the events by themselves. */
  function takeOver({ type, data: { object } }: StreamEvent): void {
    entries.value = entries.peek().flatMap((entry): Entry[] => {
      if (aboutOf(entry) !== object.id) return [entry]
      if (type.endsWith('.deleted')) return []
      if (entry.kind === 'note') return [{ ...entry, note: { ...entry.note, ...(object as Fields), is_cut: false } }]
      if (entry.kind === 'task' || entry.kind === 'task_completed')
        return entry.kind === 'task_completed' && object.status !== 'done'
          ? []
          : [{ ...entry, task: { ...entry.task, ...(object as Fields) } }]
      return [entry]
    })
  }

  return { entries, done, isLoading, error, more, follow }
}

const isOlder = (one: Entry, other: Entry): boolean =>
  one.at < other.at || (one.at === other.at && idOf(one) < idOf(other))

/** Without the kind before it. */
const idOf = ({ id }: Entry): string => id.slice(id.indexOf(':') + 1)

/** The record that an entry is about, if it is another one. */
function aboutOf(entry: Entry): string | undefined {
  if (entry.kind === 'note') return entry.note.id
  if (entry.kind === 'task' || entry.kind === 'task_completed') return entry.task.id
  if (entry.kind === 'meeting') return entry.meeting.id
  if (entry.kind === 'mail') return entry.mail.id
  if (entry.kind === 'enrollment' || entry.kind === 'enrollment_finished') return entry.enrollment.id
  return undefined
}

const LINKS = ['id', 'contact_id', 'company_id', 'deal_id', 'contact_ids', 'company_ids', 'deal_ids', 'participants']

/** Whether an event may have an entry in the timeline of a record. Mails say so by their conversation. */
function concerns({ data: { object, previous } }: StreamEvent, id: string): boolean {
  return [object, previous].some((side) => LINKS.some((name) => JSON.stringify(side[name] ?? null).includes(id)))
}
