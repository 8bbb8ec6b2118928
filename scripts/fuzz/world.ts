import type { Interface, Operation } from './document.ts'

// What the fuzzer has learned from answers: ids by the path of their list, values by the name of their field, cursors.
// All of it is bounded; where a pool is full, newer things take the places of older ones. A pick is a number that was
// drawn; what it picks depends on the answers that came, so a seed decides where to look and not what is found.

const IDS = 400
const VALUES = 100
const CURSORS = 40
const KEPT = 60
/** Names of values; a fuzzed org may have very many custom fields. */
const NAMES = 2000
/** Below this a list is not emptied further, or nothing would be left to refer to. */
const FEWEST = 25

/** A request with an Idempotency-Key that succeeded. */
export type Kept = {
  operation: Operation
  target: string
  headers: [string, string][]
  body: Buffer
  status: number
  answer: string
}

export type World = ReturnType<typeof newWorld>

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON of every shape
type Any = any

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export function newWorld(api: Interface) {
  const lists = [...api.paths.keys()].filter((template) => api.paths.has(`${template}/{id}`) || isPlainList(template))
  const own = pools<string>(IDS)
  const foreign = pools<string>(IDS)
  const values = pools<unknown>(VALUES)
  const members = pools<[string, unknown]>(VALUES)
  const objects = pools<string>(VALUES)
  const cursors = pools<string>(CURSORS)
  const kept = pools<Kept>(KEPT)
  const versions = new Map<string, number>()
  /** Deleted, or about to be. */
  const doomed = new Set<string>()

  function isPlainList(template: string): boolean {
    return !template.includes('{') && (api.paths.get(template) ?? []).some(({ method }) => method === 'GET')
  }

  /** The list that a field of this name refers to: company_id and parent_company_id to /companies, reason_id to /close-reasons. */
  function listOf(field: string): string | undefined {
    const noun = field.replace(/_ids?$/, '')
    return lists.find((list) => {
      const one = singular(list)
      return one === noun || noun.endsWith(`_${one}`) || one.endsWith(`_${noun}`)
    })
  }

  /**
   * An id for a field, or for the record of a path where `field` is the path of its list. A field whose name says
   * nothing gets one of the list that `home` picks.
   */
  function id(field: string, pick: number, whose: 'own' | 'foreign', home = 0): string | undefined {
    const ids = whose === 'own' ? own : foreign
    const list = field.startsWith('/') ? field : listOf(field)
    if (list) return ids.at(list, pick)
    const value = whose === 'own' ? values.at(field, pick) : undefined
    if (typeof value === 'string' && UUID.test(value)) return value
    return ids.at(lists[home % lists.length]!, pick)
  }

  /** Takes in what an answer shows; `list` is the path of the list where the records of the answer are. */
  function learn(list: string, body: Any, whose: 'own' | 'foreign' = 'own'): void {
    const records: Any[] = Array.isArray(body?.data) ? body.data : body ? [body] : []
    for (const record of records) {
      if (typeof record?.id !== 'string' || doomed.has(record.id)) continue
      const gone = (whose === 'own' ? own : foreign).add(list, record.id)
      if (whose === 'foreign') continue
      if (gone !== undefined) versions.delete(gone)
      if (typeof record.version === 'number') versions.set(record.id, record.version)
      learnValues(record)
    }
  }

  function learnValues(record: Any): void {
    for (const [name, value] of Object.entries<Any>(record)) {
      if (name === 'id' || name === 'version') continue
      for (const one of Array.isArray(value) ? value.slice(0, 5) : [value]) {
        if (one === null || (typeof one === 'string' && one.length > 300)) continue
        if (typeof one !== 'object') {
          values.add(name, one)
          continue
        }
        learnValues(one)
        const text = JSON.stringify(one)
        if (text.length > 1000) continue
        objects.add(name, text)
        if (!Array.isArray(value)) for (const member of Object.entries(one)) members.add(name, member)
      }
    }
  }

  /** After DELETE was answered: whether it took the record or not, it may be asked for no more. */
  function forget(list: string, id: string): void {
    own.remove(list, id)
    versions.delete(id)
  }

  return {
    id,
    learn,
    forget,
    /** Before DELETE is sent; false where too few would be left. */
    doom: (list: string, id: string): boolean => {
      if (own.size(list) <= FEWEST) return false
      doomed.add(id)
      own.remove(list, id)
      return true
    },
    isDoomed: (id: string) => doomed.has(id),
    versionOf: (id: string) => versions.get(id),
    value: values.at,
    /** The JSON of an object. */
    object: objects.at,
    member: members.at,
    addCursor: (path: string, query: string) => void cursors.add(path, query),
    cursor: cursors.at,
    keep: (one: Kept) => void kept.add('all', one),
    kept: (pick: number) => kept.at('all', pick),
    ids: (list: string, most: number): string[] => own.some(list, most),
  }
}

/** "/close-reasons" → "close_reason". */
function singular(list: string): string {
  const last = list.split('/').at(-1)!.replaceAll('-', '_')
  return last.endsWith('ies') ? `${last.slice(0, -3)}y` : last.replace(/s$/, '')
}

/** Bounded bags by name, which pick by number. */
function pools<Thing>(most: number) {
  const bags = new Map<string, { things: Thing[]; known: Set<Thing>; next: number }>()

  function bag(name: string) {
    let found = bags.get(name)
    if (found) return found
    found = { things: [], known: new Set<Thing>(), next: 0 }
    if (bags.size < NAMES) bags.set(name, found)
    return found
  }

  /** Answers what had to go for it. */
  function add(name: string, thing: Thing): Thing | undefined {
    const found = bag(name)
    const { things, known } = found
    if (known.has(thing)) return undefined
    known.add(thing)
    if (things.length < most) {
      things.push(thing)
      return undefined
    }
    found.next = (found.next + 1) % most
    const gone = things[found.next]!
    known.delete(gone)
    things[found.next] = thing
    return gone
  }

  function remove(name: string, thing: Thing): void {
    const { things, known } = bag(name)
    if (!known.delete(thing)) return
    things[things.indexOf(thing)] = things.at(-1)!
    things.pop()
  }

  return {
    add,
    remove,
    at: (name: string, pick: number): Thing | undefined => {
      const { things } = bag(name)
      return things[pick % Math.max(things.length, 1)]
    },
    size: (name: string) => bag(name).things.length,
    some: (name: string, many: number) => bag(name).things.slice(0, many),
  }
}
