// The text of a WebVTT cue: tags and character references.

/** The text of one voice in a cue; the name is null outside of voices. */
export type Voice = { name: string | null; text: string }

/** An open tag, and the voice inside of it. */
type Tag = { name: string; voice: string | null }

/** Anything else in angle brackets is text, such as an email address. */
const MARKUP = /<(?:(\/?)(c|i|b|u|v|ruby|rt|lang)((?:[.\s][^<>]*)?)|\d+:[\d:.]+)>/g

/**
 * The text of a cue without tags, by voice; empty if there is no text. A voice ends at its end tag, the next voice or
 * the end of the cue. Stops reading after more than `most` voices.
 */
export function voicesOf(cue: string, most = Number.POSITIVE_INFINITY): Voice[] {
  const open: Tag[] = []
  const voices: Voice[] = []
  let raw = ''
  const voice = (): string | null => open.at(-1)?.voice ?? null

  function endVoice(): void {
    const text = decoded(trimmed(raw))
    if (text.trim() !== '') voices.push({ name: voice(), text })
    raw = ''
  }

  /** As in the standard, an end tag closes the innermost open tag if the names match. */
  function close(name: string): void {
    if (name === 'ruby' && open.at(-1)?.name === 'rt') open.pop()
    if (open.at(-1)?.name !== name) return
    if (name === 'v') endVoice()
    open.pop()
  }

  let read = 0
  for (const { index, 0: markup, 1: slash, 2: name, 3: rest = '' } of cue.matchAll(MARKUP)) {
    raw += cue.slice(read, index)
    read = index + markup.length
    if (voices.length > most) break
    if (name === undefined) continue // a timestamp
    if (slash) close(name)
    else {
      if (name === 'v') endVoice()
      open.push({ name, voice: name === 'v' ? nameIn(rest) : voice() })
    }
  }
  raw += cue.slice(read)
  endVoice()
  return voices
}

/** The name after the classes of a tag: `.loud Ana &amp; Co` → `Ana & Co`. */
function nameIn(rest: string): string | null {
  const [annotation = ''] = /\s.*/s.exec(rest) ?? []
  return trimmed(decoded(annotation).replace(/\s+/g, ' ')) || null
}

/** Trims white space, but not what character references stand for. */
const trimmed = (text: string): string => text.replace(/^[ \t\n\f]+/, '').replace(/(?<![ \t\n\f])[ \t\n\f]+$/, '')

const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  nbsp: '\u00a0',
  lrm: '\u200e',
  rlm: '\u200f',
  quot: '"',
  apos: "'",
}

function decoded(text: string): string {
  return text.replace(/&(?:([a-z]+)|#(\d{1,7})|#[xX]([\dA-Fa-f]{1,6}));/g, (reference, name, decimal, hex) => {
    if (name !== undefined) return (Object.hasOwn(NAMED, name) && NAMED[name]) || reference
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    return isCharacter ? String.fromCodePoint(code) : reference
  })
}

const NAMES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const numbered = (character: string): string => `&#${character.charCodeAt(0)};`

/** A name on one line. Two hyphens before the end of its tag would form an arrow, which starts a cue. */
export const encodedName = (name: string): string =>
  name.replace(/[&<>]/g, (sign) => NAMES[sign] as string).replace(/(?<=-)-$/, numbered)

/** Encodes what would otherwise be lost: white space at the ends, empty lines and other line endings. */
export const encoded = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => NAMES[sign] as string).replace(/\r|^[ \t\n\f]|[ \t\n\f]$|(?<=\n)\n/g, numbered)
