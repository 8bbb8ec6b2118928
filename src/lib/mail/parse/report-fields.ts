import type { Report } from '../mail.ts'
import { cleanEmail } from './addresses.ts'
import { decodeField, type Head, rawField, readHead } from './head.ts'
import { oneLine } from './text.ts'

// The machine-readable fields of a delivery report (RFC 3464).

export const MAX_RECIPIENTS = 100
const MAX_WHY = 500

type Recipient = Report['recipients'][number]

/** Returns the blocks of fields: one for the mail, then one for each recipient. */
export function blocksIn(bytes: Buffer): Head[] {
  const blocks: Head[] = []
  for (let at = 0; at < bytes.length && blocks.length < 4 * MAX_RECIPIENTS; ) {
    while (bytes[at] === 0x0a || bytes[at] === 0x0d) at++
    const head = readHead(bytes, at)
    if (head.fields.size > 0) blocks.push(head)
    // A line that is no field is passed as a whole: looking at it from each of its characters on would take very long.
    at = head.bodyAt > at ? head.bodyAt : lineAfter(bytes, at)
  }
  return blocks
}

function lineAfter(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(0x0a, at)
  return end < 0 ? bytes.length : end + 1
}

export function recipientOf(block: Head): Recipient | undefined {
  const email =
    mailboxIn(block, 'original-recipient') ??
    mailboxIn(block, 'final-recipient') ??
    mailboxIn(block, 'x-actual-recipient')
  if (email === undefined) return undefined
  const diagnostic = decodeField(rawField(block, 'diagnostic-code') ?? '').slice(0, 10_000)
  const explanation = oneLine(diagnostic.replace(/^\s*[\w.-]{1,40}\s*;\s*/, ''), MAX_WHY)
  const status = statusIn(rawField(block, 'status') ?? '') ?? statusIn(explanation)
  const why =
    explanation ||
    oneLine((rawField(block, 'status') ?? '').replace(/^[\d.\s]+/, '').replace(/^\((.*)\)$/, '$1'), MAX_WHY)
  return { email, action: actionOf(rawField(block, 'action') ?? '', status), status, why: why || null }
}

/** Parses "rfc822; ana@shop.example", with or without its type. X.400 addresses are not valid here. */
function mailboxIn(block: Head, name: string): string | undefined {
  const value = decodeField((rawField(block, name) ?? '').slice(0, 1000))
  const bare = value.replace(/^\s*[\w.-]{1,40}\s*;/, '').trim()
  const [, inner] = /<([^<>]+)>/.exec(bare) ?? []
  return cleanEmail((inner ?? bare).replace(/\s*\(.*$/, ''))
}

export const statusIn = (text: string): string | null =>
  /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.]*\d)/.exec(text)?.[0] ?? null

const ACTIONS = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const

/** The stated action takes precedence: a delivery given up after days has failed, although its status is temporary. */
function actionOf(field: string, status: string | null): Recipient['action'] {
  const [word = ''] = /[a-z]+/.exec(field.toLowerCase()) ?? []
  const stated = ACTIONS.find((action) => action === word)
  return stated ?? (status?.startsWith('2') ? 'delivered' : status?.startsWith('4') ? 'delayed' : 'failed')
}

/** Keeps the first entry for each recipient. */
export function distinct(recipients: readonly Recipient[]): Recipient[] {
  const found = new Map<string, Recipient>()
  for (const recipient of recipients) if (!found.has(recipient.email)) found.set(recipient.email, recipient)
  return [...found.values()]
}
