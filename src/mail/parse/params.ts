import { decodeField, unlabelled } from './head.ts'

// Fields such as `text/plain; charset=utf-8`: a value, and parameters with names.

export type Structured = { value: string; params: Map<string, string> }

/** More are not looked at. */
const MAX_PARAMS = 100
const MAX_VALUE_LENGTH = 8192

/** One parameter, with its value in quotation marks or without; also what is neither, up to the next semicolon. */
const PARAM = /;[ \t]*([^=;"\s]{1,100})[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"?|([^;]*))/g

/** The value in lower case. Parameters are as they stand, one character a byte; of several with one name the first. */
export function readStructured(field: string): Structured {
  // The first semicolon is often forgotten.
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

/** In file names of Windows a backslash means itself. */
const unescaped = (text: string): string => text.replace(/\\(["\\])/g, '$1')

/** Comments stand in parentheses behind a space; "(1)" in a file's name is none. */
const withoutComments = (field: string): string =>
  field.includes('(') ? field.replace(/"(?:[^"\\]|\\.)*"|(?<=[\s;])\([^()]{0,500}\)(?=\s*(?:;|$))/g, keepQuoted) : field

const keepQuoted = (match: string): string => (match.startsWith('"') ? match : '')

/**
 * The text of a parameter: in one piece, in several, or with its charset (RFC 2231), or as an encoded word, which the
 * standard does not allow and most programs send.
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
