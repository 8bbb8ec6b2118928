import { gunzipSync } from 'node:zlib'
import { openRaw, type RawAnswer, type RawConnection, sendAll } from '../support/raw.ts'
import { type Answer, bytesOf, type Request } from './request.ts'

/** Younger than what test/support/raw.ts waits for at most. */
const CONNECTION_MS = 5000

export type Client = ReturnType<typeof newClient>

/** One keep-alive connection at a time; status 0 is no answer. */
export function newClient(url: string) {
  const { host } = new URL(url)
  const methods: string[] = []
  let connection: RawConnection | undefined
  let openedAt = 0

  async function send(request: Request): Promise<Answer> {
    const raw = await exchange(request).catch(() => undefined)
    if (!raw || raw.headers.connection === 'close') close()
    return raw ? textOf(raw) : { status: 0, headers: {}, body: '' }
  }

  async function exchange(request: Request): Promise<RawAnswer | undefined> {
    if (performance.now() - openedAt > CONNECTION_MS) close()
    if (!connection) {
      connection = await openRaw(url, methods)
      openedAt = performance.now()
    }
    const { answers, answered, write } = connection
    answers.length = 0 // one at a time: those before are not kept
    methods[0] = request.method
    write(bytesOf(request, host))
    const [raw] = await answered(1)
    return raw
  }

  function close(): void {
    connection?.socket.destroy()
    connection = undefined
  }

  return { send, close }
}

/** The answers to bytes that need not be a request, on a connection of their own. */
export async function sendBytes(url: string, bytes: Buffer, most: number): Promise<Answer[]> {
  const answers = await sendAll(url, bytes, most, { halfClose: true }).catch(() => [])
  return answers.map(textOf)
}

const textOf = ({ status, headers, bytes }: RawAnswer): Answer => ({
  status,
  headers,
  body: headers['content-encoding'] === 'gzip' && bytes.length > 0 ? gunzipSync(bytes).toString() : bytes.toString(),
})
