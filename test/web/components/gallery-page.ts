import { globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, sep } from 'node:path'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { expectComplaint, startChromium } from '../../support/chromium.ts'

const root = join(import.meta.dirname, '../../..')
/** That of the app: a component that needs more than it allows fails here. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; require-trusted-types-for 'script'"

type Options = {
  theme?: 'light' | 'dark'
  language?: string
  width?: number
  height?: number
  /** Without ours, another font is there, which may be wider. */
  hasFont?: boolean
}

export type Gallery = {
  open: (options?: Options) => Promise<Page>
  close: () => Promise<void>
}

/** The page of all components in Chromium. */
export async function startGallery(): Promise<Gallery> {
  const files = await filesOf()
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://gallery')
    const file = files.get(pathname)
    response.setHeader('Content-Security-Policy', POLICY)
    response.setHeader('Content-Type', file?.type ?? 'text/plain')
    response.writeHead(file ? 200 : 404).end(file?.body)
  }).listen(0, '127.0.0.1')
  const browser: Browser = await startChromium()
  return {
    async open({ theme, language = 'en', width = 1440, height = 1200, hasFont = true } = {}) {
      expectComplaint(/A mistake for the gallery/) // it shows how the page of a broken part looks
      const context = await browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce' })
      const page = await context.newPage()
      if (!hasFont) await page.route(/\.woff2$/, (route) => route.abort())
      const { port } = server.address() as AddressInfo
      await page.goto(`http://127.0.0.1:${port}/?${new URLSearchParams({ language, ...(theme && { theme }) })}`)
      await page.waitForSelector('body[data-ready]')
      return page
    },
    async close() {
      await browser.close()
      server.close()
    },
  }
}

async function filesOf() {
  const { outputFiles } = await build({
    bundle: true,
    splitting: true,
    target: 'chrome123',
    jsxImportSource: 'preact',
    format: 'esm',
    platform: 'browser',
    jsx: 'automatic',
    logLevel: 'warning',
    write: false,
    entryPoints: [join(import.meta.dirname, 'gallery.tsx')],
    outdir: '/',
    absWorkingDir: root,
    // The styles are one file, as in the app.
    plugins: [
      { name: 'no-css', setup: ({ onLoad }) => onLoad({ filter: /\.css$/ }, () => ({ contents: '', loader: 'js' })) },
    ],
  })
  const styles = globSync('src/web/{styles,components,tables,record,shell/calls}/**/*.css', { cwd: root }).sort()
  const ordered = ['src/web/styles/layers.css', ...styles.filter((name) => !name.endsWith('/layers.css'))]
  const css = [...ordered, 'test/web/components/gallery.css'].map((name) => readFileSync(join(root, name), 'utf8'))
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Components</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="/gallery.css">
<link rel="icon" href="data:,"><script type="module" src="/gallery.js"></script></head><body></body></html>`
  const fonts = globSync('@fontsource-variable/inter/files/*-wght-normal.woff2', { cwd: join(root, 'node_modules') })
  return new Map<string, { type: string; body: string | Buffer }>([
    ['/', { type: 'text/html; charset=utf-8', body: html }],
    ['/gallery.css', { type: 'text/css; charset=utf-8', body: css.join('\n') }],
    ...outputFiles.map(({ path, text }) => [path, { type: 'text/javascript; charset=utf-8', body: text }] as const),
    ...fonts.map((name) => {
      const file = { type: 'font/woff2', body: readFileSync(join(root, 'node_modules', name)) }
      return [`/${name.replaceAll(sep, '/')}`, file] as const
    }),
  ])
}
