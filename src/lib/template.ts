import { createRequire } from 'node:module'
import type mustache from 'mustache'

// Texts with variables: {{contact.first_name}}, {{#deal.title}}about {{deal.title}}{{/deal.title}}, and {{^deal.title}}
// for a missing one. They are plain text, so {{x}}, {{{x}}} and {{&x}} are the same.

// Loaded at the first use, as in html/sanitize.ts, to keep the start fast.
const requireHere = typeof require === 'function' ? undefined : createRequire(import.meta.filename)
const library = (): typeof mustache => (requireHere ? requireHere('mustache') : require('mustache'))

export type TemplateFault = { code: 'invalid_template' | 'unknown_variable'; message: string }

/** Sections open at the same time. */
const MAX_DEPTH = 10
/** Characters between the braces of a tag. */
const MAX_TAG = 200
const MAX_FAULTS = 10

const MAX_TEXT_BYTES = 65_536
const MAX_LINE = 255

/** The first ten errors of a template, in the order of the text. A message continues the name of its field. */
export function templateFaults(text: string, isKnown: (name: string) => boolean): TemplateFault[] {
  const faults: TemplateFault[] = []
  const addFault = (message: string) => faults.push({ code: 'invalid_template', message })
  const open: { name: string; tag: string; line: number }[] = []
  let line = 1
  let counted = 0
  for (let start = text.indexOf('{{'); start >= 0; start = text.indexOf('{{', counted)) {
    line += breaksIn(text.slice(counted, start))
    const { sign, close, end, name, isLong } = tagAt(text, start)
    if (end < 0) {
      addFault(`must have "${close}" after the "{{${sign}" in line ${line}`)
      return faults
    }
    const tag = shortened(text.slice(start, end))
    if (isLong) addFault(`must not have more than ${MAX_TAG} characters in ${tag} in line ${line}`)
    else if (sign === '/') {
      const last = open.pop()
      if (!last) addFault(`must not close ${tag} in line ${line}: no section is open there`)
      else if (last.name !== name) {
        addFault(`must close ${last.tag} of line ${last.line} before ${tag} in line ${line}`)
        return faults
      }
    } else if (REFUSED.has(sign))
      addFault(`must not have ${tag} in line ${line}: ${REFUSED.get(sign)} are not supported`)
    else {
      if (!isKnown(name)) {
        faults.push({
          code: 'unknown_variable',
          message: `must not have ${tag} in line ${line}: there is no such variable`,
        })
      }
      if (sign === '#' || sign === '^') open.push({ name, tag, line })
      if (open.length > MAX_DEPTH) {
        addFault(`must not nest more than ${MAX_DEPTH} sections, as in line ${line}`)
        return faults
      }
    }
    if (faults.length >= MAX_FAULTS) return faults
    line += breaksIn(text.slice(start, end))
    counted = end
  }
  const last = open.pop()
  if (last) addFault(`must close ${last.tag} of line ${last.line} with {{/${last.name}}}`)
  return faults
}

const REFUSED = new Map([
  ['>', 'partials'],
  ['=', 'other delimiters'],
  ['!', 'comments'],
])

/** The tag at `start`, as the library parses it; `end` is -1 if the tag is not closed. */
function tagAt(text: string, start: number) {
  const from = start + 2
  const [space] = /^\s*/.exec(text.slice(from, from + MAX_TAG)) as RegExpExecArray
  const first = text[from + space.length] ?? ''
  const sign = '#^/>{&=!'.includes(first) ? first : ''
  const close = sign === '{' ? '}}}' : '}}'
  const inner = from + space.length + sign.length
  const at = text.indexOf(close, inner)
  const isLong = at - from > MAX_TAG
  return { sign, close, end: at < 0 ? -1 : at + close.length, name: isLong ? '' : text.slice(inner, at).trim(), isLong }
}

const breaksIn = (text: string): number => text.split('\n').length - 1

const shortened = (tag: string): string => {
  const plain = tag.replace(/\s+/g, ' ')
  return plain.length <= 80 ? plain : `${plain.slice(0, 80).toWellFormed()}…`
}

/** The values of the variables, as nested objects: `{contact: {first_name: 'Ana'}}`. */
export type View = { [name: string]: View | string | number | boolean | readonly string[] | null | undefined }

/**
 * Fills in a template without faults. Missing, null and empty values render as nothing, or as `missing` says, and so does
 * false in a section. Cuts the text at 64 KiB.
 */
export function fill(text: string, view: View, missing: Missing = () => ''): string {
  const filled = render(writer().parse(text) as Token[], view, MAX_TEXT_BYTES, missing).normalize('NFC')
  const { read } = new TextEncoder().encodeInto(filled, new Uint8Array(MAX_TEXT_BYTES))
  return filled.slice(0, read)
}

/** What stands for a variable without a value. */
type Missing = (name: string) => string

/**
 * A piece of a text that is filled in, in its order. `fallback` is what stands there because a variable has no value,
 * `missing` that nothing does. `name` is the variable.
 */
export type FilledPart = { is: 'text' | 'value' | 'fallback' | 'missing'; text: string; name?: string }

/** The same as `fill`, in pieces that say where they come from. Together they are its text, but for how long it may be. */
export function fillParts(text: string, view: View): FilledPart[] {
  const parts: FilledPart[] = []
  collect(writer().parse(text) as Token[], view, undefined, parts)
  return parts.map((part) => ({ ...part, text: part.text.normalize('NFC') }))
}

function collect(tokens: readonly Token[], view: View, fallbackOf: string | undefined, parts: FilledPart[]): void {
  for (const [kind, value, , , inner = []] of tokens) {
    const found = find(view, value)
    if (kind === 'text')
      parts.push(
        fallbackOf === undefined ? { is: 'text', text: value } : { is: 'fallback', text: value, name: fallbackOf },
      )
    else if (kind === 'name' || kind === '&') {
      const filled = textOf(found)
      parts.push({ is: filled ? 'value' : 'missing', text: filled, name: value })
    } else if (isThere(found) === (kind === '#')) collect(inner, view, kind === '^' ? value : fallbackOf, parts)
  }
}

/** The variables of a text that leave a hole where they have no value: outside of a section of theirs, or with an empty fallback. */
export function withoutFallback(text: string): string[] {
  const names = new Set<string>()
  const look = (tokens: readonly Token[], known: readonly string[]): void => {
    for (const [kind, value, , , inner = []] of tokens) {
      if ((kind === 'name' || kind === '&') && !known.includes(value)) names.add(value)
      else if (kind === '#') look(inner, [...known, value])
      else if (kind === '^' && inner.length === 0) names.add(value)
      else if (kind === '^') look(inner, known)
    }
  }
  look(writer().parse(text) as Token[], [])
  return [...names]
}

/** For a person who reads the text before it goes: what is missing stays as it was written. */
export const fillVisibly = (text: string, view: View): string => fill(text, view, (name) => `{{${name}}}`)

/** The same as `fill` as one line, such as a subject: without line breaks and control characters, cut at 255 characters. */
export function fillLine(text: string, view: View): string {
  const line = fill(text, view)
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
  return [...line].slice(0, MAX_LINE).join('').trimEnd()
}

/** A token of the library: its kind, value, start and end, and the content of a section. */
type Token = [kind: string, value: string, start: number, end: number, inner?: Token[]]

/** A writer without a cache. */
function writer(): mustache.Writer {
  const { Writer } = library()
  return Object.assign(new Writer(), { templateCache: undefined })
}

function render(tokens: readonly Token[], view: View, max: number, missing: Missing): string {
  let out = ''
  for (const [kind, value, , , inner = []] of tokens) {
    if (out.length >= max) break
    if (kind === 'text') out += value
    else if (kind === 'name' || kind === '&') out += textOf(find(view, value)) || missing(value)
    else if (isThere(find(view, value)) === (kind === '#')) out += render(inner, view, max - out.length, missing)
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
