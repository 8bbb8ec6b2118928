import ICAL from 'ical.js'
import { encodingNamed } from '../encodings/encodings.ts'
import { decoded } from './lines.ts'

// One property of a card, such as `item1.TEL;TYPE=WORK,PREF:+49 30 1`.

export type Property = {
  /** In lower case. */
  name: string
  /** Properties with the same group belong together: `item1.TEL` and `item1.X-ABLabel`. */
  group: string | undefined
  /** In lower case; empty if the property has none. */
  types: string[]
  /** 1 for the preferred one; higher numbers for less preferred ones, at last those without. */
  pref: number
  /** The parts of a structured value, or the items of a list; else one. */
  values: string[]
}

/** The property as parsed: name, parameters, type, values. */
type Parsed = [string, Record<string, string | string[]>, string, ...unknown[]]

export type Version = '2.1' | '3.0' | '4.0'

const NOT_PREFERRED = 101
/** Google and others escape colons, and some semicolons where these separate nothing; two backslashes are one of the text. */
const ESCAPED = /(?<!\\)((?:\\\\)*)\\([:;])/g
const ESCAPED_COLON = /(?<!\\)((?:\\\\)*)\\(:)/g
const STRUCTURED = /^(?:[\w-]+\.)?(?:N|ADR|ORG)[;:]/i
/** Phones write values so in later versions, too. */
const OF_2_1 = /^[^:]{0,200};(?:ENCODING=)?QUOTED-PRINTABLE[;:]/i

/** Returns the property in a line; undefined if there is none. `encoding` is that of the file where it is not UTF-8. */
export function propertyOf(given: string, version: Version, encoding: string): Property | undefined {
  const line = given.replace(STRUCTURED.test(given) ? ESCAPED_COLON : ESCAPED, '$1$2')
  const plain = version === '2.1' || OF_2_1.test(line) ? undefined : parse(line, version)
  const parsed = plain ?? parse(modern(line, encoding), version) ?? parse(withoutParameters(line), version)
  if (!parsed) return undefined
  const [name, parameters, type, ...found] = parsed
  const values = Array.isArray(found[0]) ? found[0] : found // the parts of a structured value are one array
  const all = listed(parameters.type).map((type) => type.toLowerCase())
  const pref = Number(parameters.pref)
  return {
    name,
    group: listed(parameters.group)[0]?.toLowerCase(),
    types: all.filter((type) => type !== 'pref'),
    pref: pref >= 1 && pref <= 100 ? pref : all.includes('pref') ? 1 : NOT_PREFERRED,
    values: values.map((value) => {
      const text = [value].flat().join(',')
      return type === 'text' ? text : unescaped(withoutYear(text, parameters['x-apple-omit-year']))
    }),
  }
}

/** Links and unknown properties keep their escapes. */
const unescaped = (text: string): string => text.replace(/\\n/gi, '\n').replace(/\\([,;:\\])/g, '$1')

/** Apple writes a birthday without a year as one of a year that stands for none. */
const withoutYear = (text: string, year: string | string[] | undefined): string =>
  typeof year === 'string' && text.startsWith(year) ? `-${text.slice(year.length)}` : text

function parse(line: string | undefined, version: Version): Parsed | undefined {
  if (line === undefined) return undefined
  try {
    return ICAL.parse.property(line, version === '4.0' ? ICAL.design.vcard : ICAL.design.vcard3) as Parsed
  } catch {
    return undefined
  }
}

const listed = (value: string | string[] | undefined): string[] => (value === undefined ? [] : [value].flat())

/** Returns a line without its parameters, one of which cannot be parsed. */
function withoutParameters(line: string): string | undefined {
  const [, name, value] = /^((?:[\w-]+\.)?[\w-]+);[^:]*:(.*)$/s.exec(line) ?? []
  return name && `${name}:${value}`
}

/** Returns a line of vCard 2.1 in the form of 3.0: `TEL;CELL:1` → `TEL;TYPE=CELL:1`, and without quoted-printable. */
function modern(line: string, encoding: string): string {
  const [, name, head = '', value = ''] = /^((?:[\w-]+\.)?[\w-]+)((?:;[^:;]*)*):(.*)$/s.exec(line) ?? []
  if (name === undefined) return line
  const parameters = head.split(';').filter((each) => each !== '')
  const isQuoted = parameters.some((each) => /^(?:ENCODING=)?QUOTED-PRINTABLE$/i.test(each))
  const charset = parameters
    .find((each) => /^CHARSET=/i.test(each))
    ?.slice(8)
    .replace(/"/g, '')
  const types = parameters.flatMap((each) => {
    if (/^(?:ENCODING|CHARSET|LANGUAGE|VALUE)=|^(?:QUOTED-PRINTABLE|BASE64|8BIT|7BIT)$/i.test(each)) return []
    return `;${each.includes('=') ? each : `TYPE=${each}`}`
  })
  return `${name}${types.join('')}:${isQuoted ? unquoted(value, (charset && encodingNamed(charset)) ?? encoding) : value}`
}

function unquoted(text: string, encoding: string): string {
  return decoded(quotedBytes(text), encoding).replace(/\r\n?/g, '\n')
}

/** The bytes of a quoted-printable text. */
export const quotedBytes = (text: string): Buffer =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
