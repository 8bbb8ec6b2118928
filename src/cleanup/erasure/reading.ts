import { Parser } from 'htmlparser2'
import { decodeWords } from 'postal-mime'
import { foldWhole } from '../../lib/pure/fold.ts'

// Texts as a person reads them: a name is the same name in capitals, with a line break in it, or written for a browser.

/** Tags between letters, as in "An<b>na</b>". All others end a word. */
const INLINE = 'a|abbr|b|bdi|bdo|big|code|del|em|font|i|ins|kbd|mark|o:p|q|s|small|span|strike|strong|sub|sup|tt|u|wbr'
const BLOCK =
  'address|article|aside|blockquote|body|br|center|dd|div|dl|dt|figure|footer|h[1-6]|head|header|hr|html|img|li|main|nav|ol|p|pre|section|table|tbody|td|tfoot|th|thead|title|tr|ul'
const tag = (names: string): string => String.raw`<\/?(?:${names})(?=[\s\/>])[^<>]*>`
const ENTITY = String.raw`&(?:amp;)*(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});`

/** Line breaks with the marks of a quoted mail, other white space, letters with marks, and all that is not ASCII. */
const ANYWHERE = String.raw`\s*\n[\s>|]*|\s{2,}|[^\S ]|.\p{M}+|[^\x20-\x7e]`
const BREAK = String.raw`(?:\s*\n|${tag('br')})(?:[\s>|]|&gt;|&nbsp;|${tag('br')})*`
const WORD = String.raw`=\?[\w*-]+\?[bq]\?[^?\s]*\?=`

/** The ways to read a text: each finds what another one reads over, such as a name in an attribute of a tag. */
const AS_IT_IS = { marks: /(?:)/, special: new RegExp(ANYWHERE, 'gu') }
const WAYS = [
  AS_IT_IS,
  {
    marks: /<[/\w]|&[#\w]/,
    special: new RegExp(
      `(?<gone>${tag(INLINE)})|(?<space>${BREAK}|${tag(BLOCK)})|(?<entity>${ENTITY})|${ANYWHERE}`,
      'giu',
    ),
  },
  {
    // Of mails, addresses and programs: quoted-printable, encoded words, per cent, escapes of JSON.
    marks: /[=%][\da-f]{2}|=\r?\n|=\?|\\[nrtu]/i,
    special: new RegExp(
      String.raw`(?<gone>=\r?\n)|(?<word>${WORD}(?:\s+${WORD})*)|(?<escaped>\\+u[\da-f]{4}|\\+[nrt])|(?<bytes>(?:=[\da-f]{2})+|(?:%[\da-f]{2})+)|${ANYWHERE}`,
      'giu',
    ),
  },
]

const TAG = /^<[/!\w]/

/** A part of a folded text: where it starts in it, and what it was. Of a plain part, each character is one of the source. */
type Part = { start: number; from: number; to: number; isPlain: boolean; isTag: boolean }

export type Reading = {
  folded: string
  replace: (places: readonly (readonly [number, number])[], instead: string) => string
}

/** Ways to read a text; undefined for one that has nothing to be read this way. */
export const READINGS = WAYS.map(
  ({ marks, special }) =>
    (text: string): Reading | undefined =>
      marks.test(text) ? read(text, special) : undefined,
)

function read(text: string, special: RegExp): Reading {
  let folded = ''
  let at = 0
  let endsInSpace = false // reading the end of the text itself would copy all of it each time
  const parts: Part[] = []
  const plain = (to: number): void => {
    if (to === at) return
    parts.push({ start: folded.length, from: at, to, isPlain: true, isTag: false })
    folded += text.slice(at, to).toLowerCase()
    endsInSpace = text[to - 1] === ' '
  }
  for (const found of text.matchAll(special)) {
    const [source] = found
    plain(found.index)
    at = found.index + source.length
    const { gone, space } = found.groups ?? {}
    const isTag = TAG.test(source)
    const meant = gone !== undefined ? '' : space !== undefined ? ' ' : simple(meaningOf(source, found.groups))
    parts.push({ start: folded.length, from: found.index, to: at, isPlain: false, isTag })
    folded += endsInSpace && meant.startsWith(' ') ? meant.slice(1) : meant
    if (meant !== '') endsInSpace = meant.endsWith(' ')
  }
  plain(text.length)
  return { folded, replace: (places, instead) => replaceIn(text, parts, places, instead) }
}

function meaningOf(source: string, { entity, word, escaped, bytes }: Record<string, string | undefined> = {}): string {
  if (entity) return entityOf(entity.replace(/^&(?:amp;)+(?=[#a-z])/i, '&'))
  if (word) return decodeWords(word)
  if (escaped) return /u[\da-f]{4}$/i.test(escaped) ? String.fromCharCode(Number.parseInt(escaped.slice(-4), 16)) : ' '
  return bytes ? textOfBytes(Buffer.from(bytes.replace(/[=%]/g, ''), 'hex')) : source
}

/** Letters and entities, of which there are few. */
const MAX_CACHED = 10

const cached = (compute: (text: string) => string) => {
  const known = new Map<string, string>()
  return (text: string): string => {
    let value = known.get(text)
    if (value === undefined) {
      value = compute(text)
      if (text.length <= MAX_CACHED && known.size < 100_000) known.set(text, value)
    }
    return value
  }
}

const entityOf = cached((entity) => {
  let text = ''
  new Parser({ ontext: (part) => void (text += part) }, { decodeEntities: true }).end(entity)
  return text
})

function textOfBytes(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** In lower case without accents, marks that cannot be seen, and kinds of spaces, hyphens and apostrophes. */
const simple = cached((text) =>
  foldWhole(
    text
      .replace(/[\p{Cf}\p{Cc}]/gu, (mark) => (/\s/.test(mark) && mark !== '\ufeff' ? ' ' : ''))
      .replace(/[\p{Pd}\u2212]/gu, '-')
      .replace(/[\u2018\u2019\u201b\u02bc\u2032`\u00b4]/g, "'"),
  ).replace(/^[\s>|]*\s[\s>|]*$|\s+/g, ' '),
)

/** Folds a text as those are that are read. */
export const foldText = (text: string): string => read(text, AS_IT_IS.special).folded

/** Tags inside of what is replaced stay: others end them. */
function replaceIn(
  text: string,
  parts: readonly Part[],
  places: readonly (readonly [number, number])[],
  instead: string,
): string {
  let written = ''
  let at = 0
  let index = 0
  for (const [start, end] of places) {
    while (endOf(parts, index) <= start) index++
    const first = parts[index] as Part
    const from = first.isPlain ? first.from + start - first.start : first.from
    let tags = ''
    while (endOf(parts, index) < end) {
      if (parts[index]?.isTag) tags += text.slice(parts[index]?.from, parts[index]?.to)
      index++
    }
    const last = parts[index] as Part
    written += text.slice(at, Math.max(at, from)) + instead + tags
    at = last.isPlain ? last.from + end - last.start : last.to
  }
  return written + text.slice(at)
}

const endOf = (parts: readonly Part[], index: number): number => parts[index + 1]?.start ?? Number.POSITIVE_INFINITY
