// What is inside of a line of Markdown: code, mentions, links, strong, emphasis, struck and addresses, after the rules of
// CommonMark. One pass finds the marks, one pairs them, and one makes a tree of them: a mark without its other half costs no
// second look at the text.

export type Node =
  | string
  | { is: 'code'; text: string }
  | { is: 'mention'; member: string; children: Node[] }
  | { is: 'link'; href: string; children: Node[] }
  /** A file of the same message, by its name. */
  | { is: 'picture'; file: string; children: Node[] }
  | { is: 'strong' | 'weak' | 'gone'; children: Node[] }

type Parent = Exclude<Node, string | { is: 'code' }>
type Emphasis = 'strong' | 'weak' | 'gone'

/** A run of equal signs, of which `left` are not part of a pair yet. */
type Run = {
  sign: string
  length: number
  left: number
  mayOpen: boolean
  mayClose: boolean
  opens: Emphasis[]
  closes: Emphasis[]
}
/** A bracket that may be the start of a link; `runs` stand before it. */
type Bracket = { text: string; runs: number; opens?: Parent }
type Token = string | { is: 'code'; text: string } | Run | Bracket | { closes: true } | { whole: Node }

/** Marks inside of each other; those that are deeper are left out. */
const MAX_LEVELS = 20

const PLAIN = /[^\\`*_~[\]@!<h]+/y
const ESCAPED = /\\([!-/:-@[-`{-~])/y
const TICKS = /`+/g
const SIGNS = /\*+|_+|~+/y
const ANGLE = /<((?:https?:\/\/|mailto:)[^\s<>]*)>/y
const ADDRESS = /https?:\/\/[^\s<>"[\]]+/y
const TARGET = /\(<?((?:https?:\/\/|mailto:)(?:[^\s()<>]|\([^\s()<>]{0,200}\)){0,2000})>?(?:[ \t]+"[^"]{0,500}")?\)/y
const PICTURE = /\(cid:([^\s()<>]{1,800})\)/y
const MEMBER = /\(member:([0-9a-f-]{36})\)/y

export function nodesOf(text: string): Node[] {
  const tokens: Token[] = []
  const brackets: Bracket[] = []
  const ends = ticksBySize(text)
  let runs: Run[] = []
  let at = 0

  const found = (pattern: RegExp, from = at): RegExpExecArray | null => {
    pattern.lastIndex = from
    return pattern.exec(text)
  }

  /** A bracket that closes: the text since its other half is the label of what follows. */
  function label(): void {
    const open = brackets.pop()
    const isMention = open?.text.startsWith('@') === true
    const picture = open?.text === '![' && at + 1 < text.length ? found(PICTURE, at + 1) : null
    const target = picture ?? (open && at + 1 < text.length ? found(isMention ? MEMBER : TARGET, at + 1) : null)
    at++
    if (!open || !target) return void tokens.push(']')
    const [whole, to = ''] = target
    if (picture) open.opens = { is: 'picture', file: fileOf(to), children: [] }
    else open.opens = isMention ? { is: 'mention', member: to, children: [] } : { is: 'link', href: to, children: [] }
    pair(runs.slice(open.runs))
    runs = runs.slice(0, open.runs)
    brackets.length = 0 // a link has no link around it
    tokens.push({ closes: true })
    at += whole.length
  }

  function code(length: number): void {
    const places = ends.get(length) as number[]
    while ((places.at(-1) ?? text.length) <= at) places.pop()
    const end = places.at(-1)
    if (end === undefined) tokens.push('`'.repeat(length))
    else tokens.push({ is: 'code', text: codeText(text.slice(at + length, end)) })
    at = end === undefined ? at + length : end + length
  }

  while (at < text.length) {
    const sign = text[at] as string
    const plain = found(PLAIN)?.[0]
    if (plain) {
      tokens.push(plain)
      at += plain.length
      continue
    }
    const escaped = sign === '\\' ? found(ESCAPED)?.[1] : undefined
    const signs = found(SIGNS)?.[0]
    const angle = sign === '<' ? found(ANGLE) : null
    const address = sign === 'h' && !/\w/.test(text[at - 1] ?? '') ? found(ADDRESS)?.[0] : undefined
    if (escaped) {
      tokens.push(escaped)
      at += 2
    } else if (sign === '`') code((found(/`+/y) as RegExpExecArray)[0].length)
    else if (signs) {
      const run = runOf(signs, text[at - 1] ?? ' ', text[at + signs.length] ?? ' ')
      tokens.push(run)
      runs.push(run)
      at += signs.length
    } else if (angle) {
      tokens.push({ whole: { is: 'link', href: angle[1] as string, children: [angle[1] as string] } })
      at += angle[0].length
    } else if (address) {
      const href = withoutEnd(address)
      tokens.push({ whole: { is: 'link', href, children: [href] } })
      at += href.length
    } else if (sign === ']') label()
    else if (sign === '[' || ((sign === '@' || sign === '!') && text[at + 1] === '[')) {
      const open = { text: sign === '[' ? sign : `${sign}[`, runs: runs.length }
      brackets.push(open)
      tokens.push(open)
      at += open.text.length
    } else {
      tokens.push(sign)
      at++
    }
  }
  pair(runs)
  return treeOf(tokens)
}

function fileOf(written: string): string {
  try {
    return decodeURIComponent(written)
  } catch {
    return written
  }
}

/** The places of runs of backticks by their lengths, the last first. */
function ticksBySize(text: string): Map<number, number[]> {
  const places = new Map<number, number[]>()
  for (const {
    0: { length },
    index,
  } of text.matchAll(TICKS)) {
    const same = places.get(length)
    if (same) same.push(index)
    else places.set(length, [index])
  }
  for (const same of places.values()) same.reverse()
  return places
}

/** One space at both ends is there to set off a backtick. */
const codeText = (text: string): string =>
  text.startsWith(' ') && text.endsWith(' ') && text.trim() !== '' ? text.slice(1, -1) : text

/** Punctuation at the end of an address belongs to the sentence, and so does a bracket that was not opened in it. */
function withoutEnd(address: string): string {
  let open = 0
  for (const sign of address) open += sign === '(' ? 1 : sign === ')' ? -1 : 0
  let end = address.length
  for (; end > 0; end--) {
    const sign = address[end - 1] as string
    if (sign === ')' ? open >= 0 : !/[.,;:!?'*_~`]/.test(sign)) break
    if (sign === ')') open++
  }
  return address.slice(0, end)
}

const isSpace = (sign: string): boolean => /\s/.test(sign)
const isPunctuation = (sign: string): boolean => /[\p{P}\p{S}]/u.test(sign)

/** Whether a run may open or close depends on what stands on its sides. */
function runOf(signs: string, before: string, after: string): Run {
  const sign = signs[0] as string
  const isLeft = !isSpace(after) && (!isPunctuation(after) || isSpace(before) || isPunctuation(before))
  const isRight = !isSpace(before) && (!isPunctuation(before) || isSpace(after) || isPunctuation(after))
  const isUsed = sign !== '~' || signs.length === 2
  return {
    ...{ sign, length: signs.length, left: signs.length, opens: [], closes: [] },
    mayOpen: isUsed && isLeft && (sign !== '_' || !isRight || isPunctuation(before)),
    mayClose: isUsed && isRight && (sign !== '_' || !isLeft || isPunctuation(after)),
  }
}

/**
 * Pairs runs, the inner ones first. A run for which nothing was found is remembered by what matters to the search, so that
 * no other one of its kind looks at the same runs again.
 */
function pair(runs: readonly Run[]): void {
  const open: Run[] = []
  const searched = new Map<string, number>()

  function openerOf(run: Run): number {
    const kind = `${run.sign}${run.mayOpen}${run.length % 3}`
    const end = Math.min(searched.get(kind) ?? 0, open.length)
    for (let at = open.length - 1; at >= end; at--) if (isPair(open[at] as Run, run)) return at
    searched.set(kind, open.length)
    return -1
  }

  for (const run of runs) {
    while (run.mayClose && run.left > 0) {
      const at = openerOf(run)
      if (at < 0) break
      const first = open[at] as Run
      const size = first.left >= 2 && run.left >= 2 ? 2 : 1
      const what = run.sign === '~' ? 'gone' : size === 2 ? 'strong' : 'weak'
      first.opens.push(what)
      run.closes.push(what)
      first.left -= size
      run.left -= size
      open.length = first.left > 0 ? at + 1 : at
      for (const [kind, end] of searched) if (end > open.length) searched.set(kind, open.length)
    }
    if (run.mayOpen && run.left > 0) open.push(run)
  }
}

/** Of signs that may both open and close, three in all are no pair, unless both are multiples of three: `*a**b*`. */
const isPair = (first: Run, last: Run): boolean =>
  first.sign === last.sign &&
  !(
    (first.mayClose || last.mayOpen) &&
    (first.length + last.length) % 3 === 0 &&
    (first.length % 3 !== 0 || last.length % 3 !== 0)
  )

/** A link has no link in it. */
const hrefOf = (node: Node): Node => (typeof node !== 'string' && node.is === 'link' ? node.href : node)

function treeOf(tokens: readonly Token[]): Node[] {
  const root: Node[] = []
  const path: Parent[] = []
  let tooDeep = 0
  const add = (node: Node): void => {
    const siblings = path.at(-1)?.children ?? root
    const last = siblings.length - 1
    if (typeof node === 'string' && typeof siblings[last] === 'string') siblings[last] += node
    else if (node !== '') siblings.push(node)
  }
  const open = (parent: Parent): void => {
    if (path.length >= MAX_LEVELS) return void tooDeep++
    add(parent)
    path.push(parent)
  }
  const close = (): void => {
    if (tooDeep > 0) tooDeep--
    else path.pop()
  }
  for (const token of tokens) {
    if (typeof token === 'string') add(token)
    else if ('is' in token) add(token)
    else if ('whole' in token) add(path.some(({ is }) => is === 'link') ? hrefOf(token.whole) : token.whole)
    else if ('sign' in token) {
      for (const _ of token.closes) close()
      add(token.sign.repeat(token.left))
      for (const is of token.opens.toReversed()) open({ is, children: [] })
    } else if ('closes' in token) close()
    else if (token.opens) open(token.opens)
    else add(token.text)
  }
  return root
}
