import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Context } from 'koa'
import { asset } from '../../assets.ts'
import { preferredName } from '../../http/negotiate.ts'
import { Problem } from '../../lib/problem.ts'

type Coding = 'br' | 'gzip' | 'identity'
/** A file in its stored forms: compressed, or as it is. */
type File = { bytes: number; forms: Partial<Record<Coding, string>> }

/** What scripts/build-web.mjs writes: the names of files in dist/web. */
type Manifest = {
  /** Changes with any of the files. */
  build: string
  script: string
  style: string
  /** What the script imports at once. */
  preload: string[]
  /** The files of each module that is loaded later, by the path of its source. */
  later: Record<string, string[]>
  files: Record<string, File>
}

export type WebFiles = Omit<Manifest, 'files'> & {
  /** Names of files that match. */
  named: (pattern: RegExp) => string[]
  /** Answers a request below /assets. Throws Problem 404. */
  answer: (ctx: Context) => Promise<void>
}

export const ASSETS = '/assets/'

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  png: 'image/png',
  webp: 'image/webp',
}

const unzip = promisify(gunzip)

/**
 * The files of the browser app. All are read at the start, since a later build of the sources removes them from dist/web;
 * the executable only looks at its own memory for that.
 */
export function webFiles(): WebFiles {
  const { files, ...manifest }: Manifest = JSON.parse(read('manifest.json').toString())
  const contents = new Map(
    Object.values(files).flatMap(({ forms }) => Object.values(forms).map((name) => [name, read(name)] as const)),
  )

  /** The file as the client wants it. Only programs that take no compressed form make the server decompress. */
  async function formOf({ forms }: File, encodings: string): Promise<[Coding, Buffer]> {
    if (forms.identity) return ['identity', contents.get(forms.identity) as Buffer]
    const coding = preferredName(encodings, ['br', 'gzip'])
    if (coding) return [coding, contents.get(forms[coding] as string) as Buffer]
    return ['identity', await unzip(contents.get(forms.gzip as string) as Buffer)]
  }

  async function answer(ctx: Context): Promise<void> {
    const name = ctx.path.slice(ASSETS.length)
    const file = Object.hasOwn(files, name) ? (files[name] as File) : undefined
    if (!file) throw new Problem(404, 'no_such_path', 'There is no such file; the page may be older than the server.')
    const [coding, body] = await formOf(file, ctx.get('Accept-Encoding'))
    const etag = `"${name}${coding === 'identity' ? '' : `-${coding}`}"`
    ctx.set({
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Type': TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
      ETag: etag,
      Vary: 'Accept-Encoding',
    })
    // A shared worker has the policy of its own file: that of the stream connects to this server.
    if (name.endsWith('.js')) ctx.set('Content-Security-Policy', "default-src 'none'; connect-src 'self'")
    if (ctx.get('If-None-Match').includes(etag)) {
      ctx.status = 304
      return
    }
    if (coding !== 'identity') ctx.set('Content-Encoding', coding)
    ctx.body = body
  }

  return { ...manifest, named: (pattern) => Object.keys(files).filter((name) => pattern.test(name)), answer }
}

const read = (name: string): Buffer => asset(`dist/web/${name}`)
