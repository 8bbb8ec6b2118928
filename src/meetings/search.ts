import { isAllowed } from '../auth/scopes.ts'
import type { Deps } from '../deps.ts'
import { wordsOf } from '../lib/words.ts'
import type { Filter } from '../store/list/conditions.ts'
import { searchFilter } from '../store/list/search.ts'
import { searchIndex } from '../store/search.ts'
import type { Participant } from './participants.ts'

// Meetings are found by their own words, and by those of their transcript where the caller may read transcripts: two
// documents in the index. docs/decisions/014-scopes.md has the reason.

const FIELDS = ['title', 'description', 'location', 'summary'] as const
/** What the index is written again for. */
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

  function put(org: number, meeting: Searched): void {
    const people = meeting.participants.flatMap(({ name, email }) => [name, email])
    const words = new Set(wordsOf([...FIELDS.map((name) => meeting[name]), ...people]))
    const said = wordsSaid.get(org, meeting.id) as string | undefined
    alone.put(org, meeting.id, [...words])
    whole.put(org, meeting.id, [...words.union(new Set(said?.split(' ').filter(Boolean)))])
  }

  function remove(org: number, id: string): void {
    whole.remove(org, id)
    alone.remove(org, id)
  }

  return { put, remove }
}
