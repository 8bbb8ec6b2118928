import { type Client, dataClient } from '../../../../src/web/data/client.ts'
import { draftsOf } from '../../../../src/web/data/drafts.ts'
import { eventStream } from '../../../../src/web/data/event-stream.ts'
import { lastingStream } from '../../../../src/web/data/lasting-stream.ts'
import { leaveNothing, leaving } from '../../../../src/web/data/leaving.ts'
import { type FromHub, hubStream, type Tab as Port, streamHub } from '../../../../src/web/data/stream-hub.ts'
import type { SignedIn as Boot } from '../../../../src/web/data/types.ts'
import { memoryStorage, type WriteStorage } from '../../../../src/web/data/write-storage.ts'
import type { Screens } from '../../../support/screens.ts'
import type { TestServer } from '../../../support/server.ts'
import type { Random } from './dice.ts'
import { type Ended, type Jar, type Listeners, networkOf } from './network.ts'
import { type Context, computer, START } from './time.ts'
import { trace } from './trace.ts'

// Browsers with tabs, as src/web/data/browser.ts puts them together: of the pages and workers the real data, of the browser
// a model: its clock, what it keeps, who is signed in, which tabs sleep, and what they say to each other.

export type Browser = ReturnType<typeof browserOf>
export type Page = {
  client: Client
  drafts: ReturnType<typeof draftsOf>
  member: string
  /** It is read by somebody, and has not been left. */
  isOver: boolean
}

type World = { server: TestServer; screens: Screens; ended: Ended; listeners: Listeners }
type Worker = { hub: ReturnType<typeof streamHub>; context: Context; pages: Set<object>; ports: Set<Port> }

let names = 0

export function browserOf(world: World, dice: Random, tabCount: number) {
  const { server, screens } = world
  const machine = computer(START + (dice.below(9) - 4) * 3_600_000)
  const jar: Jar = { session: undefined }
  const network = networkOf({ ...world, jar })
  const disk = memoryStorage()
  const texts = new Map<string, string>()
  let isFull = false
  const all: Page[] = []
  const workers = new Map<string, Worker>()
  /** One more than people use, for what has to be looked at in the end. */
  const tabs = Array.from({ length: tabCount + 1 }, tabOf)

  const storage: WriteStorage = { ...disk, put: async (write) => !isFull && disk.put(write) }
  const localTexts = {
    get: (key: string) => texts.get(key) ?? null,
    set: (key: string, text: string) => !isFull && texts.set(key, text) === texts,
    remove: (key: string) => void texts.delete(key),
    names: (part: string) => [...texts.keys()].filter((name) => name.includes(part)),
  }

  function forget(member: string): void {
    for (const name of [...texts.keys()]) if (name.includes(member)) texts.delete(name)
  }

  /** The worker all pages of a member share. */
  function workerOf(member: string): Worker {
    const context = machine.context()
    const { timers } = context
    const openConnection = network.connection(member)
    const hub = streamHub({ stream: (on) => eventStream({ openConnection, timers, random: () => 1 }, on), timers })
    return { hub, context, pages: new Set(), ports: new Set() }
  }

  /** A worker ends with the last of its pages. */
  function leaveWorker(member: string, page: object): void {
    const worker = workers.get(member)
    worker?.pages.delete(page)
    if (worker?.pages.size !== 0) return
    worker.context.end()
    for (const port of worker.ports) worker.hub.receive(port, { type: 'close' })
    workers.delete(member)
  }

  function tabOf() {
    let context: Context | undefined
    let page: Page | undefined
    /** What comes while the tab is frozen waits. */
    let held: (() => void)[] = []

    function open(): void {
      const { session } = jar
      if (page) leave('reload')
      if (!session || world.ended.has(session) || network.isOffline()) return
      const { member } = session
      const of = { page: ++names }
      trace('open', of, member.slice(-4))
      const mine = machine.context()
      const { timers } = mine
      const run = (job: () => void): void => {
        if (page?.client !== client) return
        if (mine.isFrozen()) held.push(job)
        else queueMicrotask(() => page?.client === client && job())
      }
      const worker = workers.get(member) ?? workerOf(member)
      workers.set(member, worker)
      worker.pages.add(of)
      const client = dataClient({
        send: network.sender(of, run),
        stream: (on) =>
          lastingStream(
            on,
            (on, failed) => {
              const post = (message: object) =>
                queueMicrotask(() => worker.hub.receive(port, structuredClone(message) as never))
              const stream = hubStream({ post, timers, onLost: failed }, on)
              const port = { send: (message: FromHub) => run(() => stream.receive(structuredClone(message))) }
              worker.ports.add(port)
              return stream
            },
            timers,
          ),
        timers,
        storage,
        localTexts,
        member,
        tab: `tab${of.page}`,
        livingTabs: () =>
          new Promise((resolve) => {
            const living = new Set(tabs.filter(({ isAwake }) => isAwake()).map(({ name }) => name() as string))
            timers.after(300, () => resolve(living))
          }),
      })
      timers.hear(new Date(server.now()).toISOString())
      context = mine
      page = { client, drafts: draftsOf(client), member, isOver: false }
      all.push(page)
      ends = (how) => {
        mine.end()
        network.forget(of, dice)
        if (how !== 'crash') for (const each of tabs) each.hear(() => void each.page()?.client.adoptWrites())
        leaveWorker(member, of)
      }
      client.start(network.newest())
    }
    let ends: (how: 'reload' | 'crash') => void = () => undefined

    /** The page goes, with a word to the others or, as it crashes, without. */
    function leave(how: 'reload' | 'crash'): void {
      if (!page) return
      page.isOver = true
      trace(how, page.client.tab)
      const { client } = page
      if (how !== 'crash') client.stop()
      page = undefined
      context = undefined
      held = []
      ends(how)
    }

    /** What another tab says to all. */
    function hear(job: () => void): void {
      if (context?.isFrozen()) held.push(job)
      else queueMicrotask(job)
    }

    function thaw(): void {
      trace('thaw', page?.client.tab)
      context?.thaw()
      for (const job of held.splice(0)) job()
    }

    /** Resolves with whether the member has gone. `agrees` says of what is left whether it may be lost. */
    async function signOut(agrees: (left: readonly string[]) => boolean): Promise<boolean> {
      const here = page as Page
      trace('sign out', here.client.tab)
      const hasLeft = await leaving({
        here: here.client,
        wordsOf: { write: ({ key }) => key, draft: (body) => JSON.stringify(body) },
        confirmed: async (left) => agrees(left),
        forget,
        sayLeft: (member) => {
          for (const each of tabs) if (each.page() !== here) each.hear(() => each.leaveAs(member))
        },
      })
      trace(hasLeft ? 'signed out' : 'stays', here.client.tab)
      if (hasLeft && page === here) leave('reload')
      return hasLeft
    }

    /** The member has gone. The browser asks before it leaves what it could not keep: then the page stays. */
    function leaveAs(member: string): void {
      if (page?.member !== member || page.client.isLoose()) return
      void leaveNothing(page.client, forget)
      leave('reload')
    }

    const signInAgain = async (): Promise<void> => {
      const { client } = page as Page
      await client.api.get<Boot>('/app/boot').catch(() => undefined)
      client.signedIn()
    }

    return {
      open,
      leave,
      leaveAs,
      hear,
      signOut,
      signInAgain,
      freeze() {
        trace('freeze', page?.client.tab)
        context?.freeze()
      },
      thaw,
      isAwake: () => context !== undefined && !context.isFrozen(),
      page: () => page,
      name: () => page?.client.tab,
    }
  }

  return {
    tabs,
    people: tabs.slice(0, tabCount),
    spare: tabs[tabCount] as (typeof tabs)[number],
    openPages: (member: string) => tabs.flatMap((tab) => tab.page() ?? []).filter((page) => page.member === member),
    /** All of a member that were ever open here: what they have left may still wait. */
    pagesOf: (member: string) => all.filter((page) => page.member === member),
    /** Somebody has asked to sign out, and has no answer yet. */
    isLeaving: false,
    /** What went wrong while a schedule ran. */
    faults: [] as Error[],
    network,
    disk,
    texts,
    advance: machine.advance,
    setClockBy: machine.setBy,
    /** The lid is closed for so long; then people look at one of the tabs. */
    sleep(dice: Random, ms: number): void {
      trace('sleep', ms)
      network.goSilent(dice)
      machine.sleep(ms)
      machine.advance(0)
      for (const tab of tabs) if (dice.chance(0.5)) tab.page()?.client.wake(dice.chance(0.5))
    },
    /** What the server says to a member, however things stand here. */
    ask: async (member: string, path: string) =>
      (await (await screens.signedIn({ id: member })).call('GET', path)).body,
    fill: (is: boolean) => {
      trace(is ? 'full' : 'room')
      isFull = is
    },
    isFull: () => isFull,
    isSignedIn: () => jar.session !== undefined && !world.ended.has(jar.session),
    /** By another page, or by a link. */
    async signIn(member: string): Promise<void> {
      trace('signs in', member.slice(-4))
      const { cookie } = await screens.signedIn({ id: member })
      jar.session = { cookie, member }
    },
    /** The server ends the session, as after a long time without use; the cookie stays. */
    async endSession(): Promise<void> {
      const { session } = jar
      if (!session || world.ended.has(session)) return
      await screens.send('POST', '/app/logout', {}, { cookie: session.cookie })
      world.ended.add(session)
    },
  }
}

/** Lets everything run that waits for nothing from outside. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
