import type { Context } from 'koa'
import type { Access } from '../../auth/access.ts'
import { clientOf } from '../../auth/client.ts'
import { requestId } from '../../http/answer.ts'
import { badQuery, readQuery } from '../../http/query.ts'
import { Problem } from '../../lib/problem.ts'
import { rfc3339 } from '../../lib/time.ts'
import { orgCount } from '../../store/orgs/orgs.ts'
import type { Handler } from '../handler.ts'
import { namedFrame } from './frames.ts'
import type { LiveParts } from './live.ts'
import { presentFor } from './presence.ts'
import { openStream } from './stream.ts'

const MAX_PER_MEMBER = 20
const MAX_STREAMS = 1000
const ALL = 'Your organisation has as many open pages as it can, so that others find room. Close some of them.'

/** GET /app/stream: the events of the organisation from a seq on, and notices. It stays open. */
export function streamHandler({ store, hub, presence, web, stopping, log }: LiveParts): Handler {
  const { reader } = hub
  const count = orgCount(store.db)

  function checkRoom({ who }: Access): void {
    if (stopping.aborted)
      throw new Problem(503, 'stopping', 'The server is shutting down. Try again in a moment.', retryIn(5))
    if (hub.count() >= MAX_STREAMS)
      throw new Problem(503, 'too_many_streams', 'The server has as many open pages as it can serve.', retryIn(30))
    const ours = [...hub.of(who.org)]
    if (ours.filter(({ member }) => member === who.member).length >= MAX_PER_MEMBER)
      throw new Problem(429, 'too_many_streams', 'You have too many open pages. Close some of them.', retryIn(30))
    if (ours.length >= shareBeside(hub.count() - ours.length))
      throw new Problem(503, 'too_many_streams', ALL, retryIn(30))
  }

  /** The most streams of one organisation: half of what the others leave, so that a newcomer always finds room. */
  const shareBeside = (others: number): number =>
    count() === 'one' ? MAX_STREAMS : Math.floor((MAX_STREAMS - others) / 2)

  function answer(ctx: Context, access: Access): void {
    const { who, token: session, role, scopeKey } = access
    const { req, res } = ctx
    const newest = reader.newest(who.org)
    const oldest = reader.oldest(who.org)
    const after = readAfter(ctx) ?? newest
    checkRoom(access)
    const started = performance.now()
    const id = requestId(req)
    const { address } = clientOf(req)
    ctx.respond = false // the stream bypasses Koa
    res.shouldKeepAlive = false // a server that stops would wait for the connection
    res.writeHead(200, STREAM_HEADERS)
    const member = who.member as string
    const stream = openStream({ who, member, session, role, scopeKey, after, res })
    res.once('close', () => {
      const ms = Math.round(performance.now() - started)
      log.info({ id, address, method: 'GET', route: ctx.path, status: 200, ms, org: who.org }, 'request')
    })
    // A client that has gone and one that only closed its sending side look the same.
    req.socket.once('end', () => stream.end())
    const online = new Set([...hub.of(who.org)].map((each) => each.member)).add(member)
    const now = rfc3339(store.clock.now())
    const hello = { seq: newest, oldest_seq: oldest, build: web.build, now, members: [...online] }
    stream.send(namedFrame('hello', hello))
    if (after > newest || after < oldest - 1) stream.end(namedFrame('reset', {}))
    else {
      stream.send(namedFrame('notice', { kind: 'presence', present: presentFor(presence.of(who.org), who) }))
      hub.add(stream)
    }
  }

  return { method: 'GET', path: '/app/stream', role: 'viewer', answer }
}

/** The second one tells proxies not to collect the events until there are enough of them. */
const STREAM_HEADERS = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' }

const retryIn = (seconds: number) => ({ headers: { 'Retry-After': String(seconds) } })

/** The seq to continue from: of the browser's own header if it reconnects, else of the query. Throws Problem 400. */
function readAfter({ req, querystring }: Context): number | undefined {
  const query = readQuery(querystring)
  const unknown = [...query.keys()].find((name) => name !== 'after')
  if (unknown !== undefined) throw badQuery(`There is no parameter "${unknown}" here. The allowed parameter is: after.`)
  const given = req.headers['last-event-id'] ?? query.get('after')
  if (given === undefined) return undefined
  if (/^\d{1,15}$/.test(String(given))) return Number(given)
  throw badQuery('The parameter "after" must be the seq of an event.')
}
