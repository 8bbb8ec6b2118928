import { isSameOrganisation } from '../../lib/mail/hosts.ts'
import type { Message } from './message.ts'

// The HTML of a mail as a document of its own, for a frame: in its own colours on white, without what would tell its sender
// that somebody reads it.

const STYLE = `
:root { color-scheme: light; background: #fff; }
html, body { margin: 0; height: auto !important; min-height: 0 !important; }
body { padding: 12px 16px; color: #22252b; font: 14px/21px system-ui, sans-serif; overflow-wrap: break-word; }
img { max-width: 100%; }
img[src^="data:"], img:not([height]) { height: auto; }
pre { white-space: pre-wrap; }
table { max-width: 100%; }
blockquote { margin: 8px 0; padding-left: 10px; border-left: 2px solid #ccd0d7; }
a { color: #0b5f6b; }
.held { display: inline-block; border: 1px dashed #8a92a0; padding: 2px 8px; font-size: 12px; color: #4c5361; }
mark.found { border-radius: 2px; background: #ffe58a; color: #22252b; }
.leads { margin: 0 2px; padding: 0 4px; border-radius: 2px; background: #fbf0d5; color: #6b4a00; font-size: 12px; }
`

/** A start tag of an image as sanitize-html writes it: attributes in double quotes, with no ">" in them. */
const IMAGE = /<img\b([^>]*)>/g
const SOURCE = /\ssrc="([^"]*)"/
const LINK = /<a\b[^>]*\shref="(https?:[^"]*)"[^>]*>(.*?)<\/a>/gis
/** What a reader takes for the address of a page: it says where the page is, or looks as if. */
const ADDRESS =
  /^\s*(?:https?:\/\/|(?=www\.)|(?=[^\s/@]+\.(?:com|org|net|info|biz|app|[a-z]{2})(?:[/\s]|$)))([^\s/?#:@]+)/i

type Shown = Pick<Message, 'attachments'> & { body_html: string }
type Options = {
  /** The address of a file of the message, for the pictures in its text. */
  urlOf: (attachmentId: string) => string
  /** Whether pictures are loaded from elsewhere. */
  isRemote: boolean
}

export function mailDocument({ body_html, attachments }: Shown, { urlOf, isRemote }: Options): string {
  const html = body_html.replace(LINK, withItsHost).replace(IMAGE, (tag, attributes: string) => {
    const source = SOURCE.exec(attributes)?.[1] ?? ''
    if (/^https?:/i.test(source)) return isRemote ? tag : held(source)
    if (!/^cid:/i.test(source)) return tag
    const file = attachments.find(({ cid }) => cid !== undefined && cid === cidOf(source))
    return file ? tag.replace(SOURCE, () => ` src="${urlOf(file.id)}"`) : ''
  })
  return `<!doctype html><html><head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title></title><style>${STYLE}</style></head><body>${html}</body></html>`
}

/** A link whose words name another organisation than it leads to, with where that is. */
function withItsHost(link: string, href: string, inside: string): string {
  const named = ADDRESS.exec(textOf(inside))?.[1]
  const host = hostOf(href)
  if (named === undefined || host === '' || isSameOrganisation(named, host)) return link
  return `${link}<span class="leads">→ ${host}</span>`
}

const textOf = (html: string): string => html.replace(/<[^>]*>/g, '').replaceAll('&amp;', '&')

const hostOf = (address: string): string => URL.parse(address.replaceAll('&amp;', '&'))?.hostname ?? ''

/** In the place of a picture: where it would come from. */
const held = (source: string): string => `<span class="held">${hostOf(source)}</span>`

function cidOf(source: string): string {
  const text = source.slice('cid:'.length).replaceAll('&amp;', '&')
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
