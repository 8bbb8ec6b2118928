import { createRequire } from 'node:module'
import type mustache from 'mustache'

// Texts with variables: {{contact.first_name}}, {{#deal.title}}about {{deal.title}}{{/deal.title}}, and {{^deal.title}}
// for where there is none. They are plain text, so {{x}}, {{{x}}} and {{&x}} are the same.

// Loaded at its first use, as in html.ts: a start needs no text to be filled in.
const requireHere = typeof require === 'function' ? undefined : createRequire(import.meta.filename)
const library = (): typeof mustache => (requireHere ? requireHere('mustache') : require('mustache'))

export type TemplateFault = { code: 'invalid_template' | 'unknown_variable'; message: string }

/** Sections open at once. */
const DEEPEST = 10
/** Signs between the braces of a tag. */
const MAX_TAG = 200
const MAX_FAULTS = 10

const MAX_TEXT_BYTES = 65_536
const MAX_LINE = 255

/** What is wrong with a template, in the order of the text: the first ten. A message continues the name of its field. */
export function templateFaults(text: string, isKnown: (name: string) => boolean): TemplateFault[] {
  const faults: TemplateFault[] = []
  const wrong = (message: string) => faults.push({ code: 'invalid_template', message })
  const open: { name: string; tag: string; line: number }[] = []
  let line = 1
  let counted = 0
  for (let start = text.indexOf('{{'); start >= 0; start = text.indexOf('{{', counted)) {
    line += breaksIn(text.slice(counted, start))
    const { sign, close, end, name, isLong } = tagAt(text, start)
    if (end < 0) {
      wrong(`must have "${close}" after the "{{${sign}" in line ${line}`)
      return faults
    }
    const tag = shortened(text.slice(start, end))
    if (isLong) wrong(`must not have more than ${MAX_TAG} signs in ${tag} in line ${line}`)
    else if (sign === '/') {
      const last = open.pop()
      if (!last) wrong(`must not close ${tag} in line ${line}: nothing is open there`)
      else if (last.name !== name) {
        wrong(`must close ${last.tag} of line ${last.line} before ${tag} in line ${line}`)
        return faults
      }
    } else if (REFUSED.has(sign)) wrong(`must not have ${tag} in line ${line}: ${REFUSED.get(sign)} are not for here`)
    else {
      if (!isKnown(name)) {
        faults.push({ code: 'unknown_variable', message: `must not have ${tag} in line ${line}: it is not known` })
      }
      if (sign === '#' || sign === '^') open.push({ name, tag, line })
      if (open.length > DEEPEST) {
        wrong(`must not have more than ${DEEPEST} sections in each other, as in line ${line}`)
        return faults
      }
    }
    if (faults.length >= MAX_FAULTS) return faults
    line += breaksIn(text.slice(start, end))
    counted = end
  }
  const last = open.pop()
  if (last) wrong(`must close ${last.tag} of line ${last.line}, by {{/${last.name}}}`)
  return faults
}

const REFUSED = new Map([
  ['>', 'parts of other texts'],
  ['=', 'other signs than braces'],
  ['!', 'comments'],
])

/** The tag that begins there, as the library reads it; its end is -1 where it has none. */
function tagAt(text: string, start: number) {
  const from = start + 2
  const [blank] = /^\s*/.exec(text.slice(from, from + MAX_TAG)) as RegExpExecArray
  const first = text[from + blank.length] ?? ''
  const sign = '#^/>{&=!'.includes(first) ? first : ''
  const close = sign === '{' ? '}}}' : '}}'
  const inner = from + blank.length + sign.length
  const at = text.indexOf(close, inner)
  const isLong = at - from > MAX_TAG
  return { sign, close, end: at < 0 ? -1 : at + close.length, name: isLong ? '' : text.slice(inner, at).trim(), isLong }
}

const breaksIn = (text: string): number => text.split('\n').length - 1

const shortened = (tag: string): string => {
  const plain = tag.replace(/\s+/g, ' ')
  return plain.length <= 80 ? plain : `${plain.slice(0, 80).toWellFormed()}…`
}

/** What the names of a template stand for, in objects in each other: `{contact: {first_name: 'Ana'}}`. */
export type View = { [name: string]: View | string | number | boolean | readonly string[] | null | undefined }

/**
 * The text of a template without faults. What the view does not have is nothing, and so is what is null, false in a
 * section, or empty. It is cut at 64 KiB.
 */
export function fill(text: string, view: View): string {
  const filled = render(writer().parse(text) as Token[], view, MAX_TEXT_BYTES).normalize('NFC')
  const { read } = new TextEncoder().encodeInto(filled, new Uint8Array(MAX_TEXT_BYTES))
  return filled.slice(0, read)
}

/** The same as one line, such as a subject: without line breaks and other signs that nobody sees, cut at 255 characters. */
export function fillLine(text: string, view: View): string {
  const line = fill(text, view)
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
  return [...line].slice(0, MAX_LINE).join('').trimEnd()
}

/** Of the library: its kind, its value, where it is, and what a section holds. */
type Token = [kind: string, value: string, start: number, end: number, inner?: Token[]]

/** One that keeps no text that it has read. */
function writer(): mustache.Writer {
  const { Writer } = library()
  return Object.assign(new Writer(), { templateCache: undefined })
}

function render(tokens: readonly Token[], view: View, most: number): string {
  let out = ''
  for (const [kind, value, , , inner = []] of tokens) {
    if (out.length >= most) break
    if (kind === 'text') out += value
    else if (kind === 'name' || kind === '&') out += textOf(find(view, value))
    else if (isThere(find(view, value)) === (kind === '#')) out += render(inner, view, most - out.length)
  }
  return out
}

/** Own members only: a name such as `constructor` finds nothing. */
function find(view: View, name: string): View[string] {
  let found: View[string] = view
  for (const part of name.split('.')) found = isView(found) && Object.hasOwn(found, part) ? found[part] : null
  return found
}

const isView = (value: View[string]): value is View =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: View[string]): string =>
  Array.isArray(value) ? value.join(', ') : value === null || typeof value === 'object' ? '' : String(value ?? '')

const isThere = (value: View[string]): boolean => value !== false && textOf(value) !== ''
