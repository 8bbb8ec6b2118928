import * as v from 'valibot'
import type { Deps } from '../../deps.ts'
import type { Need, Route } from '../../http/route.ts'
import { pastedPeople } from '../../imports/pasted/read.ts'
import { cardsInText, type PastedCards } from '../../imports/pasted/vcards.ts'
import { PersonGiven, peopleMaker } from '../../imports/pasted/write.ts'
import * as f from '../../lib/fields.ts'

// People of a pasted text: what it says is shown first, then made.

/** In one request, so that others wait for a moment at most; the screens send more in several, as one step. */
export const MOST_AT_ONCE = 25
const MOST_TEXT = 262_144

const PeopleText = f.object({ text: f.longText(MOST_TEXT) })
const PeopleGiven = f.object({
  people: v.pipe(
    v.array(PersonGiven),
    v.minLength(1, 'required|must have at least one person'),
    v.maxLength(MOST_AT_ONCE, `too_many|must have at most ${MOST_AT_ONCE} people`),
  ),
})

export function peopleRoutes(deps: Deps): Route<Need>[] {
  const { read } = pastedPeople(deps)
  const { make } = peopleMaker(deps)
  const common = { kind: 'write', method: 'post', role: 'member', name: 'person', status: 200 } as const
  return [
    {
      ...common,
      path: '/people/read',
      summary: 'Read people out of a text, and what is there of them; nothing is written',
      body: PeopleText,
      returns: v.looseObject({}),
      prefetch: (body) => cardsInText((body as { text?: unknown } | null)?.text, MOST_TEXT),
      run: ({ who, body, known }) => ({
        people: read(who, (body as v.InferOutput<typeof PeopleText>).text, known as PastedCards | undefined),
      }),
    },
    {
      ...common,
      path: '/people',
      summary: 'Make contacts with their companies and notes: all, or none',
      body: PeopleGiven,
      returns: v.looseObject({}),
      run: ({ who, body }) => ({ people: make(who, (body as v.InferOutput<typeof PeopleGiven>).people) }),
    },
  ]
}
