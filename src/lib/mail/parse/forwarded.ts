import type { Forwarded } from '../mail.ts'
import { addressesIn, cleanEmail } from './addresses.ts'
import { isBody, readBodies } from './body.ts'
import { decodeField, rawField } from './head.ts'
import { idsIn, timeIn } from './ids.ts'
import { bodyOf, type Leaf } from './mime.ts'
import { oneLine } from './text.ts'
import { openMail } from './wrappers.ts'

// The mail inside of a mail that forwards it: attached (message/rfc822), or quoted below a block of its header fields, as
// mail programs write it in the language of their user.

/** As much of an attached mail is read. */
const MAX_ATTACHED = 2_097_152
/** The block of fields begins within this many lines. */
const MAX_LINES = 400
/** A block has its fields within this many lines. */
const MAX_BLOCK = 12

/** The names of the fields of a forwarded mail, in the languages of mail programs. */
const FIELDS = {
  from: 'from|von|de|da|van|fra|från|lähettäjä|od|feladó|expéditeur|mittente|remitente|afzender|gönderen|kimden|от|від|від кого|发件人|寄件者|差出人|送信者|보낸 사람|보낸사람|من',
  date: 'date|sent|datum|gesendet|sent at|envoyé|envoyé le|data|fecha|enviado|enviado el|enviada em|inviato|verzonden|dato|sendt|datum|skickat|lähetetty|päivämäärä|data|wysłano|datum|odesláno|dátum|elküldve|tarih|gönderildi|дата|отправлено|надіслано|发送时间|日期|日時|送信日時|날짜|보낸 날짜|التاريخ',
  to: 'to|an|à|a|aan|til|till|vastaanottaja|do|komu|címzett|destinataire|para|kime|кому|收件人|收件者|宛先|받는 사람|إلى',
  subject:
    'subject|betreff|objet|oggetto|asunto|assunto|onderwerp|emne|ämne|aihe|temat|předmět|predmet|tárgy|konu|тема|主题|主旨|件名|제목|الموضوع',
} as const
type Name = keyof typeof FIELDS

/** A line of the block: perhaps quoted, perhaps with stars around the name, as programs write bold type. */
const LINES = Object.entries(FIELDS).map(
  ([name, words]) =>
    [name as Name, new RegExp(`^[>\\s]{0,20}\\*?(?:${words})\\s?\\*?\\s?[:：]\\*?\\s?(.*)$`, 'iu')] as const,
)

/** A line above the block that says that a mail follows. */
const INTRODUCTION =
  /^[>\s]*(?:-{2,}.{2,60}-{2,}|_{10,}|begin forwarded message|anfang der weitergeleiteten|début du message (?:réexpédié|transféré)|inizio messaggio inoltrato|inicio del mensaje reenviado|começo da mensagem encaminhada)/i

/** Returns the attached mail; null unless it is the only one. */
export function attachedIn(source: Buffer, leaves: readonly Leaf[]): Omit<Forwarded, 'remark'> | null {
  const attached = leaves.filter(({ type }) => type === 'message/rfc822' || type === 'message/global')
  if (attached.length !== 1) return null
  const { source: inner, head, leaves: parts } = openMail(bodyOf(source, attached[0] as Leaf, MAX_ATTACHED))
  const from = addressesIn(head, 'from')[0]
  if (!from) return null
  return {
    messageId: idsIn(rawField(head, 'message-id'))[0] ?? null,
    from,
    subject: oneLine(decodeField((rawField(head, 'subject') ?? '').slice(0, 16_384))) || null,
    date: timeIn(rawField(head, 'date')),
    text: readBodies(
      inner,
      parts.filter((leaf, index) => isBody(leaf, index === 0)),
    ).text,
  }
}

/** Returns the mail that is quoted in a text; null if there is none, or its sender has no address. */
export function quotedIn(text: string): Forwarded | null {
  const lines = text.split('\n', MAX_LINES + MAX_BLOCK)
  for (let at = 0; at < Math.min(lines.length, MAX_LINES); at++) {
    const block = blockAt(lines, at)
    if (!block) continue
    const above = lines.slice(0, at)
    while (above.length > 0 && (above.at(-1)?.trim() === '' || INTRODUCTION.test(above.at(-1) as string))) above.pop()
    const below = text.split('\n').slice(block.end)
    const isQuoted = /^\s*>/.test(lines[at] as string)
    return {
      messageId: null,
      from: block.from,
      subject: block.subject,
      date: timeIn(block.date ?? undefined),
      text: (isQuoted ? below.map((line) => line.replace(/^\s*>\s?/, '')) : below).join('\n').trim(),
      remark: above.join('\n').trim(),
    }
  }
  return null
}

type Block = { from: Forwarded['from']; subject: string | null; date: string | null; end: number }

/** A block begins with the sender, and has at least two other fields. */
function blockAt(lines: readonly string[], start: number): Block | undefined {
  const found = new Map<Name, string>()
  let at = start
  for (; at < Math.min(lines.length, start + MAX_BLOCK); at++) {
    const line = lines[at] as string
    const [name, value] = fieldOf(line) ?? []
    if (name === undefined) {
      if (found.size === 0) return undefined
      if (line.replace(/^[>\s]+/, '') === '') {
        if (found.size >= 3) break
        continue // some programs leave lines empty between the fields
      }
      // A field goes on in a line that begins with a space, or behind a list that ends with its sign.
      const isFolded = /^(?:>\s?)*\s+\S/.test(line) || /[,;]\s*$/.test(lines[at - 1] ?? '')
      if (!isFolded) break
      continue
    }
    if (found.has(name)) break
    found.set(name, value as string)
  }
  const from = found.has('from') && found.size >= 3 ? senderIn(found.get('from') as string) : undefined
  if (!from) return undefined
  return { from, subject: found.get('subject')?.trim() || null, date: found.get('date') ?? null, end: at }
}

function fieldOf(line: string): [Name, string] | undefined {
  if (line.length > 1000) return undefined
  for (const [name, pattern] of LINES) {
    const value = pattern.exec(line)?.[1]
    if (value !== undefined) return [name, value]
  }
  return undefined
}

/** As in "Eva Ruiz <eva@firm.example>", "Eva Ruiz [mailto:eva@firm.example]" or "eva@firm.example". */
function senderIn(value: string): Forwarded['from'] | undefined {
  const [whole = '', inside] = /[<[(]?(?:mailto:)?([^\s<>[\]()"']{1,200}@[^\s<>[\]()"',;]{1,253})/i.exec(value) ?? []
  const email = inside === undefined ? undefined : cleanEmail(inside)
  if (email === undefined) return undefined
  const name = oneLine(value.slice(0, value.indexOf(whole)))
    .replace(/^["'*\s]+|["'*\s]+$/g, '')
    .trim()
  return { email, name: name === '' || name.toLowerCase() === email.toLowerCase() ? null : name }
}
