import { sayWhy } from '../../components/say-why.ts'
import { ApiProblem } from '../../data/api.ts'
import { client } from '../../data/current.ts'
import { load } from '../../data/records.ts'
import { asStep } from '../../data/writes.ts'
import { bodyOf, type Person } from './person.ts'
import { texts } from './texts.ts'

export type Made = { id: string; name: string; result: 'created' | 'updated' | 'unchanged' }
export type Saved = { made: readonly (Made | undefined)[]; people: readonly Person[]; step: string }

/** As many as the server takes at once. */
const AT_ONCE = 25

/**
 * Writes the people that are not left out, as one step of mine. Each request writes all of its people or none: who is wrong is
 * marked with the reason, and those of the requests before are made.
 */
export async function save(
  people: readonly Person[],
  owner: string | null,
  onDone: (count: number) => void,
): Promise<Saved> {
  const wanted = people.flatMap((person, at) => (person.choice === 'skip' || person.isMade ? [] : [at]))
  const parts = Array.from({ length: Math.ceil(wanted.length / AT_ONCE) }, (_, part) =>
    wanted.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
  )
  let keys: string[] = []
  const step = asStep(() => {
    keys = parts.map(() => client().newKey())
  })
  const after = [...people]
  const made: (Made | undefined)[] = people.map(() => undefined)
  for (const [part, places] of parts.entries()) {
    const body = { people: places.map((at) => bodyOf(people[at] as Person, owner)) }
    try {
      const answer = await client().api.request<{ people: Made[] }>('POST', '/app/people', { body, key: keys[part] })
      for (const [index, at] of places.entries()) {
        made[at] = answer.body.people[index]
        after[at] = { ...(after[at] as Person), isMade: true, fault: undefined }
      }
    } catch (error) {
      const at = places[error instanceof ApiProblem ? Number(error.body.index ?? 0) : 0] as number
      after[at] = await refused(after[at] as Person, error)
      break
    }
    onDone(made.filter(Boolean).length)
  }
  return { made, people: after, step }
}

/** Who has the email by now is offered, in place of an id. */
async function refused(person: Person, error: unknown): Promise<Person> {
  const id = error instanceof ApiProblem && error.code === 'duplicate' ? error.body.duplicate_id : undefined
  if (typeof id !== 'string') return { ...person, fault: sayWhy(error), errors: errorsOf(error) }
  const name = await load('contacts', id).then(
    (contact) => contact.name,
    () => '',
  )
  const known = { id, name, because: 'email' as const }
  return { ...person, found: { ...person.found, known }, fault: texts().taken(name) }
}

function errorsOf(error: unknown): Record<string, string> {
  const all = error instanceof ApiProblem ? error.errors : []
  return Object.fromEntries(
    all.map(({ pointer, message }) => {
      const [name = '', member = ''] = pointer.split('/').slice(4)
      return [name === 'custom_fields' ? `${name}.${member}` : name, message]
    }),
  )
}
