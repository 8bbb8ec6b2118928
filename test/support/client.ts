import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { gunzipSync } from 'node:zlib'

export type Sent = { method: string; headers: Record<string, string>; body: string | Uint8Array | undefined }
export type Got = { status: number; headers: Headers; text: string; bytes: Buffer }

/** Sends HTTP requests like fetch, over persistent connections, in a third of the time. */
export function httpClient() {
  const agent = new Agent({ keepAlive: true })

  async function send(url: string, { method, headers, body }: Sent): Promise<Got> {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const asked = request(new URL(url), { method, agent, headers: { ...length, ...headers } })
    asked.on('error', () => undefined) // of a body that is still being sent when its answer has come
    asked.end(body)
    let answer: IncomingMessage
    try {
      ;[answer] = (await once(asked, 'response')) as [IncomingMessage]
    } catch (error) {
      // The server closed an idle connection at the moment this request was sent.
      const isStale = asked.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET'
      if (isStale) return send(url, { method, headers, body })
      throw error
    }
    const bytes = Buffer.concat(await answer.toArray())
    const given = new Headers()
    for (let at = 0; at < answer.rawHeaders.length; at += 2)
      given.append(answer.rawHeaders[at] as string, answer.rawHeaders[at + 1] as string)
    const plain = given.get('content-encoding') === 'gzip' ? gunzipSync(bytes) : bytes
    return { status: answer.statusCode as number, headers: given, text: plain.toString(), bytes: plain }
  }

  return { send, stop: () => agent.destroy() }
}
