import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { WAIT_MS } from './until.ts'

export type RawAnswer = {
  status: number
  /** By name in lower case; repeated headers are joined by a comma. */
  headers: Record<string, string>
  body: string
  bytes: Buffer
}

export type RawOptions = {
  /** The methods of the requests, in order: a response to HEAD has no body whatever its headers say. */
  methods?: string[]
  /** Closes the sending side after the last byte, as `nc -N` does. */
  halfClose?: boolean
  /** Resolves when the server closes, not when the first response has arrived. */
  untilClose?: boolean
}

export type RawConnection = Awaited<ReturnType<typeof openRaw>>

/** Sends bytes unchanged and returns the first final response, with whatever came before it (100 Continue). */
export async function sendRaw(url: string, bytes: string | Buffer, options: RawOptions = {}): Promise<RawAnswer> {
  const [answer] = await sendAll(url, bytes, 1, options)
  if (!answer) throw new Error('the connection was closed without an answer')
  return answer
}

/** Sends bytes unchanged and returns the responses, at most `most`, or all until the connection ends. */
export async function sendAll(
  url: string,
  bytes: string | Buffer,
  most: number,
  { methods = [], halfClose = false, untilClose = false }: RawOptions = {},
): Promise<RawAnswer[]> {
  const connection = await openRaw(url, methods)
  try {
    connection.write(bytes)
    if (halfClose) connection.socket.end()
    if (untilClose) await connection.closed
    else await connection.answered(most)
    return connection.answers
  } finally {
    connection.socket.destroy()
  }
}

/**
 * Opens a TCP connection that parses HTTP responses as they arrive. Strings are sent as Latin-1: one byte per
 * character.
 */
export async function openRaw(url: string, methods: string[] = []) {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const answers: RawAnswer[] = []
  const continued = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  let received = Buffer.alloc(0)
  let isContinued = false
  let isClosed = false
  let wake = (): void => undefined

  function take(): boolean {
    const read = readAnswer(received, methods[answers.length])
    if (!read) return false
    received = received.subarray(read.length)
    if (read.answer.status === 100) {
      isContinued = true
      continued.resolve()
    } else answers.push(read.answer)
    return true
  }
  function end(): void {
    isClosed = true
    closed.resolve()
    wake()
  }
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    while (take());
    wake()
  })
  socket.on('error', () => undefined) // a reset shows as an end without a response
  socket.on('end', end)
  socket.on('close', end)
  await once(socket, 'connect')
  const patience = setTimeout(() => socket.destroy(), WAIT_MS)
  socket.on('close', () => clearTimeout(patience))

  /** Resolves when that many responses have arrived or the server has closed. */
  async function answered(many: number): Promise<RawAnswer[]> {
    while (answers.length < many && !isClosed)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    return answers
  }

  return {
    socket,
    answers,
    answered,
    /** Resolves on 100 Continue. */
    continued: continued.promise,
    isContinued: () => isContinued,
    /** Resolves when the server has ended its side. */
    closed: closed.promise,
    write: (bytes: string | Buffer) => socket.write(bytes as string, 'latin1'),
  }
}

function readAnswer(bytes: Buffer, method: string | undefined): { answer: RawAnswer; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  }
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
  if (!status) throw new Error(`no status line: ${statusLine}`)
  const hasBody = status !== 100 && status !== 204 && status !== 304 && method !== 'HEAD'
  const length = end + 4 + (hasBody ? Number(headers['content-length']) : 0)
  if (bytes.length < length) return undefined
  const body = bytes.subarray(end + 4, length)
  return { answer: { status, headers, body: body.toString(), bytes: body }, length }
}
