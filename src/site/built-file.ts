import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from 'koa'
import { acceptsGzip } from '../http/negotiate.ts'

const compress = promisify(gzip)

/** Serves content that stays the same while the server runs: created on first use, then cached. */
export function builtFile(type: string, make: () => string | Buffer) {
  const build = async () => {
    const plain = Buffer.from(make())
    // Weak, since the compressed and the plain form share it.
    const etag = `W/"${hash('sha256', plain, 'base64url').slice(0, 22)}"`
    return { plain, small: await compress(plain, { level: 9 }), etag }
  }
  let built: ReturnType<typeof build> | undefined
  return async (ctx: Context) => {
    built ??= build()
    const { plain, small, etag } = await built
    ctx.set({ ETag: etag, Vary: 'Accept-Encoding', 'Content-Type': type })
    // Not ctx.fresh: it returns false for requests with "Cache-Control: no-cache", which is meant for proxy caches.
    if (ctx.get('If-None-Match').includes(etag)) {
      ctx.status = 304
      return
    }
    const isSmall = acceptsGzip(ctx.get('Accept-Encoding'))
    if (isSmall) ctx.set('Content-Encoding', 'gzip')
    ctx.body = isSmall ? small : plain
  }
}
