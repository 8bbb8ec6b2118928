import type { Automatic } from '../../../../../src/lib/mail/mail.ts'
import type { Random } from './random.ts'

/** What has to come out of a mail, as far as its maker knows. */
export type Expected = {
  messageId?: string | null
  from?: string | null
  subject?: string | null
  /** What the text contains, and what the HTML does. */
  text?: string
  html?: string
  files?: number
  names?: string[]
  /** The first of them. */
  content?: Buffer
  automatic?: Automatic | null
  /** Of a report: whom it is about, what has happened, and to which mail. */
  recipient?: string | null
  action?: 'failed' | 'delayed' | 'delivered'
  status?: string
  about?: string | null
  notes?: number
}

export type GeneratedMail = { name: string; source: Buffer; expect: Expected }

/** What a maker has to work with. */
export type Setting = { random: Random; n: number; id: string; from: string; to: string; date: string }
export type Maker = (setting: Setting) => { source: string | Buffer; expect: Expected }

/** Lines with CR LF; what is undefined is no line. */
export const lines = (...all: (string | undefined)[]): string =>
  `${all.filter((one) => one !== undefined).join('\r\n')}\r\n`

export const head = ({ id, from, to, date }: Setting, subject: string, ...more: string[]): string =>
  lines(
    `Message-ID: ${id}`,
    `Date: ${date}`,
    `From: Ana Ruiz <${from}>`,
    `To: ${to}`,
    `Subject: ${subject}`,
    'MIME-Version: 1.0',
    ...more,
  )

export type Part = { type: string; body: string; more?: string[] }

export function multipart(boundary: string, parts: Part[]): string {
  const written = parts.map(({ type, body, more = [] }) =>
    lines(`--${boundary}`, `Content-Type: ${type}`, ...more, '', body),
  )
  return `${written.join('')}--${boundary}--\r\n`
}
