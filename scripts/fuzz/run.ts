import { brokenRequest } from './broken.ts'
import { faultsOf } from './check.ts'
import { type Client, newClient, sendBytes } from './client.ts'
import type { Interface, Operation } from './document.ts'
import { drawing } from './draw.ts'
import { newTally, printfOf, shown } from './findings.ts'
import { blank, requests } from './make.ts'
import { type Answer, curlOf, header, type Request } from './request.ts'
import type { Server } from './server.ts'
import { newWorld } from './world.ts'

export type Options = { requests: number; seed: number; only?: string }

/** Each on a connection of its own, which is kept. */
const CONCURRENCY = 16
/** Every so many requests, one runs alone, and it is looked at whether it left things as they were. */
const ALONE_EVERY = 100
const ROUND = 5 * ALONE_EVERY
const BROKEN_PERCENT = 2
/** Of the lists that were answered, so many are learned from. */
const LEARN_EVERY = 5
/** Of lists below a record, those of so many records are walked. */
const WALKED = 20

const NO_ANSWER = ['the connection ended without an answer']

export function newRun(api: Interface, server: Server, { requests: many, seed, only }: Options) {
  const { url, host, tokens } = server
  const world = newWorld(api)
  const make = requests(api, world, tokens, seed, only)
  const isBroken = drawing(seed + 1, (draw) => only === undefined && draw.chance(BROKEN_PERCENT))
  const broken = drawing(seed + 2, (draw) => brokenRequest(draw, api, tokens, host))
  const clients = Array.from({ length: CONCURRENCY }, () => newClient(url))
  const alone = clients[0]!
  const tally = newTally(url, tokens.good)
  const memory: number[] = []
  const pages = api.operations.filter(
    ({ method, query }) => method === 'GET' && query.some(({ name }) => name === 'cursor'),
  )
  const lists = pages.filter(({ template }) => !template.includes('{'))

  /** Learns what there is, from the first page of every list, of the org and of the other one. */
  async function lookAround(): Promise<void> {
    for (const operation of lists) {
      const target = `${api.base}${operation.template}?limit=100`
      for (const whose of ['foreign', 'own'] as const) {
        const answer = await alone.send(ask(operation, target, whose === 'own' ? tokens.good : server.foreignToken))
        if (answer.status === 200) world.learn(operation.template, JSON.parse(answer.body), whose)
        else tally.addWhere(operation.id, [`${answer.status} before the start`])
      }
    }
  }

  /** A request of the fuzzer's own. */
  function ask(operation: Operation | undefined, target: string, token = tokens.good): Request {
    const request = blank(operation, 'GET', target)
    request.headers.push(['Authorization', `Bearer ${token}`])
    return request
  }

  async function fire(client: Client, number: number): Promise<void> {
    if (isBroken(number)) return fireBroken(number)
    const request = make(number)
    judge(request, await client.send(request))
  }

  function judge(request: Request, answer: Answer): void {
    const { operation, id } = request
    tally.count(operation?.id ?? 'outside', answer.status)
    // Another request may have deleted it since it was picked.
    if (id !== undefined && world.isDoomed(id)) request.may.push(404)
    tally.addOf(request, answer, answer.status === 0 ? NO_ANSWER : faultsOf(api, request, answer))
    if (operation && answer.status > 0 && answer.status < 300) learn(operation, request, answer)
  }

  function learn(operation: Operation, request: Request, answer: Answer): void {
    const { template, method } = operation
    const list = template.replace(/\/\{id\}.*$/, '')
    if (method === 'DELETE' && request.id !== undefined) world.forget(list, request.id)
    if (answer.body === '' || (pages.includes(operation) && request.number % LEARN_EVERY !== 0)) return
    const body = JSON.parse(answer.body)
    // An action may answer a record of another kind: a test of a webhook makes a delivery.
    const isOther = request.id !== undefined && body.id !== undefined && body.id !== request.id
    if (!isOther) world.learn(Array.isArray(body.data) ? template : list, body)
    const { target, headers, body: sent, question, repeats } = request
    if (question !== undefined && body.next_cursor)
      world.addCursor(target.split('?')[0]!, `${question === '' ? '' : `${question}&`}cursor=${body.next_cursor}`)
    if (header(request, 'idempotency-key') && sent && !repeats)
      world.keep({ operation, target, headers, body: sent, status: answer.status, answer: answer.body })
  }

  async function fireBroken(number: number): Promise<void> {
    const { what: name, bytes, statuses, maybeNone, answers: due } = broken(number)
    const answers = await sendBytes(url, bytes, due)
    const [first] = answers
    const what: string[] = []
    if (answers.length < due && !maybeNone) what.push(`${answers.length} answers instead of ${due}`)
    if (first && statuses.length > 0 && !statuses.includes(first.status))
      what.push(`${first.status} instead of ${statuses.join(' or ')}`)
    for (const answer of answers) {
      tally.count('broken HTTP', answer.status)
      const request = ask(undefined, '')
      request.may.push(answer.status)
      what.push(...faultsOf(api, request, answer))
    }
    if (what.length > 0)
      tally.add({
        number,
        operation: `broken HTTP: ${name}`,
        what,
        request: printfOf(bytes, host),
        answer: first ? shown(first) : '',
      })
  }

  /** One request while nothing else runs: what was refused, or asked for reading, has changed nothing. */
  async function fireAlone(number: number): Promise<void> {
    if (isBroken(number)) return fireBroken(number)
    const request = make(number)
    const [events, version] = [server.lastEvents(), await versionOf(request)]
    const answer = await alone.send(request)
    judge(request, answer)
    if (answer.status < 300 && request.method !== 'GET' && request.method !== 'HEAD') return
    if (server.lastEvents() !== events) tally.addOf(request, answer, [`${answer.status}, and yet there is an event`])
    if ((await versionOf(request)) !== version)
      tally.addOf(request, answer, [`${answer.status}, and yet the record has changed`])
  }

  /** Of the record that a request is about: its ETag, or the status where it has none. */
  async function versionOf({ operation, id }: Request): Promise<string | undefined> {
    const path = operation?.template.replace(/\{id\}.*$/, '{id}') ?? ''
    const read = api.paths.get(path)?.find(({ method }) => method === 'GET')
    if (!read || id === undefined) return undefined
    const { status, headers } = await alone.send(ask(read, api.base + path.replace('{id}', id)))
    return headers.etag ?? String(status)
  }

  /** All requests; tells every so often how many are done. */
  async function all(onProgress: (done: number) => void): Promise<void> {
    await lookAround()
    for (let start = 0; start < many && !tally.isFull() && server.isAlive(); start += ROUND) {
      const numbers = Array.from({ length: Math.min(ROUND, many - start) }, (_, index) => start + index)
      const together = numbers.filter((number) => number % ALONE_EVERY !== 0).values()
      await Promise.all(
        clients.map(async (client) => {
          for (const number of together) await fire(client, number)
        }),
      )
      for (const number of numbers) if (number % ALONE_EVERY === 0) await fireAlone(number)
      const mb = server.memoryMb()
      if (mb !== undefined) memory.push(mb)
      onProgress(start + numbers.length)
    }
  }

  /** One request alone: as a command line, and what came back. */
  async function replay(number: number): Promise<[request: string, answer: string]> {
    await lookAround()
    if (isBroken(number)) {
      await fireBroken(number)
      return [printfOf(broken(number).bytes, host), '']
    }
    const request = make(number)
    const answer = await alone.send(request)
    judge(request, answer)
    return [curlOf(request, url, tokens.good), shown(answer)]
  }

  /** Walks every list to its end: every record has to be as documented, and to come once. */
  async function walkLists(): Promise<void> {
    for (const operation of pages) {
      const [list = '', rest] = operation.template.split('/{id}')
      const paths = rest === undefined ? [list] : world.ids(list, WALKED).map((id) => `${list}/${id}${rest}`)
      for (const path of paths) await walk(operation, api.base + path)
    }
  }

  async function walk(operation: Operation, path: string): Promise<void> {
    const seen = new Set<string>()
    for (let next = ''; !tally.isFull(); ) {
      const request = ask(operation, `${path}?limit=100${next}`)
      const answer = await alone.send(request)
      judge(request, answer)
      if (answer.status !== 200) return
      const { data, next_cursor: cursor } = JSON.parse(answer.body) as {
        data: { id: string }[]
        next_cursor: string | null
      }
      const twice = data.filter(({ id }) => seen.size === seen.add(id).size)
      tally.addOf(
        request,
        answer,
        twice.map(({ id }) => `${id} came twice in a walk`),
      )
      if (cursor === null) return
      next = `&cursor=${cursor}`
    }
  }

  function close(): void {
    for (const client of clients) client.close()
  }

  return { tally, memory, all, replay, walkLists, close }
}
