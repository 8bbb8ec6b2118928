import type { Random } from './random.ts'

/** The author of a mail: a member or a customer. */
export type Writer = { first: string; name: string; isTeam: boolean }

const GREETINGS = ['Hello {to},', 'Dear {to},', 'Hi {to},', 'Good morning {to},']
const CLOSINGS = ['Best regards', 'Kind regards', 'Many thanks', 'All the best']
const SITE = 'https://www.northwind-demo.example'

/** Share of mails with HTML beside their text. */
const HTML_ODDS = 0.4

/** Adds greeting, closing and HTML to the text of a mail. `before` is the mail it answers, quoted in the HTML. */
export function mail(
  random: Random,
  text: string,
  { from, to, before }: { from: Writer; to: string | null; before: string | undefined },
): { body_text: string; body_html?: string } {
  const greeting = to === null ? 'Hello,' : random.pick(GREETINGS).replace('{to}', to)
  const closing = random.pick(CLOSINGS)
  const body_text = [greeting, text, `${closing}\n${from.isTeam ? `${from.name}\nNorthwind Demo` : from.name}`].join(
    '\n\n',
  )
  if (!random.chance(HTML_ODDS)) return { body_text }
  const body = [greeting, ...text.split('\n\n'), closing].map(paragraph).join('\n')
  const quoted =
    before === undefined ? '' : `\n<blockquote>${before.split('\n\n').map(paragraph).join('\n')}</blockquote>`
  return { body_text, body_html: `${body}\n${from.isTeam ? card(from.name) : paragraph(from.name)}${quoted}` }
}

/** Numbered lines become a list. */
function paragraph(text: string): string {
  const lines = text.split('\n').map(escaped)
  const items = lines.map((line) => /^\d+\. (.*)$/.exec(line)?.[1])
  if (items.every((item) => item !== undefined)) return `<ol>${items.map((item) => `<li>${item}</li>`).join('')}</ol>`
  return `<p>${lines.join('<br>')}</p>`
}

function card(name: string): string {
  return `<table><tr><td><b>${escaped(name)}</b></td></tr><tr><td>Northwind Demo</td></tr><tr><td><a href="${SITE}">${SITE}</a></td></tr></table>`
}

function escaped(text: string): string {
  const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return safe.replace(/https:\/\/\S+/g, (url) => `<a href="${url}">${url}</a>`)
}
