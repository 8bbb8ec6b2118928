import { type EventReader, eventReader } from '../../../../src/events/reading.ts'
import { eventFrame, namedFrame } from '../../../../src/site/live/frames.ts'
import type { Got, Sent } from '../../../../src/web/data/api.ts'
import type { OpenConnection } from '../../../../src/web/data/event-stream.ts'
import type { Screens } from '../../../support/screens.ts'
import type { TestServer } from '../../../support/server.ts'
import type { Random } from './dice.ts'
import { trace } from './trace.ts'

// The network of one browser, on which a random schedule decides what arrives, when, and whether at all. Requests go to the
// real server with the cookie that the browser has; the stream has its frames, written when the schedule says so.

/** Who is signed in in a browser. */
export type Session = { cookie: string; member: string }
export type Jar = { session: Session | undefined }

/** The sessions that the server has ended. */
export type Ended = Set<Session>

/** A request on its way: to the server, back, or given up by its sender and still on its way to the server. */
type Flight = {
  at: 'out' | 'back' | 'ghost'
  /** The page that waits for it. */
  of: object
  go: () => Promise<Got>
  got?: Got
  arrive(got: Got): void
  lose(): void
}

/** A stream that is open, or that nobody has told its end. */
type Line = {
  after: number
  member: string
  session: Session | undefined
  text(text: string): void
  status(status: number, isOwn: boolean): void
  end(): void
  isClosed: boolean
  hasGreeted: boolean
  /** What the server has said besides events. */
  notices: object[]
}

/** What pages of all browsers are told of each other's drafts. */
export type Listeners = Set<(member: string, notice: object) => void>

type Parts = { server: TestServer; screens: Screens; jar: Jar; ended: Ended; listeners: Listeners }

export function networkOf({ server, screens, jar, ended, listeners }: Parts) {
  const reader: EventReader = eventReader(server.store.db)
  const org = server.a.org
  let flights: Flight[] = []
  let lines: Line[] = []
  let isOffline = false
  listeners.add((member, notice) => {
    for (const line of lines) if (line.member === member && line.hasGreeted) line.notices.push(notice)
  })

  /** `run` runs what the page does with an answer, once it is awake. */
  const sender =
    (of: object, run: (job: () => void) => void) =>
    (sent: Sent): Promise<Got> =>
      new Promise((resolve, reject) => {
        const lose = () => run(() => reject(new Error('cut')))
        const { session } = jar
        if (isOffline) lose()
        else {
          const arrive = (got: Got) => {
            if (sent.path === '/app/logout' && got.status < 300) jar.session = undefined // its cookie
            run(() => resolve(got))
          }
          flights.push({ at: 'out', of, go: () => carry(of, sent, session), arrive, lose })
        }
      })

  async function carry(of: object, { method, path, headers, body }: Sent, session: Session | undefined): Promise<Got> {
    const cookie = session ? { cookie: session.cookie } : {}
    const got = await screens.send(method, path, body, { ...cookie, ...headers })
    trace('server', of, session?.member.slice(-4), method, path, body, got.status)
    if (session && path === '/app/logout' && got.status < 300) ended.add(session)
    const [, key] = /^\/app\/drafts\/(.*)/.exec(path) ?? []
    if (session && key && method !== 'GET' && got.status < 300)
      for (const each of listeners) each(session.member, { kind: 'draft', key, version: got.body?.version ?? 1 })
    return { status: got.status, headers: got.headers, text: got.text }
  }

  /** Moves one request a step, or loses it. */
  async function fly(dice: Random, loss: number): Promise<void> {
    const flight = dice.pick(flights)
    if (!flight) return
    if (flight.at === 'back') {
      leave(flight)
      const isLost = dice.chance(loss)
      trace(isLost ? 'answer lost' : 'answer', flight.of)
      if (isLost) flight.lose()
      else flight.arrive(flight.got as Got)
    } else if (flight.at === 'out' && dice.chance(loss)) {
      flight.lose()
      if (dice.chance(0.5)) leave(flight)
      else flight.at = 'ghost'
    } else {
      flight.got = await flight.go()
      if (flight.at === 'ghost') leave(flight)
      else flight.at = 'back'
    }
  }

  function leave(flight: Flight): void {
    flights = flights.filter((each) => each !== flight)
  }

  /** A page is gone: what it was doing is lost, or still on its way. */
  function forget(of: object, dice: Random): void {
    flights = flights.filter((each) => each.of !== of || (each.at === 'out' && dice.chance(0.5)) || each.at === 'ghost')
    for (const each of flights) if (each.of === of) each.at = 'ghost'
  }

  const connection =
    (member: string): OpenConnection =>
    (path, on) => {
      const after = Number(/after=(\d+)/.exec(path)?.[1])
      const { session } = jar
      const line: Line = { ...on, after, member, session, isClosed: false, hasGreeted: false, notices: [] }
      if (isOffline) setImmediate(() => line.isClosed || on.end())
      else lines.push(line)
      return {
        close() {
          line.isClosed = true
        },
      }
    }

  /** Brings some events. Now and then the server has forgotten them. */
  function stream(dice: Random, oblivion: number): void {
    lines = lines.filter(({ isClosed }) => !isClosed)
    for (const line of lines) {
      if (!line.hasGreeted) greet(line, dice.chance(oblivion))
      else if (line.session && ended.has(line.session)) line.text(namedFrame('notice', { kind: 'signed_out' }))
      else bring(line, dice)
    }
  }

  function greet(line: Line, isForgotten: boolean): void {
    const { session, member } = line
    line.hasGreeted = true
    const isOver = !session || ended.has(session)
    line.status(isOver ? 401 : session.member === member ? 200 : 409, true)
    if (isOver || session.member !== member) return
    const newest = reader.newest(org)
    const now = new Date(server.now()).toISOString()
    line.text(namedFrame('hello', { seq: newest, oldest_seq: 1, build: 'test', now, members: [] }))
    if (newest > line.after && isForgotten) line.text(namedFrame('reset', {}))
  }

  function bring(line: Line, dice: Random): void {
    const events = reader.after(org, line.after, 1 + dice.below(4))
    line.after = events.at(-1)?.seq ?? line.after
    const text = events.map(eventFrame).join('')
    const cut = dice.below(text.length)
    line.text(text.slice(0, cut))
    line.text(`${text.slice(cut)}:\n\n`)
    for (const notice of line.notices.splice(0)) line.text(namedFrame('notice', notice))
  }

  function cut(): void {
    for (const line of lines) if (!line.isClosed) line.end()
  }

  /** The computer slept: nothing more comes of what was open, and nobody says so. */
  function goSilent(dice: Random): void {
    for (const flight of flights) if (flight.at !== 'ghost') flight.lose()
    flights = flights.filter(({ at }) => at !== 'back' && dice.chance(0.5))
    for (const flight of flights) flight.at = 'ghost'
    lines = []
  }

  function offline(is: boolean): void {
    isOffline = is
    if (!is) return
    for (const flight of flights) flight.lose()
    flights = []
    cut()
  }

  return {
    sender,
    connection,
    fly,
    stream,
    cut,
    forget,
    goSilent,
    offline,
    isOffline: () => isOffline,
    isQuiet: () => flights.length === 0 && lines.every(({ isClosed, notices }) => isClosed || notices.length === 0),
    newest: () => reader.newest(org),
  }
}
