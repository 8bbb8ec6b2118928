import type { Context } from 'koa'
import type { Problem } from '../../lib/problem.ts'
import { html } from '../html.ts'

/** What a browser shows of an organisation that has moved to another server: a link to the same page there. */
export function answerMoved(ctx: Context, problem: Problem): void {
  const address = String(problem.more?.moved_to)
  const url = `${address.replace(/\/$/, '')}${ctx.path}`
  ctx.status = problem.status
  ctx.set({ 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' })
  ctx.body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>This organisation has moved</title>
</head>
<body>
<main>
<h1>This organisation has moved</h1>
<p>It is at <a href="${url}">${url}</a> now.</p>
</main>
</body>
</html>
`.markup
}
