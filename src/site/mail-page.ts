import { type Content, html } from './html.ts'

// The frame of pages behind links in mails. Everything that they need is below their own path, so that a proxy can block
// all other paths.

export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex',
}
export const METHODS = ['GET', 'HEAD', 'POST']

/** `titleLanguage` is that of the heading, if it is another one. */
type Page = { title: string; content: Content; language?: string; titleLanguage?: string; style?: string }

/** `style` is relative, as all links are: a proxy may serve the page below any path. */
export const mailPage = ({
  title,
  content,
  language = 'en',
  titleLanguage = language,
  style = 'style.css',
}: Page): string =>
  html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${style}">
</head>
<body>
<main>
<h1${titleLanguage !== language && html` lang="${titleLanguage}" dir="auto"`}>${title}</h1>
${content}
</main>
</body>
</html>
`.markup
