import { type Authentication, RESULTS, type Result, type TraceField } from '../mail.ts'
import type { Head } from './head.ts'

// What servers noted on top of a mail: that they received it, and how they judged its sender. Anybody can write such
// fields; mail/sync/authentication.ts decides which to believe.

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
  // A name that the other side claims proves nothing, its address does.
  const [, address = ''] = /^[^;]*?\((?:[^()]*\[)?(?:ipv6:)?([\da-f.:]{2,45})\]?/i.exec(field.slice(0, MAX_FIELD)) ?? []
  const isLocal = from === null || /\swith\s+lmtps?a?(?:\s|$)/i.test(plain) || PRIVATE.test(address.toLowerCase())
  return { kind: 'received', from, by, isLocal }
}

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
  for (const statement of isNamed ? rest : [first, ...rest]) {
    const [, method, word] = /^\s*(spf|dkim|dmarc)(?:\s*\/\s*\d+)?\s*=\s*([a-z]+)/i.exec(statement) ?? []
    const result = word && resultOf(word.toLowerCase())
    if (!method || !result) continue
    const name = method.toLowerCase() as keyof Authentication
    // A mail may have several signatures: one valid one is enough.
    if (results[name] === null || (name === 'dkim' && result === 'pass')) results[name] = result
  }
  return { kind: 'results', host: isNamed ? hostIn(/^\s*"?([^\s";]+)/.exec(first)?.[1]) : null, results }
}

/** "hardfail" is from before RFC 7001. */
const resultOf = (word: string): Result | undefined =>
  word === 'hardfail' ? 'fail' : RESULTS.find((each) => each === word)
