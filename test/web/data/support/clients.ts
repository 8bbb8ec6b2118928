import { request } from 'node:http'
import type { Got, Sent } from '../../../../src/web/data/api.ts'
import { dataClient } from '../../../../src/web/data/client.ts'
import type { LocalTexts } from '../../../../src/web/data/draft-store.ts'
import { draftsOf } from '../../../../src/web/data/drafts.ts'
import { eventStream, type OpenConnection } from '../../../../src/web/data/event-stream.ts'
import { BACKGROUND, ECHO, isOwn, MEMBER, newEcho } from '../../../../src/web/data/headers.ts'
import { listOf, type Query } from '../../../../src/web/data/pages.ts'
import { hubStream, streamHub, type Tab } from '../../../../src/web/data/stream-hub.ts'
import type { StreamHandlers } from '../../../../src/web/data/stream-types.ts'
import type { Kind } from '../../../../src/web/data/types.ts'
import { memoryStorage, type WriteStorage } from '../../../../src/web/data/write-storage.ts'
import { cookieAt, type Screens, type SignedIn } from '../../../support/screens.ts'
import { computer } from './time.ts'

/** The time of a page alone. */
export function testTimers(start?: number) {
  const { context, advance } = computer(start)
  return { timers: context().timers, advance }
}

/** What a test does to the network of a client. */
export type Network = {
  /** Before a request reaches the server, and before its answer reaches the client: by throwing it cuts the connection. */
  before?: ((sent: Sent) => void | Promise<void>) | undefined
  after?: ((sent: Sent, got: Got) => void | Promise<void>) | undefined
  /** Answers instead of the server. */
  instead?: ((sent: Sent) => Got | undefined) | undefined
  /** The streams that are open, to be cut, and whether new ones can be opened. */
  streams: Set<() => void>
  isCut: boolean
  /** How many streams were opened. */
  opened: number
  /** What the server answers to a stream waits for it. */
  held?: Promise<void> | undefined
}

type Person = Pick<SignedIn, 'id' | 'call' | 'cookie'>

let tabs = 0

type Given = {
  network?: Partial<Network>
  storage?: WriteStorage
  tab?: string
  maxIdle?: number
  livingTabs?: () => Promise<ReadonlySet<string>>
  localTexts?: LocalTexts
  isIdle?: () => boolean
  /** The stream comes by the worker that all pages share. */
  isShared?: boolean
  /** What the clock of the visitor shows. */
  clock?: number
}

/** The data of a page on which the member is signed in, with the real server at the other end. */
export function clientOf(screens: Pick<Screens, 'url'>, signedIn: Person, given: Given = {}) {
  const member = { ...signedIn }
  const network: Network = { streams: new Set(), isCut: false, opened: 0, ...given.network }
  const sent: Sent[] = []
  /** Requests that the server has answered, whether or not the answers have come. */
  const answered: Sent[] = []
  const time = testTimers(given.clock)
  const tab = given.tab ?? `tab${++tabs}`

  async function send(asked: Sent): Promise<Got> {
    sent.push(asked)
    if (network.isCut) throw new Error('no network')
    await network.before?.(asked)
    const instead = network.instead?.(asked)
    if (instead) return instead
    const { path, method, headers, body } = asked
    const { status, headers: given, text } = await member.call(method, path, body, headers)
    answered.push(asked)
    const got = { status, headers: given, text }
    await network.after?.(asked, got)
    return got
  }

  const { timers } = time
  const openConnection = connectionOf(screens.url, member, network)
  const own = (on: StreamHandlers) => eventStream({ openConnection, timers, random: () => 1 }, on)
  const shared = (on: StreamHandlers) => {
    const hub = streamHub({ stream: own, timers })
    const port: Tab = { send: (message) => stream.receive(message) }
    const stream = hubStream({ post: (message) => hub.receive(port, message), timers, onLost: () => undefined }, on)
    return stream
  }

  const client = dataClient({
    send,
    stream: given.isShared ? shared : own,
    timers,
    storage: given.storage ?? memoryStorage(),
    member: member.id,
    tab,
    ...(given.maxIdle === undefined ? {} : { maxIdle: given.maxIdle }),
    ...(given.livingTabs ? { livingTabs: given.livingTabs } : {}),
    ...(given.localTexts ? { localTexts: given.localTexts } : {}),
    ...(given.isIdle ? { isIdle: given.isIdle } : {}),
  })
  const list = (kind: Kind, query?: Query) => listOf(client, kind, query)
  return { ...client, ...time, network, sent, answered, tab, list, drafts: draftsOf(client), member, own: client }
}

/** Reads the stream over a connection of its own, as a browser does. */
function connectionOf(url: string, member: Person, network: Network): OpenConnection {
  const { id } = member
  return (path, on) => {
    const cookie = cookieAt(member.cookie, url)
    let isClosed = false
    const echo = newEcho()
    const headers = { cookie, accept: 'text/event-stream', [ECHO]: echo, [MEMBER]: id, [BACKGROUND]: '1' }
    const asked = request(`${url}${path}`, { agent: false, headers })
    const end = () => {
      if (isClosed) return
      isClosed = true
      network.streams.delete(cut)
      asked.destroy()
      on.end()
    }
    const cut = end
    network.streams.add(cut)
    network.opened++
    asked.on('error', end)
    asked.on('response', async (answer) => {
      await network.held
      on.status(answer.statusCode as number, isOwn(new Headers(answer.headers as Record<string, string>), echo))
      answer.setEncoding('utf8')
      answer.on('data', (text: string) => isClosed || on.text(text))
      answer.on('close', end)
    })
    if (network.isCut) setImmediate(end)
    else asked.end()
    return {
      close() {
        isClosed = true
        network.streams.delete(cut)
        asked.destroy()
      },
    }
  }
}
