import { eventReader } from '../../../../src/events/reading.ts'
import { eventFrame, namedFrame } from '../../../../src/screens/live/frames.ts'
import type { Got, Sent } from '../../../../src/web/data/api.ts'
import { type Client, dataClient } from '../../../../src/web/data/client.ts'
import { eventStream, type OpenConnection } from '../../../../src/web/data/event-stream.ts'
import { memoryStorage } from '../../../../src/web/data/write-storage.ts'
import type { SignedIn } from '../../../support/screens.ts'
import type { TestServer } from '../../../support/server.ts'
import { testTimers } from './clients.ts'

// A network on which a random schedule decides what arrives, when, and whether at all. Requests go to the real server; the
// stream has its frames, written when the schedule says so.

export type Random = {
  below(max: number): number
  pick<Item>(items: readonly Item[]): Item
  chance(part: number): boolean
}

/** The same numbers for the same seed. */
export function random(seed: number): Random {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (max: number): number => Math.floor(next() * max)
  return { below, pick: (items) => items[below(items.length)] as never, chance: (part) => next() < part }
}

/** A request on its way: to the server, back, or given up by its sender and still on its way to the server. */
type Flight = {
  at: 'out' | 'back' | 'ghost'
  go: () => Promise<Got>
  got?: Got
  resolve(got: Got): void
  reject(): void
}
type Line = { after: number; text(text: string): void; end(): void; isClosed: boolean; hasGreeted: boolean }

export type Seat = ReturnType<typeof seatOf>

let tabs = 0

/** The browser of a member: its pages come and go, its storage stays. */
export function seatOf(server: TestServer, member: SignedIn) {
  const storage = memoryStorage()
  const reader = eventReader(server.store.db)
  const org = server.a.org
  let flights: Flight[] = []
  let lines: Line[] = []
  let page = open()

  function open(): { client: Client; advance: (ms: number) => void } {
    const { timers, advance } = testTimers()
    const openConnection: OpenConnection = (path, on) => {
      const after = Number(/after=(\d+)/.exec(path)?.[1])
      const line: Line = { after, text: on.text, end: on.end, isClosed: false, hasGreeted: false }
      lines.push(line)
      return {
        close() {
          line.isClosed = true
        },
      }
    }
    const client = dataClient({
      send,
      stream: (on) => eventStream({ openConnection, timers, random: () => 1 }, on),
      timers,
      storage,
      member: member.id,
      tab: `seat${++tabs}`,
    })
    return { client, advance }
  }

  function send({ method, path, headers, body }: Sent): Promise<Got> {
    return new Promise((resolve, reject) => {
      flights.push({
        at: 'out',
        go: () => member.call(method, path, body, headers),
        resolve,
        reject: () => reject(new Error('cut')),
      })
    })
  }

  /** Moves one request a step, or loses it. */
  async function fly(dice: Random, loss: number): Promise<void> {
    const flight = dice.pick(flights)
    if (!flight) return
    const leave = () => {
      flights = flights.filter((each) => each !== flight)
    }
    if (flight.at === 'back') {
      leave()
      if (dice.chance(loss)) flight.reject()
      else flight.resolve(flight.got as Got)
    } else if (flight.at === 'out' && dice.chance(loss)) {
      flight.reject()
      if (dice.chance(0.5)) leave()
      else flight.at = 'ghost'
    } else {
      flight.got = await flight.go()
      if (flight.at === 'ghost') leave()
      else flight.at = 'back'
    }
  }

  /** Brings some events. Now and then the server has forgotten them. */
  function stream(dice: Random, oblivion: number): void {
    lines = lines.filter(({ isClosed }) => !isClosed)
    for (const line of lines) {
      if (!line.hasGreeted) {
        line.hasGreeted = true
        const newest = reader.newest(org)
        const hello = { seq: newest, oldest_seq: 1, build: 'test', members: [] }
        line.text(namedFrame('hello', hello))
        if (newest > line.after && dice.chance(oblivion)) line.text(namedFrame('reset', {}))
        continue
      }
      const events = reader.after(org, line.after, 1 + dice.below(4))
      line.after = events.at(-1)?.seq ?? line.after
      const text = events.map(eventFrame).join('')
      const cut = dice.below(text.length)
      line.text(text.slice(0, cut))
      line.text(`${text.slice(cut)}:\n\n`)
    }
  }

  function cut(): void {
    for (const line of lines) if (!line.isClosed) line.end()
  }

  /** The page is loaded anew; what it was doing is lost or still on its way. */
  function reload(dice: Random): void {
    page.client.stop()
    flights = flights.filter(({ at }) => at !== 'back' && dice.chance(0.5))
    for (const flight of flights) flight.at = 'ghost'
    page = open()
    page.client.start(reader.newest(org))
  }

  page.client.start(reader.newest(org))
  return {
    member,
    storage,
    client: () => page.client,
    advance: (ms: number) => page.advance(ms),
    fly,
    stream,
    cut,
    reload,
    isQuiet: () => flights.length === 0,
    isCurrent: () => page.client.seq() === reader.newest(org),
  }
}

/** Lets everything run that waits for nothing from outside. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
