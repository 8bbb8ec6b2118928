// The text of a cue of WebVTT: tags and character references.

/** What one voice says in a cue; null for what is said outside of voices. */
export type Voice = { name: string | null; text: string }

/** A tag that is open, and the voice inside of it. */
type Tag = { name: string; voice: string | null }

/** Whatever else stands between angle brackets is text, such as an address of email. */
const MARKUP = /<(?:(\/?)(c|i|b|u|v|ruby|rt|lang)((?:[.\s][^<>]*)?)|\d+:[\d:.]+)>/g

/**
 * What is said in a cue, voice by voice, without tags; nothing where nothing is said. A voice goes on to its end tag, to
 * the next voice or to the end. Reads no further where there are more than `most`.
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

  /** A tag ends the one that was opened last, if it is of its kind; so the standard has it. */
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
    if (name === undefined) continue // a time
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

/** The name behind the classes of a tag: `.loud Ana &amp; Co` → `Ana & Co`. */
function nameIn(rest: string): string | null {
  const [annotation = ''] = /\s.*/s.exec(rest) ?? []
  return trimmed(decoded(annotation).replace(/\s+/g, ' ')) || null
}

/** Without the white space around it; what references stand for is text. */
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

/** A name on one line. Before the end of its tag two hyphens would make an arrow, which begins a cue. */
export const encodedName = (name: string): string =>
  name.replace(/[&<>]/g, (sign) => NAMES[sign] as string).replace(/(?<=-)-$/, numbered)

/** White space at the ends, empty lines and other ends of lines would not come back as they are. */
export const encoded = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => NAMES[sign] as string).replace(/\r|^[ \t\n\f]|[ \t\n\f]$|(?<=\n)\n/g, numbered)
