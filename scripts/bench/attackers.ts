// The attackers of attack.ts, in a separate process to which the parent gives a lower priority. All traffic goes to
// 127.0.0.1, from addresses of 127.0.0.0/8. Exits after the given seconds, or with its parent.
import { connect, type Socket } from 'node:net'

export type Target = { host: string; port: number }
export type Orders = {
  api: Target
  screens: Target
  seconds: number
  attacks: Attack[]
  /** Valid tokens of the attackers; pollers share all of them, and all others use the first. */
  tokens: string[]
  /** The number of the newest event: pollers wait for later ones. */
  lastSeq: number
}
export type Attack = keyof typeof ATTACKS
/** The result of an attack: connections opened, answers by status. */
export type Tally = { opened: number; failed: number; open: number; sentMb: number; answers: Record<string, number> }
export type Tallies = Partial<Record<Attack, Tally>>

type Run = { orders: Orders; tally: Tally; sockets: Set<Socket> }

/** Each attack, with its number of connections and their behaviour. */
export const ATTACKS = {
  /** Endless requests without a token, whose answers are not read. */
  pipelined: (run: Run) => {
    for (const target of [run.orders.api, run.orders.screens]) keepOpen(run, 5, target, neverRead(PIPELINED), 100)
  },
  /** Bodies of a million chunks of one byte, which do not end. */
  chunked: (run: Run) => {
    keepOpen(run, 24, run.orders.api, oneByteChunks, 100)
  },
  /** 300 connections that request large pages and read nothing. */
  slow: (run: Run) => {
    const list = ask(run, '/deals?limit=100')
    const document = Buffer.from('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20))
    keepOpen(run, 150, run.orders.api, once(Buffer.from(list.repeat(20))), 1000)
    keepOpen(run, 150, run.orders.screens, once(document), 1000)
  },
  /** 5,000 connections: half of them never send anything, half are idle after one request. */
  idle: (run: Run) => {
    keepOpen(run, 2500, run.orders.api, (socket) => countAnswers(socket, run.tally), 2000)
    keepOpen(
      run,
      2500,
      run.orders.api,
      (socket) => {
        countAnswers(socket, run.tally)
        socket.once('connect', () => socket.write('GET /x HTTP/1.1\r\nHost: x\r\n\r\n'))
      },
      2000,
    )
  },
  /** 4,000 connections that wait for events, and poll again after each answer. */
  pollers: (run: Run) => {
    keepOpen(run, 4000, run.orders.api, pollForEvents, 2000)
  },
  /** Up to 10,000 tokens a second, all different, of an existing key, with a wrong signature. */
  tokens: (run: Run) => {
    keepOpen(run, TOKEN_CONNECTIONS, run.orders.api, wrongTokens, 100)
  },
}

const BLOCK_BYTES = 65_536
const GET = 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n'
const PIPELINED = Buffer.from(GET.repeat(Math.ceil(BLOCK_BYTES / GET.length)))
const ONE_BYTE = '1\r\na\r\n'
const CHUNKS = Buffer.from(ONE_BYTE.repeat(10_000))
const CHUNKED_BLOCKS = 100
const TOKEN_CONNECTIONS = 16
const TOKENS_PER_S = 10_000
const OPENED_AT_ONCE = 100
const OPENING_EVERY_MS = 25

/** Keeps `count` connections open: a closed one is opened again after the pause. */
function keepOpen(
  run: Run,
  count: number,
  target: Target,
  behave: (socket: Socket, run: Run, n: number) => void,
  pauseMs: number,
): void {
  let next = 0
  const opening = setInterval(() => {
    for (let n = 0; n < OPENED_AT_ONCE && next < count; n++) open(next++)
    if (next === count) clearInterval(opening)
  }, OPENING_EVERY_MS)

  function open(n: number): void {
    const { tally } = run
    const socket = connect({ ...target, localAddress: `127.0.${1 + (n % 16)}.1`, noDelay: true })
    let isOpen = false
    run.sockets.add(socket)
    socket.on('connect', () => {
      isOpen = true
      tally.opened++
      tally.open++
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      run.sockets.delete(socket)
      tally.sentMb += sentMb(socket)
      if (isOpen) tally.open--
      else tally.failed++
      setTimeout(open, pauseMs, n)
    })
    behave(socket, run, n)
  }
}

/** Writes the same block again and again, as fast as the server reads it. */
const neverRead = (block: Buffer) => (socket: Socket) => {
  const more = (): void => {
    while (socket.writable && socket.write(block));
  }
  socket.on('connect', more).on('drain', more)
}

const once = (bytes: Buffer) => (socket: Socket) => {
  socket.once('connect', () => socket.write(bytes))
}

function oneByteChunks(socket: Socket, { orders: { tokens }, tally }: Run): void {
  let left = CHUNKED_BLOCKS
  const more = (): void => {
    while (socket.writable && left-- > 0 && socket.write(CHUNKS));
  }
  socket.once('connect', () => {
    const head = `POST /api/v1/deals HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tokens[0]}\r\n`
    socket.write(`${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`)
    more()
  })
  socket.on('drain', more)
  eachAnswer(socket, (status) => {
    count(tally, status)
    socket.destroy()
  })
}

function pollForEvents(socket: Socket, run: Run, n: number): void {
  const token = run.orders.tokens[n % run.orders.tokens.length] as string
  let after = String(run.orders.lastSeq)
  const poll = (): boolean =>
    socket.writable && socket.write(ask(run, `/webhooks/events?wait=60&after_seq=${after}`, token))
  socket.once('connect', poll)
  eachAnswer(socket, (status, body) => {
    count(run.tally, status)
    after = /"last_seq":(\d+)/.exec(body)?.[1] ?? after
    if (status === '200') poll()
    else setTimeout(poll, 1000)
  })
}

function wrongTokens(socket: Socket, { orders: { tokens }, tally }: Run): void {
  const [, , claims = '', footer] = (tokens[0] as string).split('.')
  const prefix = claims.slice(0, -24) // only the signature is changed; its last characters stay, to remain valid base64
  const perTick = TOKENS_PER_S / TOKEN_CONNECTIONS / 100
  let owed = 0
  const timer = setInterval(() => {
    owed += perTick
    if (socket.writableNeedDrain || !socket.writable) return
    let requests = ''
    for (; owed >= 1; owed--)
      requests += `GET /api/v1/deals HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer v4.public.${prefix}${random16()}${claims.slice(-8)}.${footer}\r\n\r\n`
    owed = Math.min(owed, perTick)
    socket.write(requests)
  }, 10)
  socket.on('close', () => clearInterval(timer))
  countAnswers(socket, tally)
}

const sentMb = (socket: Socket): number => (socket.bytesWritten - socket.writableLength) / 1_048_576

const random16 = (): string =>
  Math.floor(Math.random() * 36 ** 8)
    .toString(36)
    .padStart(8, '0') +
  Math.floor(Math.random() * 36 ** 8)
    .toString(36)
    .padStart(8, '0')

function ask({ orders }: Run, path: string, token = orders.tokens[0]): string {
  return `GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
}

const countAnswers = (socket: Socket, tally: Tally): void => eachAnswer(socket, (status) => count(tally, status))

function count({ answers }: Tally, status: string): void {
  answers[status] = (answers[status] ?? 0) + 1
}

/** Calls back with each complete answer. */
function eachAnswer(socket: Socket, found: (status: string, body: string) => void): void {
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk
    for (;;) {
      const end = text.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = text.slice(0, end)
      const length = Number(/\r\nContent-Length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (text.length < end + 4 + length) return
      const body = text.slice(end + 4, end + 4 + length)
      text = text.slice(end + 4 + length)
      found(head.slice(9, 12), body)
    }
  })
}

function attack(orders: Orders): void {
  const tallies: Tallies = {}
  const runs: Run[] = []
  for (const name of orders.attacks) {
    const tally: Tally = { opened: 0, failed: 0, open: 0, sentMb: 0, answers: {} }
    const run: Run = { orders, tally, sockets: new Set() }
    runs.push(run)
    ATTACKS[name](run)
  }
  setInterval(() => {
    for (const [index, { tally, sockets }] of runs.entries()) {
      const open = [...sockets].reduce((sum, socket) => sum + sentMb(socket), 0)
      tallies[orders.attacks[index] as Attack] = { ...tally, sentMb: tally.sentMb + open }
    }
    process.send?.(tallies)
  }, 500)
  setTimeout(() => process.exit(), orders.seconds * 1000)
}

if (import.meta.main) {
  process.once('message', (orders) => attack(orders as Orders))
  process.once('disconnect', () => process.exit())
}
