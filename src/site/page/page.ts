import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from 'koa'
import { asset } from '../../assets.ts'
import { acceptsGzip } from '../../http/negotiate.ts'
import { html } from '../html.ts'
import { ASSETS, type WebFiles } from './files.ts'

/**
 * Scripts may only be files of this server, also those of workers: the app's one policy of trusted types is named
 * "dealbox".
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types dealbox',
].join('; ')

/** What the page says before its script runs. */
export type Page = {
  /** JSON text. */
  boot: string
  language: string
  /** undefined follows the system. */
  theme: 'light' | 'dark' | undefined
  /** Of the screen, and the path before it, such as /crm. */
  path: string
  basePath: string
}

/** The page of the browser app: its boot data and the files that the first screen needs, so that one trip is enough. */
export function pageMarkup(files: WebFiles, { boot, language, theme, path, basePath }: Page): string {
  const url = (name: string) => `${basePath}${ASSETS}${name}`
  const [first = ''] = path.split('/').slice(1)
  const screen = files.later[`src/web/screens/${first}/${first}.tsx`] ?? []
  const texts = files.later[`src/web/screens/texts/first-${language}.ts`] ?? []
  // The letters of most texts: what other scripts need is loaded when a text has them.
  const fonts = files.named(/^inter-latin-wght-normal-\w+\.woff2$/)
  return html`<!doctype html>
<html lang="${language}" translate="no"${theme && html` data-theme="${theme}"`}${basePath !== '' && html` data-base="${basePath}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<title>Dealbox</title>
<link rel="icon" href="${icon()}" type="image/svg+xml">
<link rel="stylesheet" href="${url(files.style)}">
${fonts.map((name) => html`<link rel="preload" href="${url(name)}" as="font" type="font/woff2" crossorigin>\n`)}
${[...new Set([...files.preload, ...texts, ...screen])].map((name) => html`<link rel="modulepreload" href="${url(name)}">\n`)}
<script type="module" src="${url(files.script)}"></script>
</head>
<body>
<div id="app"></div>
<noscript><p>Dealbox needs JavaScript. Switch it on for this address and load the page again. Programs use the <a href="${basePath}/reference">API</a>.</p></noscript>
<script type="application/json" id="boot">${{ markup: inScript(boot) }}</script>
</body>
</html>
`.markup
}

/** The icon in the page itself: one request less before the first screen. */
const icon = (): string => `data:image/svg+xml,${encodeURIComponent(asset('src/web/icon.svg').toString())}`

/** Text of the records must not end the script element that holds it, or begin a comment in it. */
const inScript = (json: string): string => json.replaceAll('<', '\\u003c')

const compress = promisify(gzip)

/** Answers with the page. It holds the data of a member, so that nothing keeps it. */
export async function answerPage(ctx: Context, files: WebFiles, page: Page): Promise<void> {
  const text = pageMarkup(files, page)
  ctx.set({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': PAGE_POLICY,
    'Content-Type': 'text/html; charset=utf-8',
    Vary: 'Accept-Encoding, Cookie',
  })
  if (!acceptsGzip(ctx.get('Accept-Encoding'))) {
    ctx.body = text
    return
  }
  ctx.set('Content-Encoding', 'gzip')
  ctx.body = await compress(text, { level: 4 })
}

/**
 * Whether the browser app answers this path: any without a dot that no other part of the server owns, so that the app
 * itself can say that a screen does not exist.
 */
export function isAppPath(path: string): boolean {
  return (
    !/[.%]|\/\//.test(path) &&
    !/^\/(api|app|assets|unsubscribe|rating|reference|openapi|livez|readyz|metrics)(\/|$)/.test(path)
  )
}
