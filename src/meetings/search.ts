import { isAllowed } from '../auth/scopes.ts'
import type { Deps } from '../deps.ts'
import { wordsOf } from '../lib/words.ts'
import type { Filter } from '../store/list/conditions.ts'
import { searchFilter } from '../store/list/search.ts'
import { searchIndex } from '../store/search/search.ts'
import type { Participant } from './participants.ts'

// The index has two documents per meeting: its own words, and those of its transcript for callers who may read
// transcripts. docs/decisions/014-scopes.md has the reason.

const FIELDS = ['title', 'description', 'location', 'summary'] as const
/** The fields whose changes require an update of the index. */
export const SEARCHED = [...FIELDS, 'participants'] as const

type Searched = { id: string; participants: readonly Pick<Participant, 'name' | 'email'>[] } & Record<
  (typeof FIELDS)[number],
  string | null
>

export const meetingFilter: Filter = {
  ...searchFilter(
    'meeting',
    'title, description, location, summary, names and emails of the participants, and, with `rest.meetings.transcript.read`, the transcript',
  ),
  resolve: (who, text) => {
    const search = isAllowed(who, 'rest.meetings.transcript.read') ? 'meeting' : 'meeting_alone'
    return [{ search, text: text as string }]
  },
}

export function meetingSearch({ db }: Pick<Deps, 'db'>) {
  const whole = searchIndex(db, 'meeting')
  const alone = searchIndex(db, 'meeting_alone')
  const wordsSaid = db.prepare('SELECT words FROM transcripts WHERE org_id = ? AND meeting_id = ?').pluck()

  /** The words of a meeting, without and with those of its transcript. */
  function wordsIn(org: number, meeting: Searched): Record<'meeting' | 'meeting_alone', string[]> {
    const people = meeting.participants.flatMap(({ name, email }) => [name, email])
    const words = new Set(wordsOf([...FIELDS.map((name) => meeting[name]), ...people]))
    const said = wordsSaid.get(org, meeting.id) as string | undefined
    return { meeting: [...words.union(new Set(said?.split(' ').filter(Boolean)))], meeting_alone: [...words] }
  }

  function put(org: number, meeting: Searched): void {
    const words = wordsIn(org, meeting)
    alone.put(org, meeting.id, words.meeting_alone)
    whole.put(org, meeting.id, words.meeting)
  }

  function remove(org: number, id: string): void {
    whole.remove(org, id)
    alone.remove(org, id)
  }

  return { put, remove, wordsIn }
}
