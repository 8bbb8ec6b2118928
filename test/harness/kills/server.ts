import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { Place } from './place.ts'
import { kill, type Run } from './program.ts'

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
export type Body = any
export type Answer = { status: number; replayed: boolean; body: Body }
export type Server = Run & { agent: Agent; port: number; token: string; aheadMs: number }

/** Starts the server on the folder, up to the address that it prints. */
export async function startServer(place: Place, aheadMs = 0): Promise<Server> {
  const run = serving(place, aheadMs)
  const first = await Promise.race([once(run.child.stdout as NodeJS.ReadableStream, 'data'), run.ended])
  const port = Number(/api +http:\/\/127\.0\.0\.1:(\d+)/.exec(String(first))?.[1])
  assert.ok(port > 0, `The server does not start: see ${place.log}`)
  return { ...run, port, aheadMs, agent: new Agent({ keepAlive: true }), token: place.org.token }
}

/** Starts the server and kills it so much later, while it starts. */
export async function cutOffStart(place: Place, ms: number): Promise<void> {
  const run = serving(place, 0)
  await new Promise((wake) => setTimeout(wake, ms))
  await kill(run)
}

function serving({ program, dataDir, nightly, log }: Place, aheadMs: number): Run {
  const listen = ['--api-listen', '127.0.0.1:0', '--screens-listen', 'off', '--rate-limit', 'off']
  // What owners are told by mail is in no inbox.
  listen.push('--notify-mail', 'off')
  const more = ['--webhook-allow', '127.0.0.1', '--backup-at', '03:15', '--backup-dir', nightly]
  return program.serve(['--data', dataDir, ...listen, ...more], log, aheadMs)
}

/** Rejects when the server is gone before the whole answer is here: then nothing was acknowledged. */
export function call(
  { port, agent, token }: Server,
  method: string,
  path: string,
  body?: unknown,
  key?: string,
): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  }
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, agent, method, path: `/api/v1${path}`, headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('error', reject)
      response.on('aborted', () => reject(new Error('cut off')))
      response.on('end', () => {
        if (!response.complete) return
        resolve({
          status: response.statusCode ?? 0,
          replayed: response.headers['idempotency-replayed'] === 'true',
          body: JSON.parse(text),
        })
      })
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

export async function get(server: Server, path: string): Promise<Body> {
  const { status, body } = await call(server, 'GET', path)
  assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
  return body
}
