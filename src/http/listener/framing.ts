import type { IncomingMessage } from 'node:http'
import { Problem } from '../../lib/problem.ts'

const MAX_TARGET = 8192
/** What every server on the way needs: where the body ends, for whom the request is, and from whom. */
const NEEDED_BY_ALL =
  /^(?:host|transfer-encoding|content-.*|authorization|cookie|origin|sec-.*|if-.*|idempotency-key|forwarded|x-forwarded-.*|dealbox-.*)$/
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i

const malformed = (detail: string) => new Problem(400, 'malformed_http', detail, { headers: { Connection: 'close' } })

/** Refuses what node's parser accepts and RFC 9112 does not. Throws Problem 400, or 414. */
export function checkFraming(req: IncomingMessage): void {
  const url = req.url as string
  const isHttp10 = req.httpVersionMinor === 0
  if (url.length > MAX_TARGET) {
    throw new Problem(414, 'uri_too_long', `The request target is longer than ${MAX_TARGET} bytes. Shorten the URL.`, {
      headers: { Connection: 'close' },
    })
  }
  if (url.includes('#')) throw malformed('A request target must not contain a fragment. Write the character # as %23.')
  if (req.httpVersionMajor !== 1) throw malformed('Use HTTP/1.1.')
  const host = checkOnce(req.rawHeaders)
  if (host === undefined ? !isHttp10 : !HOST.test(host))
    throw malformed('Send the header Host exactly once, with a host name and optionally a port.')
  const coding = req.headers['transfer-encoding']
  if (coding !== undefined && (isHttp10 || coding.toLowerCase() !== 'chunked'))
    throw malformed('The only supported transfer coding is chunked, in HTTP/1.1.')
  checkConnection(req.headers.connection)
}

/** A proxy drops what Connection names. A reader would hide one request in another, or its sender, without these. */
function checkConnection(options = 'keep-alive'): void {
  if (options === 'keep-alive' || options === 'close') return
  const named = options.toLowerCase().split(/[\s,]+/)
  const needed = named.find((name) => NEEDED_BY_ALL.test(name))
  if (needed !== undefined) throw malformed(`The header Connection must not name ${needed}. Leave it out there.`)
}

/**
 * Returns the header Host; several are replaced by an invalid host. Throws Problem 400 for two Authorization headers:
 * node passes on the first, and a proxy may have checked the second.
 */
function checkOnce(rawHeaders: string[]): string | undefined {
  let host: string | undefined
  let isAuthorized = false
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (name.length === 4 && name.toLowerCase() === 'host')
      host = host === undefined ? rawHeaders[index + 1] : 'more than one'
    else if (name.length === 13 && name.toLowerCase() === 'authorization') {
      if (isAuthorized) throw malformed('Send the header Authorization only once.')
      isAuthorized = true
    }
  }
  return host
}

/** The target in origin-form: the absolute form means the same, and any other form matches no path. */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const [, host, path] = /^https?:\/\/([^/?#]+)(\/.*)$/i.exec(target) ?? []
  return host !== undefined && path !== undefined && HOST.test(host) ? path : '*'
}
