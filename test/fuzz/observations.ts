import type { Interface, Operation } from './document.ts'

// What the fuzzer has learned from answers: ids by the path of their list, values by the name of their field, cursors.
// All of it is bounded; where a pool is full, newer things take the places of older ones. A pick is a number that was
// drawn; what it picks depends on the answers that came, so a seed decides where to look and not what is found.

const IDS = 400
const VALUES = 100
const CURSORS = 40
const ALL_CURSORS = 400
const KEPT = 60
const MAX_FILE = 10_000
/** Names of values; a fuzzed org may have very many custom fields. */
const NAMES = 2000
const FILES = 300
/** Below this a list is not emptied further, or nothing would be left to refer to. */
const FEWEST = 25
/** Half of what is asked of these is about few of them: it is what comes together in one that makes them difficult. */
const FOCUSED = ['/conversations', '/meetings']
const FOCUS = 8

/** A request with an Idempotency-Key that succeeded. */
export type Kept = {
  operation: Operation
  target: string
  headers: [string, string][]
  body: Buffer
  /** What a form says. */
  uploaded?: { json: unknown; sizes: number[] } | undefined
  status: number
  answer: string
}

export type Observations = ReturnType<typeof newObservations>

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON of every shape
type Any = any

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export function newObservations(api: Interface) {
  const lists = [...api.paths.keys()].filter((template) => api.paths.has(`${template}/{id}`) || isPlainList(template))
  const own = pools<string>(IDS)
  const foreign = pools<string>(IDS)
  const values = pools<unknown>(VALUES)
  const members = pools<[string, unknown]>(VALUES)
  const objects = pools<string>(VALUES)
  const cursors = pools<string>(CURSORS)
  const everyCursor = pools<[path: string, query: string]>(ALL_CURSORS)
  const kept = pools<Kept>(KEPT)
  const files = pools<[id: string, base64: string]>(FILES)
  /** By id; of a part by its template and the id of the record that it is of. */
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
    if (list && FOCUSED.includes(list) && pick % 2 === 1) return ids.at(list, (pick >> 1) % FOCUS)
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

  /** The part of a record that an answer shows; it has an id of its own, which no path takes. */
  function learnPart(template: string, id: string, part: Any): void {
    if (doomed.has(id)) return
    own.add(template, id)
    versions.set(template + id, part.version)
    learnValues(part)
  }

  /** Of another list, or of the same below another record. */
  function otherCursor(path: string, pick: number): string | undefined {
    const others = everyCursor.some('all', ALL_CURSORS).filter(([each]) => each !== path)
    const siblings = others.filter(([each]) => shapeOf(each) === shapeOf(path))
    const all = siblings.length > 0 && pick % 2 ? siblings : others
    return all[(pick >> 1) % Math.max(all.length, 1)]?.[1]
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
    for (const template of api.parts) if (template.startsWith(list)) forgetPart(template, id)
  }

  function forgetPart(template: string, id: string): void {
    own.remove(template, id)
    versions.delete(template + id)
  }

  /** What files had in them, by the ids that an answer gave them. */
  function keepFiles(given: Any, shown: Any): void {
    for (const [index, { id }] of shown.attachments.entries()) {
      const { data } = given?.attachments?.[index] ?? {}
      if (data?.length < MAX_FILE) files.add('all', [id, plain(data)])
    }
  }

  return {
    id,
    learn,
    learnPart,
    forget,
    forgetPart,
    keepFiles,
    fileOf: (id: string) => files.some('all', FILES).find(([known]) => known === id)?.[1],
    /** Before DELETE is sent; false where too few would be left. */
    doom: (list: string, id: string): boolean => {
      if (own.size(list) <= FEWEST) return false
      doomed.add(id)
      own.remove(list, id)
      return true
    },
    isDoomed: (id: string) => doomed.has(id),
    versionOf: (id: string, part = '') => versions.get(part + id),
    value: values.at,
    /** The JSON of an object. */
    object: objects.at,
    member: members.at,
    addCursor: (path: string, query: string) => {
      cursors.add(path, query)
      everyCursor.add('all', [path, query])
    },
    cursor: cursors.at,
    otherCursor,
    keep: (one: Kept) => void kept.add('all', one),
    kept: (pick: number) => kept.at('all', pick),
    ids: (list: string, most: number, whose: 'own' | 'foreign' = 'own'): string[] =>
      (whose === 'own' ? own : foreign).some(list, most),
  }
}

/** A path without its ids. */
const shapeOf = (path: string): string =>
  path
    .split('/')
    .filter((step) => !UUID.test(step))
    .join('/')

/** The last sign of base64 has bits that stand for nothing. */
const plain = (base64: string): string => Buffer.from(base64, 'base64').toString('base64')

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
