import { gzip } from 'node:zlib'
import { type Answer, JSON_TYPE, SECURITY_HEADERS } from './answer.ts'
import type { Exchange } from './kernel.ts'

/** Below this, gzip costs more than it saves. */
const GZIP_FROM_BYTES = 2048

/** Writes the answer as it is, past Koa's own response handling. */
export async function send(
  x: Exchange,
  { status, headers, body, type = JSON_TYPE }: Answer,
  last: boolean,
): Promise<void> {
  const { req, res } = x
  if (res.headersSent || res.destroyed) return
  const all = ['X-Request-Id', x.id, ...SECURITY_HEADERS, ...x.headers]
  let content: string | Buffer = body
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string
    // A list says that its reader takes gzip; whether it is worth it shows here.
    if (name === 'Content-Encoding') {
      if (body.length < GZIP_FROM_BYTES) continue
      content = await compress(body)
    }
    all.push(name, headers[index + 1] as string)
  }
  // A body that was refused unread would be read as the next request.
  if (last || status === 413 || status === 414) all.push('Connection', 'close')
  if (status !== 204 && status !== 304) {
    all.push('Content-Type', type, 'Content-Length', String(Buffer.byteLength(content)))
  }
  res.writeHead(status, all)
  res.end(req.method === 'HEAD' || status === 204 || status === 304 ? undefined : content)
}

function compress(body: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gzip(body, { level: 1 }, (error, compressed) => (error ? reject(error) : resolve(compressed)))
  })
}
