import type { Report } from '../mail.ts'
import { hasNoSender } from './automatic.ts'
import { textOf } from './body.ts'
import { decodeField, type Head, rawField, readHead } from './head.ts'
import { idsIn } from './ids.ts'
import { bodyOf, type Leaf, type Mime } from './mime.ts'
import { blocksIn, distinct, MAX_RECIPIENTS, recipientOf } from './report-fields.ts'
import { type NamedRecipient, namedRecipients } from './report-text.ts'

// Detects delivery reports: those in the standard format (RFC 3464), and those of servers that predate it.

/** Ten times the size of a status for a hundred recipients. */
const MAX_STATUS_BYTES = 1_048_576

type Read = { text: string; html: string | null; subject: string }

const STATUS_TYPES = new Set(['message/delivery-status', 'message/global-delivery-status'])
const RETURNED_TYPES = new Set(['message/rfc822', 'message/global', 'text/rfc822-headers', 'message/global-headers'])

/** Returns the delivery report in a mail; null if the mail is not a report. */
export function reportOf(source: Buffer, mime: Mime, read: Read): Report | null {
  const { head, leaves } = mime
  const status = leaves.find((leaf) => STATUS_TYPES.has(leaf.type) && isOfReport(leaf, mime))
  if (!status && !isReport(mime, read)) return null
  const fields = status ? blocksIn(bodyOf(source, status).subarray(0, MAX_STATUS_BYTES)) : []
  // If the standard fields are missing or useless, the prose is used.
  const named = fields.some(recipientOf) ? undefined : namedInText(read, mime)
  const blocks = [...fields, ...(named?.blocks ?? [])]
  const listed = blocks.map(recipientOf).filter((recipient) => recipient !== undefined)
  const recipients = distinct(listed.length > 0 ? listed : (named?.recipients ?? [])).slice(0, MAX_RECIPIENTS)
  const returned = bouncedId(source, mime, blocks) ?? named?.messageId
  // Parcel services send such subjects too.
  if (!status && !isStandard(mime) && recipients.length === 0 && !returned) return null
  const messageId = returned ?? idsIn(rawField(head, 'in-reply-to'))[0] ?? null
  return { isStandard: status !== undefined || isStandard(mime), messageId, recipients }
}

/**
 * Whether a status part makes this mail a report. A person who forwards a report sends it as a mail inside the mail, or
 * as one of several files.
 */
const isOfReport = ({ parent }: Leaf, { root }: Mime): boolean =>
  parent === null ||
  parent.kind === 'report' ||
  (parent === root && /^(?:report|delivery-status)$/.test(root?.kind ?? ''))

const DAEMONS =
  /^(?:mailer-?daemon|mail-?daemon|mdaemon|mailerdaemon|postmaster|mail-?delivery|bounces?|mailsystem|noreply-bounce)(?:[+=-].*)?$/i
const DAEMON_NAMES =
  /mail(?:er)?[ -]?daemon|mail delivery|mail (?:administrator|router|system)|delivery (?:subsystem|system|status)|postmaster|system administrator|systemadministrator|microsoft (?:exchange|outlook)|administrateur syst|administrador del sistema|internet mail/i

/** How reports begin their subjects, in the languages that servers use. */
const SUBJECT =
  /^(?:\*+\s*)?(?:\[?(?:failure|delivery)\]? notice|undeliver(?:ed|able)|delivery (?:status|failure|failed|report|delayed|problem|error|notification|has failed|incomplete)|mail delivery|mail(?: system)? (?:error|failure)|returned mail|returning message|message (?:delivery|undeliver|blocked|not delivered)|non[- ]?deliver|(?:your )?mail could not|could not (?:send|deliver)|failed (?:mail|delivery)|failure (?:notice|delivering)|warning: (?:message|could not)|permanent delivery|failed to deliver|unzustellbar|nicht zustellbar|zustell(?:ung|fehler)|fehler bei der (?:zustellung|übermittlung)|verzögerte zustellung|mail konnte nicht|ihre (?:e-?mail|nachricht) konnte nicht|non remis|non délivr|échec de (?:la )?(?:remise|livraison|distribution)|message non|notification d.état|no se (?:pudo|puede|ha podido) entregar|no entregado|no se puede entregar|error de entrega|devuelto|mensaje devuelto|não entregue|não é possível|falha na entrega|impossibile recapitare|mancato recapito|onbestelbaar|niet bezorg|olevererbart|ej levererbart|kan ikke leveres|ikke leveret|niedostarcz|nie można dostarczyć|недоставлен|не доставлено|配信不能|配信エラー|无法投递|退信|배달되지)/i

const CODE = /\b[45]\d\d[ -][45]\.\d{1,3}\.\d{1,3}\b/
/** Signs of a report in the text: an error code next to its meaning, or the introductory sentence. */
const SENTENCE =
  /could not be delivered|couldn.t be delivered|was(?:n.t| not) (?:able to )?(?:be )?deliver|unable to deliver|delivery (?:has )?failed|failed permanently|undeliver|did not reach|has not (?:yet )?been delivered|nicht zugestellt|konnte nicht|n.a pas pu être|no (?:se )?pud(?:o|ieron) (?:ser )?entreg|permanent (?:fatal )?error|\b[45]\d\d[ -][45]\.\d{1,3}\.\d{1,3}\b/i

const isStandard = ({ root }: Mime): boolean =>
  root?.kind === 'report' && /delivery-status/i.test(root.structured.params.get('report-type') ?? '')

function isReport(mime: Mime, { subject, text, html }: Read): boolean {
  const { head, leaves } = mime
  if (isStandard(mime)) return true
  const sender = senderOf(head)
  const isDaemon = isFromServer(head)
  if (rawField(head, 'x-failed-recipients') && isDaemon) return true
  if (!isDaemon) return false
  const said = (text || (html ?? '')).slice(0, 20_000)
  // Replies by people have "Re:" before the subject of the report.
  if (!SUBJECT.test(subject)) return sender.isDaemon && !/^\S{1,5}:/.test(subject) && CODE.test(said)
  return sender.isMailer || SENTENCE.test(said) || leaves.some(({ type }) => RETURNED_TYPES.has(type))
}

/** Whether a mail server wrote the mail, by its address or name, or since the envelope has no sender. */
export const isFromServer = (head: Head): boolean => senderOf(head).isDaemon || hasNoSender(head)

/** A mailer daemon is never a person; a postmaster may be one. */
function senderOf(head: Head): { isDaemon: boolean; isMailer: boolean } {
  const from = decodeField((rawField(head, 'from') ?? '').slice(0, 1000))
  const [, local = ''] = /([^\s<>"@(),:;]+)@/.exec(from) ?? []
  return { isDaemon: DAEMONS.test(local) || DAEMON_NAMES.test(from), isMailer: /^mail(?:er)?-?daemon$/i.test(local) }
}

/** Reads a report from its text or HTML. */
const namedInText = (read: Read, { head }: Mime): NamedRecipient =>
  namedRecipients({
    ...read,
    failed: (rawField(head, 'x-failed-recipients') ?? '').slice(0, 10_000),
    to: rawField(head, 'to') ?? '',
  })

/** Returns the Message-ID of the undelivered mail: from the returned mail, its headers, or a field of the report. */
function bouncedId(source: Buffer, { leaves }: Mime, blocks: readonly Head[]): string | undefined {
  for (const leaf of leaves.filter(({ type }) => RETURNED_TYPES.has(type))) {
    const id = idsIn(rawField(readHead(bodyOf(source, leaf, MAX_STATUS_BYTES), 0), 'message-id'))[0]
    if (id) return id
  }
  for (const block of blocks)
    for (const name of ['original-message-id', 'x-original-message-id', 'x-message-id', 'message-id']) {
      const id = idsIn(rawField(block, name))[0]
      if (id) return id
    }
  // Some servers attach the headers of the returned mail as a named text file.
  for (const leaf of leaves.slice(1).filter(({ type }) => type === 'text/plain')) {
    const id = idsIn(/^message-id:\s*(.{1,998})$/im.exec(textOf(source, leaf, 65_536))?.[1])[0]
    if (id) return id
  }
  return undefined
}
