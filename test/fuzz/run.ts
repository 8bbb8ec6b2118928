import { brokenRequest } from './broken.ts'
import { faultsOf } from './check.ts'
import { type Client, newClient, sendBytes } from './client.ts'
import type { Interface, Operation } from './document.ts'
import { drawing } from './draw.ts'
import { newTally, printfOf, shown } from './findings.ts'
import { lookingBack } from './look-back.ts'
import { blank, requests } from './make.ts'
import type { Memory } from './memory.ts'
import { newObservations } from './observations.ts'
import { prepare } from './prepare.ts'
import { type Answer, curlOf, header, jsonOf, type Request } from './request.ts'
import type { Server } from './server.ts'
import { talkFaults } from './state.ts'
import { unsubscribing } from './unsubscribing.ts'

export type Options = { requests: number; seed: number; only?: string }

/** Each on a connection of its own, which is kept. */
const CONCURRENCY = 16
/** Every so many requests, one runs alone, and it is looked at whether it left things as they were. */
const ALONE_EVERY = 100
const ROUND = 5 * ALONE_EVERY
const BROKEN_PERCENT = 2
/** Of the lists that were answered, so many are learned from. */
const LEARN_EVERY = 5
/** Of lists below a record, those of so many records are looked into before the start. */
const LOOKED_INTO = 10

const NO_ANSWER = ['the connection ended without an answer']

export function newRun(api: Interface, server: Server, { requests: many, seed, only }: Options) {
  const { url, host, tokens } = server
  const observed = newObservations(api)
  const make = requests(api, observed, tokens, { seed, ...(only === undefined ? {} : { only }) })
  const isBroken = drawing(seed + 1, (draw) => only === undefined && draw.chance(BROKEN_PERCENT))
  const broken = drawing(seed + 2, (draw) => brokenRequest(draw, api, tokens, host))
  const clients = Array.from({ length: CONCURRENCY }, () => newClient(url))
  const alone = clients[0]!
  const tally = newTally(url, tokens.good)
  const memory: Memory = { resident_mb: 0 }
  const unsubscribe = unsubscribing(server)
  const pages = api.operations.filter(
    ({ method, query }) => method === 'GET' && query.some(({ name }) => name === 'cursor'),
  )
  const lists = pages.filter(({ template }) => !template.includes('{'))
  /** Of what is nowhere listed but below a record. */
  const innerLists = pages.filter(({ template, shows = '' }) => template.includes('{') && api.homes.has(shows))

  /** Learns what there is, from the first page of every list, of the org and of the other one. */
  async function lookAround(): Promise<void> {
    for (const whose of ['foreign', 'own'] as const) {
      const token = whose === 'own' ? tokens.good : server.foreignToken
      await prepare(alone, api.base, token)
      for (const operation of lists) await look(operation, operation.template, token, whose)
      for (const operation of innerLists) {
        const [list = ''] = operation.template.split('/{id}')
        for (const id of observed.ids(list, LOOKED_INTO, whose))
          await look(operation, operation.template.replace('{id}', id), token, whose)
      }
    }
    for (const template of api.parts) await lookForParts(template)
  }

  /** Learns which records have the part. */
  async function lookForParts(template: string): Promise<void> {
    const read = api.paths.get(template)?.find(({ method }) => method === 'GET')
    const [list = ''] = template.split('/{id}')
    for (const id of observed.ids(list, 100)) {
      const { status, body } = await alone.send(ask(read, api.base + template.replace('{id}', id)))
      if (status === 200) observed.learnPart(template, id, JSON.parse(body))
      else if (status !== 404) tally.addWhere(read?.id ?? template, [`${status} before the start`])
    }
  }

  async function look(operation: Operation, path: string, token: string, whose: 'own' | 'foreign'): Promise<void> {
    const answer = await alone.send(ask(operation, `${api.base}${path}?limit=100`, token))
    if (answer.status !== 200) return tally.addWhere(operation.id, [`${answer.status} before the start`])
    observed.learn(api.homes.get(operation.shows ?? '') ?? operation.template, JSON.parse(answer.body), whose)
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
    if (id !== undefined && observed.isDoomed(id)) request.may.push(404)
    tally.addOf(request, answer, answer.status === 0 ? NO_ANSWER : faultsOf(api, request, answer))
    if (operation && answer.status > 0 && answer.status < 300) learn(operation, request, answer)
  }

  function learn(operation: Operation, request: Request, answer: Answer): void {
    if (operation.method === 'DELETE') forget(request)
    const isSeldom = pages.includes(operation) && request.number % LEARN_EVERY !== 0
    if (answer.body === '' || request.form !== undefined || isSeldom) return
    const body = JSON.parse(answer.body)
    learnRecords(operation, request, body)
    if (operation.shows === 'Message') learnFiles(request, answer, body)
    const { target, headers, body: sent, question, repeats } = request
    if (question !== undefined && body.next_cursor)
      observed.addCursor(target.split('?')[0]!, `${question === '' ? '' : `${question}&`}cursor=${body.next_cursor}`)
    if (header(request, 'idempotency-key') && sent && !repeats)
      observed.keep({ operation, target, headers, body: sent, status: answer.status, answer: answer.body })
  }

  function forget({ operation, id }: Request): void {
    if (operation === undefined || id === undefined) return
    const { template } = operation
    if (api.parts.has(template)) observed.forgetPart(template, id)
    else observed.forget(template.replace(/\/\{id\}$/, ''), id)
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers are JSON of every shape
  function learnRecords({ template, isList, shows = '' }: Operation, { id }: Request, body: any): void {
    const home = api.homes.get(shows)
    if (api.parts.has(template)) observed.learnPart(template, id!, body)
    else if (home !== undefined) observed.learn(home, body)
    else if (isList) observed.learn(template, body)
    // An action may answer a record of another kind: a test of a webhook makes a delivery.
    else if (body.id === undefined || id === undefined || body.id === id)
      observed.learn(template.replace(/\/\{id\}.*$/, ''), body)
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers are JSON of every shape
  function learnFiles(request: Request, answer: Answer, body: any): void {
    if (answer.status === 201) observed.keepFiles(jsonOf(request), body)
    for (const { id, data } of body.attachments ?? []) {
      const sent = observed.fileOf(id)
      if (data !== undefined && sent !== undefined && sent !== data)
        tally.addOf(request, answer, [`the data of ${id} are not what was sent`])
    }
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
    const [mark, version] = [server.eventMark(), await versionOf(request)]
    const answer = await alone.send(request)
    judge(request, answer)
    // A create that finds what it was to make writes nothing, either.
    const isRepeated = answer.status === 200 && request.operation?.answers.has(201) === true
    if (answer.status < 300 && !isRepeated && request.method !== 'GET' && request.method !== 'HEAD') return
    const after = await versionOf(request)
    const events = server.eventsSince(mark)
    // What is due by itself goes on meanwhile.
    if (events.some(({ actor_type }) => actor_type !== 'system'))
      tally.addOf(request, answer, [`${answer.status}, and yet there is an event`])
    if (after !== version && !events.some(({ object_id }) => object_id === request.id))
      tally.addOf(request, answer, [`${answer.status}, and yet the record has changed`])
  }

  /** Of the record that a request is about, and of the part of it: the ETag, or the status where there is none. */
  async function versionOf({ operation, id }: Request): Promise<string | undefined> {
    if (!operation || id === undefined) return undefined
    const record = operation.template.replace(/\{id\}.*$/, '{id}')
    const versions: string[] = []
    for (const path of api.parts.has(operation.template) ? [record, operation.template] : [record]) {
      const read = api.paths.get(path)?.find(({ method }) => method === 'GET')
      if (!read) continue
      const { status, headers } = await alone.send(ask(read, api.base + path.replace('{id}', id)))
      versions.push(headers.etag ?? String(status))
    }
    return versions.join()
  }

  /** All requests; tells every so often how many are done. */
  async function all(onProgress: (done: number) => void): Promise<void> {
    await lookAround()
    for (let start = 0; start < many && !tally.isFull() && server.isAlive(); start += ROUND) {
      const since = Date.now()
      const numbers = Array.from({ length: Math.min(ROUND, many - start) }, (_, index) => start + index)
      const together = numbers.filter((number) => number % ALONE_EVERY !== 0).values()
      await Promise.all(
        clients.map(async (client) => {
          for (const number of together) await fire(client, number)
        }),
      )
      for (const number of numbers) if (number % ALONE_EVERY === 0) await fireAlone(number)
      tally.addWhere('unsubscribe', await unsubscribe())
      tally.addWhere('state', talkFaults(server.db, since))
      if (start < many / 2 && start + ROUND >= many / 2) {
        server.changeSettings()
        memory.heap_halfway_mb = Math.round(await server.heapMb())
      }
      memory.resident_mb = Math.max(memory.resident_mb, Math.round(server.residentMb()))
      onProgress(start + numbers.length)
    }
    if (server.isAlive()) memory.heap_mb = Math.round(await server.heapMb())
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

  const lookBack = (): Promise<void> => lookingBack({ api, observed, tally, server, send: alone.send, ask, judge })

  function close(): void {
    for (const client of clients) client.close()
  }

  return { tally, memory, all, replay, lookBack, close }
}
