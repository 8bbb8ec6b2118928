import { textOfHtml } from '../../html/sanitize.ts'
import type { Report } from '../mail.ts'
import { cleanEmail } from './addresses.ts'
import type { Head } from './head.ts'
import { idsIn } from './ids.ts'
import { blocksIn, statusIn } from './report-fields.ts'
import { oneLine } from './text.ts'

// Delivery reports in prose: the recipients that they name, and the reasons.

/** Servers put the relevant text at the beginning. */
const MAX_CHARS = 65_536
const MAX_LINES = 2000
const MAX_FOUND = 100
const MAX_WHY = 500

export type NamedRecipient = { recipients: Report['recipients']; blocks: Head[]; messageId: string | undefined }
type ReportText = { text: string; html: string | null; subject: string; failed: string; to: string }

export function namedRecipients({ text, html, subject, failed, to }: ReportText): NamedRecipient {
  const whole = (text || textOfHtml((html ?? '').slice(0, 4 * MAX_CHARS))).slice(0, MAX_CHARS)
  const lines = whole.split('\n').slice(0, MAX_LINES)
  const returned = lines.findIndex((line) => RETURNED.test(line))
  const own = returned < 0 ? lines : lines.slice(0, returned)
  const listed = addressesOf(failed)
  const emails = listed.length > 0 ? listed : namedIn(own, addressesOf(to))
  const isDelayed = !FINAL.test(own.join('\n')) && (DELAYED.test(subject) || DELAYED.test(own.join('\n')))
  return {
    recipients: emails.slice(0, MAX_FOUND).map((email) => {
      const why = whyOf(own, email)
      const status = statusIn(why ?? '') ?? (emails.length === 1 ? statusIn(own.join('\n')) : null)
      return { email, action: isDelayed && !status?.startsWith('5') ? 'delayed' : 'failed', status, why }
    }),
    blocks: blocksIn(Buffer.from(fieldLines(lines))),
    messageId: quotedId(lines),
  }
}

/** Where the server's own text ends and the returned mail begins. */
const RETURNED =
  /^[\s>]*(?:-{2,}.{0,80}(?:copy of|original message|returned message|message header|unsent message|ursprüngliche|message d.origine|mensaje original|kopie|begin message|copie|below this line).{0,80}|(?:received|return-path|dkim-signature|mime-version|x-mailer):\s.*|.{0,40}(?:message headers follow|header follows|original message (?:headers )?follows?|below is a copy of).{0,40})$/i

const DELAYED =
  /\bdelay(?:ed)?\b|still undelivered|not (?:yet )?been delivered (?:yet|to)|will (?:keep|continue) (?:on )?(?:try|to try)|will be retried|warning: (?:message|could not send)|no action is required|temporar(?:y|ily)|verzögert|vorübergehend|retard[ée]|temporaire|retras|aplazad|ritard|vertraag|задерж/i
const FINAL =
  /permanent(?:ly)?\b|giving up|given up|gave up|endgültig|no further|too long in|too many (?:tries|retries)|définitiv|retry time(?:out)? (?:has been )?exceeded|max(?:imum)? retries/i

/** An address, also after a bracket, a quotation mark or another separator. */
const EMAIL =
  /(?<![^\s<>"'(),:;[\]=*])([^\s<>"'(),:;[\]@=*]{1,64}@[^\s<>"'(),:;[\]@]{1,190}\.[^\s<>"'(),:;[\]@.]{2,63})/g

function addressesOf(text: string): string[] {
  const emails: string[] = []
  for (const [, found] of text.matchAll(EMAIL)) {
    const email = cleanEmail((found as string).replace(/[.!?]+$/, ''))
    if (email !== undefined && !emails.includes(email)) emails.push(email)
    if (emails.length === MAX_FOUND) break
  }
  return emails
}

const SERVER = /^(?:mailer-?daemon|postmaster|mdaemon|support|helpdesk|abuse|noreply|no-reply|e-?mail-?admin)@/i
/** Fields of the returned mail, and lines about the server itself and its attempts. */
const OTHER_LINE =
  /^[\s>]*(?:from|sender|reply-to|return-path|message-id|in-reply-to|references|x-[\w-]+|von|de|mail from|<<<.*|>>> mail from.*)\s*:|contact (?:your|the)|kontakt|further assistance|>>> ?mail from/i

/**
 * Returns the addresses that stand on lines of their own; else the first address that is neither ours nor a server's.
 */
function namedIn(lines: readonly string[], own: readonly string[]): string[] {
  const usable = lines.filter((line) => !OTHER_LINE.test(line))
  const others = (found: readonly string[]) =>
    [...new Set(found)].filter((email) => !own.includes(email) && !SERVER.test(email))
  const alone = others(usable.filter((line) => ALONE.test(line)).flatMap(addressesOf))
  return alone.length > 0 ? alone : others(usable.flatMap(addressesOf)).slice(0, 1)
}

/** "<ana@shop.example>:", "* ana@shop.example", "To: ana@shop.example", "'ana@shop.example' on Monday". */
const ALONE =
  /^[\s*•>-]*(?:to|an|à|para|a|recipient|empfänger|final-recipient|destinataire|destinatario|address)?\s?:?\s*["'<[(]*(?:mailto:)?[^\s<>"'(),:;[\]@]{1,64}@[^\s<>"'(),:;[\]@]{1,253}["'>\])]*(?:\s*(?::|\.\.\.|;|,|on |am |le |el |\().{0,300})?\s*$/i

/** Returns the text after the address: the rest of its line, and the lines below it up to an empty one. */
function whyOf(lines: readonly string[], email: string): string | null {
  const at = lines.findIndex((line) => line.toLowerCase().includes(email.toLowerCase()) && !OTHER_LINE.test(line))
  const near = at < 0 ? [] : blockAfter(lines, at, email)
  const nearby = oneLine(near.join(' ').replace(/^[\s"'>\])}:;.,]+/, ''), MAX_WHY)
  if (CODE.test(nearby)) return nearby
  // Some reports put the reason elsewhere, as sendmail does in its transcript.
  const elsewhere =
    lines.find((line) => CODE.test(line)) ?? lines.find((line) => REASON.test(line) && !line.includes('@'))
  return nearby.length >= 10 && !elsewhere ? nearby : elsewhere ? oneLine(elsewhere, MAX_WHY) : nearby || null
}

const CODE = /(?<![\d.])[45](?:\d\d[ -]|\.\d{1,3}\.\d{1,3})/
const REASON =
  /unknown|no such|not (?:exist|found|listed)|disabled|mailbox (?:is )?full|quota|rejected|refused|denied|blocked|timed? ?out|unbekannt|existiert nicht|inconnu|desconocid|no existe|n.existe pas/i

function blockAfter(lines: readonly string[], at: number, email: string): string[] {
  const line = lines[at] as string
  const rest = line.slice(line.toLowerCase().indexOf(email.toLowerCase()) + email.length)
  const block = [rest]
  let next = at + 1
  // One empty line may separate the address from the reason.
  if (rest.replace(/[^\p{L}\d]/gu, '') === '' && lines[next]?.trim() === '') next++
  for (; next < lines.length && next < at + 12; next++) {
    const more = lines[next] as string
    if (more.trim() === '' || (ALONE.test(more) && !more.includes(email))) break
    block.push(more.trim())
  }
  return block
}

/** Returns the RFC 3464 fields in a text, without quote marks and indentation. */
const fieldLines = (lines: readonly string[]): string =>
  lines
    .map((line) => line.replace(/^[\s>]{1,20}(?=[A-Za-z-]{4,30}:)/, ''))
    .filter(
      (line, index, all) => isField(line) || line.trim() === '' || (/^\s/.test(line) && isField(all[index - 1] ?? '')),
    )
    .join('\n')

const isField = (line: string): boolean =>
  /^(?:original-recipient|final-recipient|action|status|diagnostic-code|remote-mta|reporting-mta|arrival-date|last-attempt-date)\s*:/i.test(
    line,
  )

function quotedId(lines: readonly string[]): string | undefined {
  for (const [index, line] of lines.entries()) {
    const [, rest] = /^[\s>|]*message-?id\s*[:=](.*)$/i.exec(line) ?? []
    if (rest === undefined) continue
    const id = idsIn(rest.trim() || lines[index + 1]?.replace(/^[\s>|]+/, ''))[0]
    if (id) return id
  }
  return undefined
}
