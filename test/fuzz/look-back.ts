import { wordsOf } from '../../src/lib/words.ts'
import type { Interface, Operation } from './document.ts'
import type { Tally } from './findings.ts'
import type { Observations } from './observations.ts'
import { pageOf } from './records.ts'
import type { Answer, Request } from './request.ts'
import type { Server } from './server.ts'

// What is asked when all requests of a run are answered, and nothing else is.

type Parts = {
  api: Interface
  observed: Observations
  tally: Tally
  server: Server
  send: (request: Request) => Promise<Answer>
  /** A request of the fuzzer's own. */
  ask: (operation: Operation | undefined, target: string, token?: string) => Request
  judge: (request: Request, answer: Answer) => void
}

/** Of lists below a record, those of so many records are walked. */
const WALKED = 20
/** So many meetings, and conversations, are searched for by a word of theirs. */
const SEARCHED = 40
const REREAD = 10
const MAX_BYTES = 8 * 1_048_576

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON of every shape
type Any = any

export async function lookingBack({ api, observed, tally, server, send, ask, judge }: Parts): Promise<void> {
  const pages = api.operations.filter(
    ({ method, query }) => method === 'GET' && query.some(({ name }) => name === 'cursor'),
  )
  await walkLists()
  await rereadTalks()
  await searchTalks()
  await countEnrollments()

  /** Walks every list to its end: every record has to be as documented, and to come once. */
  async function walkLists(): Promise<void> {
    for (const operation of pages) {
      const [list = '', rest] = operation.template.split('/{id}')
      // Of those that are known to have the part.
      const pool = api.parts.has(operation.template) ? operation.template : list
      const paths = rest === undefined ? [list] : observed.ids(pool, WALKED).map((id) => `${list}/${id}${rest}`)
      for (const path of paths) await walk(operation, api.base + path)
    }
  }

  async function walk(operation: Operation, path: string): Promise<void> {
    const seen = new Set<string | number>()
    const limit = operation.isList ? 100 : 30
    for (let next = ''; !tally.isFull(); ) {
      const request = ask(operation, `${path}?limit=${limit}${next}`)
      const answer = await send(request)
      judge(request, answer)
      if (answer.status !== 200) return
      const body = JSON.parse(answer.body)
      for (const { id, index } of pageOf(operation, body) ?? []) {
        const what = id ?? index
        if (seen.has(what)) tally.addOf(request, answer, [`${what} came twice in a walk`])
        // Segments are counted from 0 on.
        if (index !== undefined && index !== seen.size) tally.addOf(request, answer, [`${index} comes as ${seen.size}`])
        seen.add(what)
      }
      if (body.next_cursor === null) return
      next = `&cursor=${body.next_cursor}`
    }
  }

  /** A transcript that goes out as a file of captions and comes in again says what it said. */
  async function rereadTalks(): Promise<void> {
    const template = [...api.parts].find((part) => part.endsWith('/transcript'))
    const put = api.operations.find((each) => each.template === template && each.method === 'PUT')
    for (const id of template === undefined ? [] : observed.ids(template, REREAD)) {
      const target = api.base + template!.replace('{id}', id)
      const before = server.saidAt(id)
      const file = ask(undefined, target)
      file.headers.push(['Accept', 'text/vtt'])
      const { status, body } = await send(file)
      if (status !== 200 || Buffer.byteLength(body) > MAX_BYTES) continue
      const request: Request = { ...ask(put, target), method: 'PUT', body: Buffer.from(body) }
      request.headers.push(['Content-Type', 'text/vtt'])
      const answer = await send(request)
      judge(request, answer)
      const after = server.saidAt(id)
      const at = before.findIndex((each, index) => each !== after[index])
      if (at >= 0 || after.length > before.length)
        tally.addOf(request, answer, [`the segment ${before[at]} came back as ${after[at]}`])
    }
  }

  /** Meetings are found by what was said there, and conversations by what was written. */
  async function searchTalks(): Promise<void> {
    const said = {
      listMeetings: server.saidInMeetings(SEARCHED),
      listConversations: server.saidInConversations(SEARCHED),
    }
    for (const [operation, texts] of Object.entries(said)) {
      const list = api.operations.find(({ id }) => id === operation)
      for (const { id, text } of texts) {
        const [word] = wordsOf([text])
        if (list && word !== undefined) await search(list, id, word)
      }
    }
  }

  /** Sequences count their enrollments, and their figures of all times are what the store has. */
  async function countEnrollments(): Promise<void> {
    const read = api.operations.find(({ id }) => id === 'getSequence')
    const figures = api.operations.find(({ id }) => id === 'getSequencePerformance')
    for (const id of read && figures ? observed.ids('/sequences', WALKED) : []) {
      const target = `${api.base}/sequences/${id}`
      await compare(ask(read, target), server.countsOf, (body) => body.counts)
      await compare(
        ask(figures, `${target}/performance?from=2010-01-01&to=2040-01-01&interval=month`),
        server.figuresOf,
      )
    }

    async function compare(
      request: Request,
      countOf: (id: string) => Record<string, number>,
      shown = (body: Any): Any => body.summary,
    ): Promise<void> {
      const id = request.target.split(/[/?]/)[4]!
      const before = JSON.stringify(countOf(id))
      const answer = await send(request)
      judge(request, answer)
      const after = countOf(id)
      // Steps go on meanwhile.
      if (answer.status !== 200 || JSON.stringify(after) !== before) return
      const counted = shown(JSON.parse(answer.body))
      for (const [name, number] of Object.entries(after))
        if ((counted[name] ?? 0) !== number)
          tally.addOf(request, answer, [`${name} is ${counted[name]}, and not ${number}`])
    }
  }

  async function search(list: Operation, wanted: string, word: string): Promise<void> {
    const path = `${api.base}${list.template}?limit=100&q=${encodeURIComponent(word)}`
    for (let next = ''; ; ) {
      const request = ask(list, path + next)
      const answer = await send(request)
      judge(request, answer)
      if (answer.status !== 200) return
      const { data, next_cursor: cursor } = JSON.parse(answer.body)
      if (data.some(({ id }: Any) => id === wanted)) return
      if (cursor === null) return tally.addOf(request, answer, [`"${word}" does not find ${wanted}`])
      next = `&cursor=${cursor}`
    }
  }
}
