import { Parser } from 'htmlparser2'

// What may be in sanitised HTML, written down a second time: the test must not believe what it tests.

export const ELEMENTS: ReadonlySet<string> = new Set(
  (
    'a abbr acronym address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del dfn ' +
    'div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q ' +
    'rp rt ruby s samp section small span strike strong sub sup table tbody td tfoot th thead time tr tt u ul var wbr'
  ).split(' '),
)

const WORD = /^[a-z-]{1,20}$/
const COUNT = /^-?\d{1,6}$/
const ATTRIBUTES: Record<string, RegExp> = {
  align: WORD,
  bgcolor: /^#?[a-z0-9]{3,20}$/,
  border: COUNT,
  cellpadding: COUNT,
  cellspacing: COUNT,
  color: /^#?[a-z0-9]{3,20}$/,
  colspan: /^\d{1,2}$/,
  dir: WORD,
  height: /^\d{1,4}%?$/,
  lang: /^[a-z0-9-]{1,35}$/,
  nowrap: /^$/,
  rowspan: /^\d{1,2}$/,
  size: /^[+-]?[1-7]$/,
  span: /^\d{1,2}$/,
  start: COUNT,
  type: /^(?:cite|[1aAiI]|disc|circle|square)$/,
  valign: WORD,
  value: COUNT,
  width: /^\d{1,4}%?$/,
  alt: /^/,
  title: /^/,
  href: /^(?:https?:\/\/[^/\s\\]|mailto:|tel:)[^\s\\]*$/,
  src: /^(?:https?:\/\/[^/\s\\][^\s\\]*|cid:.*|data:image\/(?:png|jpe?g|gif|webp);base64,[\w+/]+={0,2})$/,
  rel: /^noopener noreferrer nofollow$/,
  target: /^_blank$/,
  // No address, no escape, no comment, no function but a color, nothing below zero.
  style:
    /^(?:(?:background-color|border|color|display|font|height|line-height|list-style-type|margin|max-width|padding|text-align|text-decoration|vertical-align|white-space|width)(?:-[a-z]+)*:(?:[#a-z0-9.% -]|rgba?\([\d.,%]+\))+(?:;|$))+$/,
}
const OF: Record<string, string> = { href: 'a', rel: 'a', target: 'a', src: 'img', alt: 'img', color: 'font' }

/** What in the HTML may do harm, each in a few words; nothing where all of it is known to be harmless. */
export function faultsOf(html: string): string[] {
  const faults: string[] = []
  let depth = 0
  const parser = new Parser({
    onopentag(name, attributes) {
      depth++
      if (depth > 256) faults.push('too deep')
      if (!ELEMENTS.has(name)) faults.push(`<${name}>`)
      for (const [attribute, value] of Object.entries(attributes)) {
        const fault = `${name} ${attribute}="${value}"`
        if (!ATTRIBUTES[attribute]?.test(value) || (OF[attribute] ?? name) !== name) faults.push(fault)
        if (attribute === 'style' && /(?:^|[:\s])-\d|\b\d{5}/.test(value)) faults.push(fault)
      }
      if (attributes.href !== undefined && !(attributes.rel && attributes.target)) faults.push(`${name} without rel`)
    },
    onclosetag() {
      depth--
    },
    oncomment: (text) => faults.push(`<!--${text}`),
    onprocessinginstruction: (_, text) => faults.push(`<${text}>`),
  })
  parser.end(html)
  if (html.includes('\0')) faults.push('NUL')
  return faults
}
