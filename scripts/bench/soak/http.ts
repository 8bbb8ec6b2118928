import { Agent, request } from 'node:http'

export type Answer = { status: number; text: string; cookie: string | undefined }
export type Send = (method: string, url: string, headers: Record<string, string>, body?: unknown) => Promise<Answer>

const TIMEOUT_MS = 30_000

/** Sends over connections that stay open, as those of a program. Rejects with the code of the connection's end. */
export function sender(): { send: Send; stop: () => void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 24, maxFreeSockets: 8 })
  const send: Send = (method, url, given, body) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? '' : JSON.stringify(body)
      const headers = {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        'content-length': Buffer.byteLength(text),
        ...given,
      }
      const req = request(url, { method, agent, headers }, (res) => {
        let answer = ''
        res.setEncoding('utf8').on('data', (chunk) => {
          answer += chunk
        })
        res.once('error', reject)
        res.once('end', () => {
          const cookie = res.headers['set-cookie']?.[0]?.split(';')[0]
          resolve({ status: res.statusCode ?? 0, text: answer, cookie })
        })
      })
      req.setTimeout(TIMEOUT_MS, () => req.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })))
      req.once('error', (error: NodeJS.ErrnoException) => {
        // The server closed an idle connection at the moment this request was sent.
        if (req.reusedSocket && error.code === 'ECONNRESET') send(method, url, given, body).then(resolve, reject)
        else reject(error)
      })
      req.end(text)
    })
  return { send, stop: () => agent.destroy() }
}
