import type { Random } from '../../lib/mail/parse/mime/random.ts'

// The people of a year of mail, and how their programs write.

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const HOST = 'harbor.example'

export type Box = { key: string; address: string; aliases: string[] }
export const BOXES: Box[] = ['support', 'sales', 'billing', 'service', 'jobs', 'office'].map((key) => ({
  key,
  address: `${key}@${HOST}`,
  aliases: [`${key}-alias@${HOST}`],
}))
/** A group whose mail arrives at the first mailbox. */
export const GROUP = `help@groups.${HOST}`

/** How a program names what it answers. `refs` are the ids of the thread so far, oldest first. */
export type Threading = (refs: readonly string[]) => Record<string, string>
const last = (refs: readonly string[]): string => refs.at(-1) as string
const THREADINGS: Threading[] = [
  (refs) => ({ 'In-Reply-To': last(refs), References: refs.join(' ') }),
  (refs) => ({ 'In-Reply-To': last(refs) }),
  (refs) => ({ References: refs.join('\r\n ') }),
  (refs) => ({ 'In-Reply-To': last(refs), References: refs.slice(-2).join(' ') }),
  (refs) => ({ 'in-reply-to': `Message of Friday ${last(refs)}`, references: refs.join('') }),
  (refs) => ({ 'In-Reply-To': last(refs), References: [...refs, '<lost@gateway.invalid>'].join(' ') }),
]

/** How a program quotes what it answers. */
const QUOTES: ((text: string, from: string) => string)[] = [
  (text, from) => `\n\nOn Friday ${from} wrote:\n${text.replace(/^/gm, '> ')}`,
  (text, from) => `\n\nAm Freitag schrieb ${from}:\n${text.replace(/^/gm, '>')}`,
  (text, from) => `\n\n-----Original Message-----\nFrom: ${from}\nSubject: Re\n\n${text}`,
  () => '',
]
const AGAIN = ['Re: ', 'AW: ', 'RE: ', 'Antw: ', 'SV: ', '']

export type Person = {
  name: string
  email: string
  threading: Threading
  quote: (text: string, from: string) => string
  again: string
  /** How wrong their clock is, in milliseconds. */
  skew: number
  nextId: () => string
}

export function peopleOf(random: Random, count: number): Person[] {
  return Array.from({ length: count }, (_, n) => {
    const name = `${random.word()} ${random.word()}`
    const host = random.pick(['gmail.com', 'web.de', `firm${n}.example`, `firm${n % 7}.example`])
    let ids = 0
    return {
      name,
      email: `${name.replace(' ', '.')}${n}@${host}`,
      threading: random.pick(THREADINGS),
      quote: random.pick(QUOTES),
      again: random.pick(AGAIN),
      skew: random.pick([0, 0, 0, -DAY_MS + HOUR_MS, DAY_MS - HOUR_MS, -2 * HOUR_MS, 7 * MINUTE_MS]),
      nextId: () => `<p${n}.${++ids}@${host}>`,
    }
  })
}

export const named = ({ name, email }: Pick<Person, 'name' | 'email'>): string => `${name} <${email}>`

export type Written = {
  id: string
  from: string
  to: readonly string[]
  cc?: readonly string[]
  subject: string
  at: number
  headers?: Record<string, string>
  text: string
  /** The text of a file that it has. */
  file?: string
}

/** The bytes of a mail. */
export function sourceOf({ id, from, to, cc = [], subject, at, headers = {}, text, file }: Written): Buffer {
  const fields = {
    From: from,
    To: to.join(', ') || 'undisclosed-recipients:;',
    ...(cc.length > 0 ? { Cc: cc.join(', ') } : {}),
    Subject: subject,
    'Message-ID': id,
    Date: new Date(at).toUTCString().replace('GMT', '+0000'),
    ...headers,
  }
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  const body = text.replaceAll('\n', '\r\n')
  if (file === undefined) return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}\r\n`)
  const parts = [
    `Content-Type: text/plain; charset=utf-8\r\n\r\n${body}`,
    `Content-Type: text/csv\r\nContent-Disposition: attachment; filename=list.csv\r\n\r\n${file}`,
  ]
  const whole = [...parts.map((part) => `--part\r\n${part}`), '--part--', ''].join('\r\n')
  return Buffer.from(`${head.join('\r\n')}\r\nContent-Type: multipart/mixed; boundary=part\r\n\r\n${whole}`)
}
