import { createRequire } from 'node:module'
import type { TokenizerCallbacks } from 'htmlparser2'
import type sanitize from 'sanitize-html'
import { CODE, ELEMENTS, LINK_ATTRIBUTES, safeAttributes } from './allowed.ts'

// Both libraries together take some 20 ms to load, a tenth of a start, and nobody needs them before the first message in
// HTML comes. The bundle has a require, and what it names there is in the bundle; the sources have none.
const requireHere = typeof require === 'function' ? undefined : createRequire(import.meta.filename)
const sanitizer = (): typeof sanitize => (requireHere ? requireHere('sanitize-html') : require('sanitize-html'))
const parser = (): typeof import('htmlparser2') => (requireHere ? requireHere('htmlparser2') : require('htmlparser2'))

/** Deeper elements lose their tags, as in browsers. A long thread of replies comes to about half of it. */
const DEEPEST = 256
/** A mail with more is shown as text, since time grows with each: elements open at once, elements, signs to escape. */
const MAX_OPEN = 512
const MAX_ELEMENTS = 30_000
const MAX_ESCAPES = 100_000

/**
 * The HTML of a mail without what could do harm: scripts, styles that load or cover things, forms, frames, addresses
 * other than http, https, mailto and tel, and cid and pixels for images. What is sanitised comes out again as it is. A
 * mail that is built to take long becomes its text.
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
  // The library looks at what the rules left over once more, but not at style: the rules give back only what they know.
  parseStyleAttributes: false,
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https', 'cid', 'data'] },
  allowProtocolRelative: false,
  selfClosing: ['br', 'col', 'hr', 'img', 'wbr'],
  nestingLimit: DEEPEST,
  transformTags: { '*': (tagName, attribs) => ({ tagName, attribs: safeAttributes(tagName, attribs) }) },
}

const tooMuch = new Error('The HTML is more than is read.')

/**
 * Where an element opens directly in one that goes, and that in one that stays, the two meet in what comes out: a second
 * look may close the outer one first, as with a paragraph in a paragraph. A third finds nothing new, since by then what
 * stays is all there is. Gives undefined where the budget does not last.
 */
function sanitizeOnce(
  html: string,
  budget: { elements: number; escapes: number },
): { html: string; isSettled: boolean } | undefined {
  const open: boolean[] = []
  let staying = 0
  let isSettled = true
  try {
    const sanitized = sanitizer()(html, {
      ...options,
      onOpenTag: (name) => {
        if (staying > 0 && !open.at(-1)) isSettled = false
        const stays = open.length < DEEPEST && ELEMENTS.has(name)
        open.push(stays)
        staying += Number(stays)
        if (open.length > MAX_OPEN || budget.elements-- === 0) throw tooMuch
      },
      onCloseTag: () => {
        staying -= Number(open.pop())
      },
      // Counted as they come out: so it is the same number when they are read again.
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

/** How many line breaks stand before and after an element: two make an empty line. */
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
 * What a reader sees of the HTML, as plain text: lines where elements stand below each other, "- " before the items of a
 * list, white space as a browser shows it. Reads tag by tag and keeps no tree, so that depth costs nothing.
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
    // In SVG and MathML the slash closes; elsewhere it means nothing.
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

/** Puts lines below each other. What comes between two line breaks is kept as it stands until its end is known. */
function writer() {
  let written = ''
  let run = ''
  let breaks = 0
  let item = ''
  let preDepth = 0

  function endRun(): void {
    // The line break that a <pre> begins with is not of its text.
    const text =
      preDepth > 0 ? run.replace(/^\r?\n/, '').trimEnd() : run.replace(/[ \t\n\f\r]+/g, ' ').replace(/^ | $/g, '')
    run = ''
    // A line of spaces that must not break is how people write an empty line.
    if (text.trim() === '') breaks = Math.min(breaks + Number(text !== ''), 2)
    else {
      written += (written && '\n'.repeat(breaks)) + item + text
      breaks = 0
      item = ''
    }
  }
  function breakLine(tag: string): void {
    const wanted = BREAKS.get(tag)
    if (!wanted) return
    endRun()
    breaks = tag === 'br' ? Math.min(breaks + 1, 2) : Math.max(breaks, wanted)
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

/** Newsletters fill the preview with signs that nobody sees. At the end of a word they mean nothing in any script. */
const INVISIBLE = '(?:\u034f|[\u00ad\u200b-\u200d\u2060])'
const INVISIBLE_ENDS = new RegExp(`(?<!${INVISIBLE})${INVISIBLE}+(?=\\s|$)`, 'g')

const plainLine = (line: string): string => line.replaceAll('\u00a0', ' ').replace(INVISIBLE_ENDS, '').trimEnd()
