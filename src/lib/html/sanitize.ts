import { createRequire } from 'node:module'
import type { TokenizerCallbacks } from 'htmlparser2'
import type sanitize from 'sanitize-html'
import { CODE, ELEMENTS, LINK_ATTRIBUTES, safeAttributes } from './allowed.ts'

// Loaded at the first use: both libraries together take about 20 ms to load, a tenth of the start time, and are needed
// only for messages in HTML. The bundle has `require`, and these modules are in the bundle; the sources run as ES
// modules, without it.
const requireHere = typeof require === 'function' ? undefined : createRequire(import.meta.filename)
const sanitizer = (): typeof sanitize => (requireHere ? requireHere('sanitize-html') : require('sanitize-html'))
const parser = (): typeof import('htmlparser2') => (requireHere ? requireHere('htmlparser2') : require('htmlparser2'))

/** Deeper elements lose their tags, as in browsers. A long thread of replies reaches about half of it. */
const MAX_DEPTH = 256
/**
 * Beyond these limits a mail is shown as text, since they bound the time: open elements, elements, characters to
 * escape.
 */
const MAX_OPEN = 512
const MAX_ELEMENTS = 30_000
const MAX_ESCAPES = 100_000

/**
 * The HTML of a mail without anything harmful: scripts, styles that load or cover things, forms, frames, and addresses
 * other than http, https, mailto and tel, or cid and inline pixels for images. Sanitized HTML is returned unchanged. A
 * mail built to take long becomes plain text.
 */
export function sanitizeHtml(html: string): string {
  const whole = html.replaceAll('\0', '')
  const budget = { elements: MAX_ELEMENTS, escapes: MAX_ESCAPES }
  const once = sanitizeOnce(whole, budget)
  const result = once?.isSettled === false ? sanitizeOnce(once.html, budget) : once
  if (result) return result.html.trim()
  const text = textOfHtml(whole)
  return text && `<pre style="white-space:pre-wrap">${escaped(text)}</pre>`
}

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

const allowedAttributes = Object.fromEntries(
  [...ELEMENTS].map(([tag, rules]) => [tag, [...rules.keys(), ...(tag === 'a' ? LINK_ATTRIBUTES : [])]]),
)

const options: sanitize.IOptions = {
  allowedTags: [...ELEMENTS.keys()],
  nonTextTags: [...CODE],
  allowedAttributes,
  // The library checks the remaining attributes again, but not style: the rules return only what they allow.
  parseStyleAttributes: false,
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https', 'cid', 'data'] },
  allowProtocolRelative: false,
  selfClosing: ['br', 'col', 'hr', 'img', 'wbr'],
  nestingLimit: MAX_DEPTH,
  transformTags: { '*': (tagName, attribs) => ({ tagName, attribs: safeAttributes(tagName, attribs) }) },
}

const tooMuch = new Error('The HTML is more than is read.')

/**
 * One pass of the library. If an element opens directly in a removed one, and that one in an allowed one, the two
 * become adjacent in the output: a second pass may close the outer one first, as with a paragraph in a paragraph. A
 * third changes nothing, since by then only allowed elements are left. Returns undefined if the budget is exceeded.
 */
function sanitizeOnce(
  html: string,
  budget: { elements: number; escapes: number },
): { html: string; isSettled: boolean } | undefined {
  const open: boolean[] = []
  let openAllowed = 0
  let isSettled = true
  try {
    const sanitized = sanitizer()(html, {
      ...options,
      onOpenTag: (name) => {
        if (openAllowed > 0 && !open.at(-1)) isSettled = false
        const isAllowed = open.length < MAX_DEPTH && ELEMENTS.has(name)
        open.push(isAllowed)
        openAllowed += Number(isAllowed)
        if (open.length > MAX_OPEN || budget.elements-- === 0) throw tooMuch
      },
      onCloseTag: () => {
        openAllowed -= Number(open.pop())
      },
      // Counted in the output, so that a second pass counts the same number.
      textFilter: (text) => {
        for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1))
          if (budget.escapes-- === 0) throw tooMuch
        return text
      },
    })
    return { html: sanitized, isSettled }
  } catch (error) {
    if (error === tooMuch) return undefined
    throw error
  }
}

/** The number of line breaks before and after an element: two make an empty line. */
const BREAKS = new Map<string, number>([
  ...'blockquote dl h1 h2 h3 h4 h5 h6 hr ol p pre table ul'.split(' ').map((tag) => [tag, 2] as const),
  ...(
    'address article aside body br caption center dd details dir div dt fieldset figcaption figure footer form header ' +
    'hgroup html legend li main menu nav section summary tbody tfoot thead tr'
  )
    .split(' ')
    .map((tag) => [tag, 1] as const),
])

/**
 * The HTML as plain text, as a reader sees it: block elements on separate lines, "- " before list items, white space as
 * in a browser. Reads tag by tag without a tree, so that depth costs nothing.
 */
export function textOfHtml(html: string): string {
  const { Tokenizer } = parser()
  const page = writer()
  let tag = ''
  let code = ''
  let codeDepth = 0

  function openTag(start: number, end: number): void {
    tag = html.slice(start, end).toLowerCase()
    if (code) codeDepth += Number(tag === code)
    else if (CODE.has(tag)) {
      code = tag
      codeDepth = 1
    } else page.open(tag)
  }
  function closeTag(start: number, end: number): void {
    tag = html.slice(start, end).toLowerCase()
    if (!code) page.close(tag)
    else if (tag === code) closeCode()
  }
  function closeCode(): void {
    codeDepth--
    if (codeDepth === 0) code = ''
  }

  const nothing = () => {}
  const callbacks: TokenizerCallbacks = {
    onopentagname: openTag,
    onclosetag: closeTag,
    // In SVG and MathML the slash closes the element; elsewhere it has no effect.
    onselfclosingtag: () => tag === code && isForeign(code) && closeCode(),
    isInForeignContext: () => isForeign(code),
    ontext: (start, end) => code || page.text(html.slice(start, end)),
    ontextentity: (codePoint) => code || page.text(String.fromCodePoint(codePoint)),
    onattribdata: nothing,
    onattribend: nothing,
    onattribentity: nothing,
    onattribname: nothing,
    oncdata: nothing,
    oncomment: nothing,
    ondeclaration: nothing,
    onend: nothing,
    onopentagend: nothing,
    onprocessinginstruction: nothing,
  }
  const tokenizer = new Tokenizer({}, callbacks)
  tokenizer.write(html)
  tokenizer.end()
  return page.end()
}

const isForeign = (tag: string): boolean => tag === 'svg' || tag === 'math'

/** Builds the lines. Text between two line breaks is buffered until the line is complete. */
function writer() {
  let written = ''
  let run = ''
  let breaks = 0
  let item = ''
  let preDepth = 0

  function endRun(): void {
    // A line break at the start of a <pre> is not part of its text.
    const text =
      preDepth > 0 ? run.replace(/^\r?\n/, '').trimEnd() : run.replace(/[ \t\n\f\r]+/g, ' ').replace(/^ | $/g, '')
    run = ''
    // A line of non-breaking spaces is how people write an empty line.
    if (text.trim() === '') breaks = Math.min(breaks + Number(text !== ''), 2)
    else {
      written += (written && '\n'.repeat(breaks)) + item + text
      breaks = 0
      item = ''
    }
  }
  function breakLine(tag: string): void {
    const count = BREAKS.get(tag)
    if (!count) return
    endRun()
    breaks = tag === 'br' ? Math.min(breaks + 1, 2) : Math.max(breaks, count)
  }

  return {
    text(text: string): void {
      run += text
    },
    open(tag: string): void {
      if (tag === 'br' && preDepth > 0) run += '\n'
      else breakLine(tag)
      if (tag === 'li') item = '- '
      else if (tag === 'td' || tag === 'th') run += ' '
      else if (tag === 'pre') preDepth++
    },
    close(tag: string): void {
      breakLine(tag)
      if (tag === 'li' || tag === 'ol' || tag === 'ul') item = ''
      else if (tag === 'pre') preDepth = Math.max(preDepth - 1, 0)
    },
    end(): string {
      endRun()
      const lines = written.split(/\r\n?|\n/).map(plainLine)
      const first = lines.findIndex((line) => line !== '')
      const last = lines.findLastIndex((line) => line !== '')
      return lines.slice(Math.max(first, 0), last + 1).join('\n')
    },
  }
}

/** Newsletters fill the preview with invisible characters. At the end of a word they have no meaning in any script. */
const INVISIBLE = '(?:\u034f|[\u00ad\u200b-\u200d\u2060])'
const INVISIBLE_ENDS = new RegExp(`(?<!${INVISIBLE})${INVISIBLE}+(?=\\s|$)`, 'g')

const plainLine = (line: string): string => line.replaceAll('\u00a0', ' ').replace(INVISIBLE_ENDS, '').trimEnd()
