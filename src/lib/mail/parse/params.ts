import { decodeField, unlabelled } from './head.ts'

// Parses fields such as `text/plain; charset=utf-8`: a value and named parameters.

export type Structured = { value: string; params: Map<string, string> }

/** Further parameters are ignored. */
const MAX_PARAMS = 100
const MAX_VALUE_LENGTH = 8192

/** One parameter with a quoted or bare value; also malformed text up to the next semicolon. */
const PARAM = /;[ \t]*([^=;"\s]{1,100})[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"?|([^;]*))/g

/**
 * Returns the value in lower case. Parameters are raw, one character per byte; the first of several with the same name
 * counts.
 */
export function readStructured(field: string): Structured {
  // Many programs forget the first semicolon.
  const whole = withoutComments(field).replace(/^(\s*[^;\s]+)\s+(?=[\w*-]+=)/, '$1;')
  const end = whole.indexOf(';')
  const params = new Map<string, string>()
  if (end >= 0)
    for (const [, name, quoted, bare] of whole.slice(end).matchAll(PARAM)) {
      const key = (name as string).toLowerCase()
      const value =
        quoted === undefined
          ? (bare as string).slice(0, MAX_VALUE_LENGTH).trim()
          : unescaped(quoted.slice(0, MAX_VALUE_LENGTH))
      if (!params.has(key) && params.size < MAX_PARAMS) params.set(key, value)
    }
  const [, value = ''] = /^[\s"]*([^\s"]+)/.exec(end < 0 ? whole : whole.slice(0, end)) ?? []
  return { value: value.toLowerCase(), params }
}

/** A backslash in a Windows path is literal. */
const unescaped = (text: string): string => text.replace(/\\(["\\])/g, '$1')

/** Comments are in parentheses after a space; "(1)" in a file name is not a comment. */
const withoutComments = (field: string): string =>
  field.includes('(') ? field.replace(/"(?:[^"\\]|\\.)*"|(?<=[\s;])\([^()]{0,500}\)(?=\s*(?:;|$))/g, keepQuoted) : field

const keepQuoted = (match: string): string => (match.startsWith('"') ? match : '')

/**
 * Returns the text of a parameter: in one piece, continued or with its charset (RFC 2231), or as an encoded word, which
 * the standard forbids and most programs send.
 */
export function paramText({ params }: Structured, name: string, charset?: string): string | undefined {
  const sections = sectionsOf(params, name)
  const whole = params.get(name)
  if (sections.length === 0) return whole === undefined ? undefined : decodeField(whole, charset)
  const [, label, first] = sections[0]?.isEncoded
    ? (/^([^']{0,60})'[^']{0,60}'(.*)$/.exec(sections[0].value) ?? [])
    : []
  if (first !== undefined) sections[0]!.value = first
  const bytes = sections.map(({ value, isEncoded }) => (isEncoded ? percentDecoded(value) : value)).join('')
  return label === undefined && !sections.some(({ isEncoded }) => isEncoded)
    ? decodeField(bytes, charset)
    : unlabelled(bytes, label || charset)
}

function sectionsOf(params: Map<string, string>, name: string): { value: string; isEncoded: boolean }[] {
  const sections: { value: string; isEncoded: boolean }[] = []
  const whole = params.get(`${name}*`)
  if (whole !== undefined) return [{ value: whole, isEncoded: true }]
  for (let n = 0; n < MAX_PARAMS; n++) {
    const encoded = params.get(`${name}*${n}*`)
    const plain = params.get(`${name}*${n}`)
    if (encoded === undefined && plain === undefined) break
    sections.push({ value: encoded ?? (plain as string), isEncoded: encoded !== undefined })
  }
  return sections
}

const percentDecoded = (text: string): string =>
  text.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
