import { emailKey } from '../../lib/email.ts'
import { fold } from '../../lib/pure/fold.ts'
import { seen } from '../../lib/pure/invisible.ts'
import { isMailProvider, nameOfHost } from '../../lib/pure/mail-providers.ts'
import { readAddress, type WrittenAddress } from '../../lib/written/people/addresses.ts'
import { labelOf } from '../../lib/written/people/contact-words.ts'
import { readEmails } from '../../lib/written/people/emails.ts'
import { isGivenName } from '../../lib/written/people/given-names.ts'
import { namesOf } from '../../lib/written/people/name-fields.ts'
import { readNames } from '../../lib/written/people/name-order.ts'
import { JOB, LEGAL } from '../../lib/written/people/name-words.ts'
import type { WrittenName } from '../../lib/written/people/names.ts'
import { readPhonesIn } from '../../lib/written/people/phone-countries.ts'
import { readWebAddress } from '../../lib/written/people/web.ts'
import type { Context } from '../../lib/written/reading.ts'
import { apart, LONGEST_LINE } from './people.ts'

// One person in a few lines, by the readers of names, emails, phones and addresses: which line is what is nowhere said.

export type Label = 'work' | 'home' | 'other'

/** What a text says of a person. `unread` is what could be anything: a note keeps it. */
export type Card = {
  first_name?: string
  last_name?: string
  job_title?: string
  emails: { email: string; label: Label }[]
  phones: { number: string; label: Label }[]
  website?: string
  linkedin_url?: string
  address?: WrittenAddress
  company?: string
  unread: string[]
}

/** `isCompany`: whether there is a company of this name. */
export type CardContext = Context & {
  countryNamed: (text: string) => string | undefined
  isCompany: (name: string) => boolean
}

/** A part of the text that no reader of reaches has taken; `at` is its place, and `isFront` if an address stands behind it. */
type Piece = { text: string; at: number; isFront?: boolean }

const MOST_PIECES = 40

/** `isRow`: the lines are cells, which have no order. */
export function readCard(lines: readonly string[], context: CardContext, isRow = false): Card {
  const card: Card = { emails: [], phones: [], unread: [] }
  const pieces: Piece[] = []
  const parts = lines.flatMap(partsOf)
  parts.slice(0, MOST_PIECES).forEach((text, at) => {
    pieces.push(...takeReach(card, text, context).map((piece) => ({ ...piece, at })))
  })
  const hosts = hostsOf(card)
  const left = pieces.filter(({ text }) => /[\p{L}\d]/u.test(text) && !CLOSING.test(text))
  takeCompany(card, left, hosts, context)
  const nameAt = takeName(card, left, context)
  takeJob(card, left)
  takeAddress(card, left, context)
  // In a signature, the line below the name is what somebody does.
  const below = left.findIndex(({ text, at }) => at === (nameAt ?? -2) + 1 && !/\d/.test(text))
  if (card.job_title === undefined && below >= 0 && lines.length > 2 && !isRow) card.job_title = cut(left, below)
  card.unread.push(...left.map(({ text }) => text), ...parts.slice(MOST_PIECES))
  return card
}

/** Between two facts in a line. */
const BETWEEN = /\s*[|｜·•\t]\s*|\s+[–—]\s+/u

/** Commas stand in names and addresses as well: they are between parts where a part beside them is a reach. */
function partsOf(line: string): string[] {
  if (line.length > LONGEST_LINE) return [line]
  // Mail programs write what a link leads to behind it.
  return seen(line.replace(/(\S)<(?:mailto:|https?:\/\/)[^<>\s]*>/gi, '$1'))
    .split(BETWEEN)
    .map((part) => part.replace(/^[-–—_*=>\s]+|[-–—_*=\s]+$/g, '').trim())
    .filter(Boolean)
    .flatMap((part) => {
      const parts = [';', ','].flatMap((sign) => (part.includes(sign) ? [apart(part, sign as ';')] : []))[0] ?? [part]
      const isList = parts.length > 1 && parts.some((each) => each.includes('@') || isNumber(each))
      return isList && !isNumber(part) ? inverted(parts) : [part]
    })
}

/** "Pérez, Ana, ana@…": two words with a comma between them are one name. */
function inverted([first = '', second = '', ...more]: string[]): string[] {
  const given = second.replace(/<.*$/, '').trim()
  const isName = !/[\s@\d]/.test(first) && !/[@\d]/.test(given) && isGivenName(given.split(' ')[0] as string)
  return isName && !isGivenName(first) ? [`${first}, ${second}`, ...more] : [first, second, ...more].filter(Boolean)
}

const isNumber = (text: string): boolean =>
  (text.match(/\d/g)?.length ?? 0) >= 6 && 'value' in readPhonesIn(text, { isSeen: true })

/** Takes emails, phones and web addresses out of a part, and returns what is left of it. */
function takeReach(card: Card, text: string, context: CardContext): Omit<Piece, 'at'>[] {
  if (text.length > LONGEST_LINE) return [{ text }]
  if (text.includes('@')) return takeEmails(card, text, context)
  if (takeWeb(card, text)) return []
  if ((text.match(/\d/g)?.length ?? 0) < 6) return [{ text }]
  const read = readPhonesIn(text, { ...context, isSeen: true })
  if (!('value' in read)) {
    // Words in front of a number that are no label of it.
    const [, front, number] = /^(\D*\p{L}\D*?)\s+((?:\+|\(?0)[\d\s()/.-]+)$/u.exec(text) ?? []
    const isApart = front !== undefined && number !== undefined && isNumber(number)
    return isApart ? [{ text: front }, ...takeReach(card, number, context)] : [{ text }]
  }
  for (const { number, extension, label = 'work' } of read.value) {
    const whole = extension === undefined || number.includes(extension) ? number : `${number} ext. ${extension}`
    if (!card.phones.some((each) => each.number === whole)) card.phones.push({ number: whole, label })
  }
  return []
}

function takeEmails(card: Card, text: string, context: CardContext): Omit<Piece, 'at'>[] {
  const [, front = '', bracketed, behind = ''] = /^([^<]*)<([^<>@]*@[^<>@]*)>(.*)$/su.exec(text) ?? []
  const read = readEmails(bracketed ?? text, { isSeen: true })
  if ('value' in read) {
    for (const { email, label = 'work' } of read.value)
      if (!card.emails.some((each) => emailKey(each.email) === emailKey(email))) card.emails.push({ email, label })
    const rest = behind.replace(/^[\s,;]+/, '')
    const name = withoutLabel(front)
    return [
      ...(name === '' ? [] : [{ text: name, isFront: true }]),
      ...(rest === '' ? [] : takeReach(card, rest, context)),
    ]
  }
  // Words around an address: "Ana Pérez ana@office.example +34 600 123 456".
  const words = text.split(/\s+/)
  const at = words.findIndex((word) => word.includes('@') && 'value' in readEmails(word, { isSeen: true }))
  if (at < 0 || words.length === 1 || bracketed !== undefined) return [{ text }]
  const name = withoutLabel(words.slice(0, at).join(' '))
  const rest = words.slice(at + 1).join(' ')
  return [
    ...takeEmails(card, words[at] as string, context),
    ...(name === '' ? [] : [{ text: name, isFront: true }]),
    ...(rest === '' ? [] : takeReach(card, rest, context)),
  ]
}

/** "E-mail:" in front of an address is no name, and "From:" no part of one. */
function withoutLabel(text: string): string {
  const bare = text.replace(/^\s*\p{L}{2,10}:\s+(?=\S)/u, '').replace(/^["'\s]+|["'\s,;]+$/g, '')
  return /@/.test(bare) || labelOf(bare.replace(/:$/, '')) !== undefined ? '' : bare
}

function takeWeb(card: Card, text: string): boolean {
  const isLikely =
    /(?:^|:\s*)(?:https?:\/\/|www\.)\S+$/i.test(text) ||
    /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}(?:\/\S*)?$/u.test(text)
  const read = isLikely && !LEGAL.test(text) ? readWebAddress(text.replace(/^\p{L}+:\s+(?=\S)/u, '')) : undefined
  if (!read || !('value' in read)) return false
  const isLinked = /^https?:\/\/(?:[\w-]+\.)?linkedin\.com\//i.test(read.value)
  const name = isLinked ? 'linkedin_url' : 'website'
  if (card[name] !== undefined) return false
  card[name] = read.value
  return true
}

/** The hosts of a person that may be those of a company. */
export const hostsOf = ({ emails, website }: Pick<Card, 'emails' | 'website'>): string[] =>
  [
    ...emails.map(({ email }) => email.slice(email.lastIndexOf('@') + 1).toLowerCase()),
    ...(website ? [new URL(website).hostname.replace(/^www\./, '')] : []),
  ].filter((host) => host.includes('.') && !isMailProvider(host))

const letters = (text: string): string => fold(text).replace(/[^\p{L}\p{N}]/gu, '')

/** "Northwind Traders" of ana@northwind.example, and "Officine Parisi" of officine-parisi.example. */
const isOfHost = (text: string, host: string): boolean => {
  const [own, name] = [letters(text), letters(nameOfHost(host))]
  return own.length > 2 && name.length > 2 && (own.startsWith(name) || name.startsWith(own))
}

function takeCompany(card: Card, left: Piece[], hosts: readonly string[], { isCompany }: CardContext): void {
  const isNone = ({ text, isFront }: Piece) => isFront || /\d{4,}/.test(text)
  const find = (test: (text: string) => boolean) => left.findIndex((piece) => !isNone(piece) && test(piece.text))
  const tests = [
    (text: string) => LEGAL.test(text) && !text.includes(','),
    isCompany,
    (text: string) => hosts.some((host) => isOfHost(text, host)) && !isPerson(text),
  ]
  const at = tests.reduce((found, test) => (found < 0 ? find(test) : found), -1)
  if (at >= 0) card.company = cut(left, at)
}

const isPerson = (text: string): boolean => isGivenName(text.split(/[\s,]+/)[0] as string) && /\s/.test(text)

/** Returns the place of the name. */
function takeName(card: Card, left: Piece[], context: CardContext): number | undefined {
  const candidates = left.flatMap((piece, index) => {
    const name = JOB.test(piece.text) && !piece.isFront ? undefined : nameIn(piece, context)
    return name ? [{ index, name, piece, rank: rankOf(piece, name, card) }] : []
  })
  const [best] = candidates.toSorted((one, other) => one.rank - other.rank)
  const front = left.findIndex(({ isFront }) => isFront)
  // "Sales Team <sales@…>" is called so all the same.
  if (!best && front >= 0) card.last_name = cut(left, front)
  if (!best) return undefined
  const { piece, name } = best
  left.splice(best.index, 1)
  Object.assign(card, namesOf(name))
  if (name.company !== undefined && card.company === undefined) card.company = name.company
  else if (name.company !== undefined) card.unread.push(piece.text)
  if (name.rest !== undefined && JOB.test(name.rest) && card.job_title === undefined) card.job_title = name.rest
  else if (name.rest !== undefined || name.nickname !== undefined) card.unread.push(piece.text)
  return piece.at
}

function nameIn({ text, isFront, at }: Piece, context: CardContext): WrittenName | undefined {
  const isSentence = !isFront && /^\p{Ll}/u.test(text)
  if (/\d|@/.test(text) || isSentence || text.split(/\s+/).length > 7) return undefined
  const read = readNames(text, { ...context, isSeen: true })
  if (!('value' in read)) return undefined
  const { given, family } = read.value
  // One word is a name only where names stand.
  const isOne = given !== undefined && (isFront === true || (at === 0 && isGivenName(given)))
  return (given !== undefined && family !== undefined) || isOne ? read.value : undefined
}

/** The name beside an address, then one of which the address has a word, then a common first name, then the first line. */
function rankOf({ isFront }: Piece, { given = '', family = '' }: WrittenName, { emails }: Card): number {
  if (isFront) return 0
  const locals = emails.map(({ email }) => letters(email.slice(0, email.lastIndexOf('@'))))
  const isIn = [given, family].some(
    (word) => letters(word).length > 2 && locals.some((local) => local.includes(letters(word))),
  )
  if (isIn) return 1
  return isGivenName(given.split(' ')[0] as string) ? 2 : 3
}

function takeJob(card: Card, left: Piece[]): void {
  const at = left.findIndex(({ text }) => JOB.test(text) && !/\d{3,}/.test(text))
  if (at >= 0 && card.job_title === undefined) card.job_title = cut(left, at)
}

const MOST_LINES = 5

/** The run of neighbouring parts that says most about where somebody is. */
function takeAddress(card: Card, left: Piece[], context: CardContext): void {
  let best: { from: number; to: number; address: WrittenAddress; score: number } | undefined
  for (let from = 0; from < left.length; from++) {
    for (let to = from + 1; to <= Math.min(left.length, from + MOST_LINES); to++) {
      const run = left.slice(from, to)
      if (run.some(({ at }, index) => at > (run[0] as Piece).at + index + 1)) break
      const text = run.map((piece) => piece.text).join('\n')
      const read = /\d/.test(text) && !IS_LABELLED.test(text) ? readAddress(text, context) : undefined
      if (!read || !('value' in read) || !isPlace(read.value)) continue
      const { rest, ...parts } = read.value
      const score = Object.keys(parts).length - (rest === undefined ? 0 : 3) - (parts.line2 === undefined ? 0 : 2)
      if (!best || score > best.score) best = { from, to, address: read.value, score }
    }
  }
  if (!best) return
  const { rest, ...address } = withoutFirm(best.address, card)
  left.splice(best.from, best.to - best.from)
  card.address = address
  if (rest !== undefined && card.company === undefined && LEGAL.test(rest)) card.company = rest
  else if (rest !== undefined) card.unread.push(rest)
}

/** "mobile:", and what is written around addresses of mail: no line of a postal address. */
const IS_LABELLED = /[@<>]|^\p{L}[\p{L} .-]*:\s/mu

/** The company that stands in a line of an address. */
function withoutFirm(address: WrittenAddress, card: Card): WrittenAddress {
  const after = { ...address }
  for (const name of ['line1', 'line2'] as const) {
    const parts = address[name]?.split(', ') ?? []
    const firm = parts.find((part) => LEGAL.test(part))
    if (firm === undefined || card.company !== undefined) continue
    card.company = firm
    const rest = parts.filter((part) => part !== firm).join(', ')
    if (rest === '') delete after[name]
    else after[name] = rest
  }
  return after
}

const isPlace = ({ line1, city, postal_code, country }: WrittenAddress): boolean =>
  city !== undefined && (postal_code !== undefined || (line1 !== undefined && country !== undefined))

function cut(left: Piece[], at: number): string {
  const [piece] = left.splice(at, 1)
  return (piece as Piece).text
}

/** What stands above a name at the end of a letter says nothing about a person. */
const CLOSING =
  /^(?:(?:(?:with|mit|viele|liebe|besten?|herzlichen?|freundlichen?|schönen?|kind|warm|many) )*(?:regards|wishes|gr(?:ü|ue)(?:ß|ss)e[n]?|thanks)|(?:yours )?(?:sincerely|faithfully|truly)(?: yours)?|cheers|thanks|thank you|danke|cordialement|bien à vous|un saludo|saludos(?: cordiales)?|atentamente|cordiali saluti|distinti saluti|met vriendelijke groet(?:en)?|sent from my .*|von meinem .* gesendet|v(?:g|iele gr(?:ü|ue)(?:ß|ss)e)|mfg|lg|br)[,.!]?$/iu
