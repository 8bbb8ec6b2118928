import type { Kind } from './tally.ts'

/** A request of the mix; `then` looks at the answer of a success, and `isApp` is a write of the screens. */
export type Ask = {
  kind: Kind
  method: string
  path: string
  body?: unknown
  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
  then?: (answer: any) => void
  isApp?: true
}

/** What the data folder has before the load. */
export type Given = {
  stages: string[]
  reasons: string[]
  pipeline: string
  sequence: string
  deals: string[]
  contacts: string[]
  smart: string
}

type Clock = { now: () => number }

/** So many of what the load has made stay at a time; the oldest are deleted. */
const KEPT = { open: 600, closed: 300, contacts: 500, companies: 150, notes: 400, tasks: 400 }
const WORDS = ['rollout', 'support', 'renewal', 'training', 'sensors', 'seats', 'audit', 'gauges', 'berlin', 'anna']
const FEW_DAYS_MS = 3 * 86_400_000

/** The requests of a working team, with how many of a thousand each is. What it makes it deletes again. */
export function mixOf(given: Given, clock: Clock) {
  const made: Record<keyof typeof KEPT, string[]> = {
    ...{ open: [], closed: [], contacts: [], companies: [], notes: [], tasks: [] },
  }
  const unenrolled: string[] = []
  const unanswered: string[] = []
  const answered: string[] = []
  const seen = new Set<string>()
  let count = 0
  let lastSeq: number | undefined

  const any = <Each>(all: readonly Each[]): Each | undefined => all[Math.floor(Math.random() * all.length)]
  /** One that is not about to be deleted. */
  const some = (of: keyof typeof KEPT): string | undefined => any(made[of].slice(-KEPT[of] / 2))
  const oldest = (of: keyof typeof KEPT): string | undefined =>
    made[of].length > KEPT[of] ? made[of].shift() : undefined
  const word = (): string => any(WORDS) as string
  const time = (aheadMs: number): string => new Date(clock.now() + aheadMs).toISOString()
  const get = (kind: Kind, path: string, then?: Ask['then']): Ask => ({
    kind,
    method: 'GET',
    path,
    ...(then && { then }),
  })
  const write = (method: string, path: string, body?: unknown, then?: Ask['then']): Ask => ({
    ...{ kind: 'writes', method, path, body },
    ...(then && { then }),
  })
  const create = (into: keyof typeof KEPT, path: string, body: unknown, then?: Ask['then']): Ask =>
    write('POST', path, body, (record) => {
      made[into].push(record.id)
      then?.(record)
    })

  const newDeal = (): Ask => {
    const primary_contact_id = some('contacts') ?? any(given.contacts)
    const title = `${word()} ${word()} ${++count}`
    const body = { title, amount: (count % 900) * 100, currency: 'EUR', primary_contact_id }
    return create('open', '/deals', body)
  }
  const newContact = (): Ask => {
    const emails = [{ email: `lead${++count}@firm${count % 50}.example` }]
    return create('contacts', '/contacts', { first_name: word(), last_name: `Lead ${count}`, emails }, ({ id }) =>
      unenrolled.push(id),
    )
  }
  const waiting = (): Ask =>
    get('reads', '/conversations?status=open&sort=-last_message_at&limit=50', ({ data }) => {
      for (const { id, waiting_since } of data) {
        if (seen.has(id) || waiting_since === null) continue
        seen.add(id)
        unanswered.push(id)
      }
    })
  /** Deletes the oldest, or makes more while there are too few. */
  const drop = (of: keyof typeof KEPT, path: string, more: () => Ask): Ask => {
    const id = oldest(of)
    return id === undefined ? more() : write('DELETE', `${path}/${id}`)
  }
  const about = () => ({ deal_ids: [some('open') ?? any(given.deals)] })
  const newNote = (): Ask => create('notes', '/notes', { body: `${word()} ${word()} ${++count}`, ...about() })
  const newTask = (): Ask => {
    const due_at = time((Math.random() - 0.3) * FEW_DAYS_MS)
    return create('tasks', '/tasks', { title: `Call about ${word()} ${++count}`, due_at, ...about() })
  }

  const api: [number, () => Ask][] = [
    [90, () => get('reads', `/deals?limit=50&created_at[lt]=${time(-Math.random() * FEW_DAYS_MS * 30)}`)],
    [40, () => get('reads', `/deals?limit=50&stage=${any(given.stages)}`)],
    [110, () => get('reads', `/deals/${some('open') ?? any(given.deals)}`)],
    [60, () => get('reads', `/contacts/${some('contacts') ?? any(given.contacts)}`)],
    [50, () => get('reads', `/deals?q=${word()}&limit=${10 + (++count % 40)}`)],
    [30, () => get('reads', `/contacts?q=${word().slice(0, 3)}&limit=25`)],
    [50, waiting],
    [30, () => get('reads', '/tasks?status=open&sort=due_at&limit=50')],
    [20, () => get('reads', `/lists/${given.smart}/members?limit=${10 + (++count % 40)}`)],
    [
      20,
      () => {
        const after = lastSeq === undefined ? '' : `&after_seq=${lastSeq}`
        return get('reads', `/webhooks/events?limit=100${after}`, ({ last_seq }) => {
          lastSeq = last_seq
        })
      },
    ],
    [50, newDeal],
    [60, () => write('PATCH', `/deals/${some('open') ?? any(given.deals)}`, { title: `${word()} ${++count}` })],
    [
      50,
      () => {
        const id = some('open')
        return id === undefined ? newDeal() : write('PATCH', `/deals/${id}`, { stage: any(given.stages) })
      },
    ],
    [
      50,
      () => {
        const id = oldest('open')
        if (id === undefined) return newDeal()
        return write('POST', `/deals/${id}/close`, { reason_id: any(given.reasons) }, () => made.closed.push(id))
      },
    ],
    [
      50,
      () => {
        const id = oldest('closed')
        return id === undefined ? newDeal() : { ...write('DELETE', `/deals/${id}`), isApp: true }
      },
    ],
    [15, newContact],
    [15, () => drop('contacts', '/contacts', newContact)],
    [5, () => create('companies', '/companies', { name: `${word()} ${++count} GmbH` })],
    [5, () => drop('companies', '/companies', waiting)],
    [20, newNote],
    [20, () => drop('notes', '/notes', newNote)],
    [15, newTask],
    [
      10,
      () => {
        const id = some('tasks')
        return id === undefined ? newTask() : write('PATCH', `/tasks/${id}`, { status: 'done' })
      },
    ],
    [15, () => drop('tasks', '/tasks', newTask)],
    [
      10,
      () => {
        const contact_id = unenrolled.pop()
        if (contact_id === undefined) return waiting()
        return write('POST', '/enrollments', { sequence_id: given.sequence, contact_id })
      },
    ],
    [
      15,
      () => {
        const conversation_id = unanswered.shift()
        if (conversation_id === undefined) return waiting()
        const body_text = `Thank you for your message about ${word()}. It is on its way.`
        return write('POST', '/messages', { conversation_id, direction: 'outbound', body_text }, () => {
          seen.delete(conversation_id)
          answered.push(conversation_id)
        })
      },
    ],
    [
      15,
      () => {
        const id = answered.length > 20 ? answered.shift() : undefined
        if (id === undefined) return waiting()
        return write('PATCH', `/conversations/${id}`, { status: 'closed' })
      },
    ],
  ]
  const screens: [number, () => Ask][] = [
    [10, () => get('screens', '/boot')],
    [10, () => get('screens', `/board?pipeline_id=${given.pipeline}`)],
    [20, () => get('screens', `/rows/deals?limit=100&skip=${100 * (++count % 40)}`)],
    [10, () => get('screens', '/notifications?limit=30')],
    [10, () => get('screens', '/bin?limit=50')],
    [20, () => get('screens', `/timeline?deal_id=${some('open') ?? any(given.deals)}`)],
  ]
  const all = [...api, ...screens]
  const whole = all.reduce((sum, [share]) => sum + share, 0)

  return {
    /** A request of the mix. */
    next(): Ask {
      let left = Math.random() * whole
      const [, ask] = all.find(([share]) => (left -= share) < 0) ?? (all[0] as (typeof all)[number])
      return ask()
    },
  }
}
