import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An answer in place of the server's. */
export type Instead = { status: number; headers?: Record<string, string>; body?: string }

/**
 * What becomes of a request: it passes, something else answers it, or it is done by the server and something else answers
 * all the same.
 */
export type Rule = (method: string, path: string, body: string) => Instead | { afterAll: Instead } | undefined

const HTML = { 'content-type': 'text/html' }
const html = (status: number, text: string): Instead => ({ status, headers: HTML, body: `<html>${text}</html>` })

/** What stands in front of servers, and how it answers for them. */
export const INSTEAD = {
  /** An ingress while the container is made anew. */
  noRoute: {
    status: 404,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: '404 page not found\n',
  },
  /** A gate whose session has ended: with the ids that a proxy echoes, in JSON, as a redirect, as a page. */
  gate: html(401, 'Please sign in'),
  apiGate: {
    status: 401,
    headers: { 'content-type': 'application/problem+json', 'x-request-id': 'a-gate' },
    body: '{"type":"about:blank","status":401,"code":"unauthorized","detail":"Sign in at the gate."}',
  },
  elsewhere: { status: 302, headers: { location: 'http://gate.example.invalid/login' } },
  loginPage: { status: 302, headers: { location: '/gate/login' } },
  page: html(200, 'Please sign in'),
  portal: html(511, 'Please accept the terms'),
  empty: { status: 200 },
  nothing: { status: 204 },
  gone: { status: 410, body: 'gone' },
  firewall: html(403, 'Just a moment...'),
  tooLarge: html(413, 'Request Entity Too Large'),
  invalid: { status: 422, headers: { 'content-type': 'application/json' }, body: '{"message":"bad"}' },
  limited: { status: 429, headers: { 'retry-after': '1' }, body: 'slow down' },
  badGateway: html(502, 'Bad Gateway'),
  timeout: html(504, 'Gateway Time-out'),
} satisfies Record<string, Instead>

export type Front = Awaited<ReturnType<typeof startFront>>

/** A proxy in front of a server, which passes everything on until it is told otherwise. */
export async function startFront(target: string) {
  let rule: Rule = () => undefined
  /** The paths that reached the server, and those that did not, with their methods. */
  const passed: string[] = []
  const kept: string[] = []
  const { hostname, port } = new URL(target)
  const server = createServer(async (req, res) => {
    const body = Buffer.concat(await req.toArray().catch(() => []))
    const [method, path] = [req.method as string, req.url as string]
    const found = rule(method, path, body.toString())
    const after = found && 'afterAll' in found ? found.afterAll : undefined
    const instead = found && 'status' in found ? found : undefined
    ;(instead ? kept : passed).push(`${method} ${path}`)
    if (instead) answer(res, instead)
    else pass(req, res, body, after)
  })

  function answer(res: ServerResponse, { status, headers, body }: Instead): void {
    res.writeHead(status, headers).end(body)
  }

  function pass(req: IncomingMessage, res: ServerResponse, body: Buffer, after: Instead | undefined): void {
    const { host } = req.headers
    const headers = {
      ...req.headers,
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': host,
    }
    const asked = request({ hostname, port, method: req.method, path: req.url, headers, agent: false }, (found) => {
      if (after) {
        found.resume().once('end', () => answer(res, after))
        return
      }
      res.writeHead(found.statusCode as number, found.headers)
      found.pipe(res)
    })
    asked.on('error', () => (res.headersSent ? res.destroy() : answer(res, INSTEAD.badGateway)))
    res.once('close', () => asked.destroy())
    asked.end(body)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    kept,
    /** From now on; connections that are open end, as they do when such a thing is started, unless it `leaves` them. */
    use(next: Rule | Instead | undefined, { leaves = false } = {}): void {
      rule = typeof next === 'function' ? next : () => next
      if (!leaves) server.closeAllConnections()
    },
    stop(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}
