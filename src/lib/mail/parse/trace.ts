import { type Authentication, RESULTS, type Result, type TraceField } from '../mail.ts'
import type { Head } from './head.ts'

// What servers noted on top of a mail: that they received it, and how they judged its sender. Anybody can write such
// fields; mail/authentication.ts decides which to believe.

const MAX_FIELD = 4096
const MAX_HOST = 255

export const traceOf = ({ trace }: Head): TraceField[] =>
  trace.map(([name, value]) => (name === 'received' ? received(value) : judged(value)))

const COMMENTS = /\([^()]*\)/g

/** Comments may be nested a few times. */
function withoutComments(field: string): string {
  let text = field.slice(0, MAX_FIELD)
  for (let depth = 0; depth < 4 && text.includes('('); depth++) text = text.replace(COMMENTS, ' ')
  return text
}

/** RFC 5321, section 4.4. */
function received(field: string): TraceField {
  const plain = withoutComments(field)
  const from = hostIn(/^\s*from\s+([^\s;]+)/i.exec(plain)?.[1])
  const by = hostIn(/(?:^|\s)by\s+([^\s;]+)/i.exec(plain)?.[1])
  // A name that the other side claims proves nothing, its address does: Exim and qmail note the name as "helo=" and "HELO".
  const judged = field.slice(0, MAX_FIELD).replace(CLAIMED, '')
  const address = /^[^;]*?\((?:[^()]*\[)?(?:ipv6:)?([\da-f.:]{2,45})\]?/i.exec(judged)?.[1] ?? from ?? ''
  const isLocal = from === null || /\swith\s+lmtps?a?(?:\s|$)/i.test(plain) || PRIVATE.test(address.toLowerCase())
  return { kind: 'received', from, by, isLocal, isLoggedIn: LOGGED_IN.test(plain) }
}

const CLAIMED = /\b(?:helo|ehlo)[= ][^()]*/gi

/** RFC 3848 and RFC 6531; Exchange has "mapi". */
const LOGGED_IN = /\swith\s+(?:e?smtpsa|esmtpa|utf8smtps?a|mapi)(?:\s|$)/i

/** Loopback and private networks. */
const PRIVATE = /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|::1$|f[cd][\da-f]{2}:|fe80:)/

function hostIn(text: string | undefined): string | null {
  const host = text?.toLowerCase().replace(/^\[(?:ipv6:)?|\]$|\.$/g, '') ?? ''
  return host === '' || host.length > MAX_HOST ? null : host
}

/** RFC 8601. Exchange Online leaves out the name of the server. */
function judged(field: string): TraceField {
  const [first = '', ...rest] = withoutComments(field).split(';')
  const isNamed = !first.includes('=')
  const results: Authentication = { spf: null, dkim: null, dmarc: null }
  const domains: string[] = []
  for (const statement of isNamed ? rest : [first, ...rest]) {
    const [, method, word] = /^\s*(spf|dkim|dmarc)(?:\s*\/\s*\d+)?\s*=\s*([a-z]+)/i.exec(statement) ?? []
    const result = word && resultOf(word.toLowerCase())
    if (!method || !result) continue
    const name = method.toLowerCase() as keyof Authentication
    if (result === 'pass' && name !== 'dmarc') domains.push(...domainsIn(statement))
    // A mail may have several signatures: one valid one is enough.
    if (results[name] === null || (name === 'dkim' && result === 'pass')) results[name] = result
  }
  return { kind: 'results', host: isNamed ? hostIn(/^\s*"?([^\s";]+)/.exec(first)?.[1]) : null, results, domains }
}

/** Whom a result is about: the sender of the envelope, or who signed. */
const domainsIn = (statement: string): string[] =>
  [...statement.matchAll(/\s(?:smtp\.mailfrom|header\.[di])\s*=\s*"?([^\s;"]{1,320})/gi)].map(([, whose = '']) =>
    whose.slice(whose.lastIndexOf('@') + 1).toLowerCase(),
  )

/** "hardfail" is from before RFC 7001. */
const resultOf = (word: string): Result | undefined =>
  word === 'hardfail' ? 'fail' : RESULTS.find((each) => each === word)
