import type { Automatic } from '../mail.ts'
import { decodeField, type Head, rawField } from './head.ts'
import type { Mime } from './mime.ts'

// Detects automatic mails, apart from delivery reports (report.ts).

/**
 * How out-of-office replies begin their subject. People use the same words ("Out of office: who takes my calls?"), so a
 * match counts only if another header suggests an automatic reply.
 */
const AWAY = new RegExp(
  '^(?:' +
    [
      'out of (?:the )?office',
      'auto(?:matic)?[ -]?(?:reply|response)',
      'auto:',
      'automatische (?:antwort|beantwoording)',
      'automatisches? antwort',
      'afwezig',
      'abwesen(?:d|heit)',
      'autom(?:atische)? ?antwort',
      'réponse automatique',
      'absence? du bureau',
      'respuesta automática',
      'fuera de (?:la )?oficina',
      'resposta automática',
      'risposta automatica',
      'fuori (?:sede|ufficio)',
      'automatisk svar',
      'automatiskt svar',
      'autosvar',
      'fraværende',
      'automaattinen vastaus',
      'odpowiedź automatyczna',
      'automatická odpov',
      'automatikus válasz',
      'răspuns automat',
      'автоответ',
      'автоматический ответ',
      'otomatik yan[ıi]t',
      '自動応答',
      '自动答复',
      '自動回覆',
      '자동 회신',
    ].join('|') +
    ')',
  'i',
)

const AWAY_FIELDS = [
  'x-autoreply',
  'x-autorespond',
  'x-autoresponder',
  'x-auto-reply',
  'x-auto-reply-from',
  'x-mail-autoreply',
]

export function automaticOf({ head, root, leaves }: Mime, subject: string): Automatic | null {
  // Read receipts (RFC 8098) and complaints (RFC 5965).
  const reportType = root?.kind === 'report' ? (root.structured.params.get('report-type') ?? '').toLowerCase() : ''
  if (reportType === 'disposition-notification' || reportType === 'feedback-report') return 'reply'
  if (leaves.some(({ type, parent }) => type === 'message/disposition-notification' && parent === root)) return 'reply'

  // RFC 3834. Mail generated for a list is bulk, not a reply to anyone.
  const submitted = wordOf(head, 'auto-submitted')
  if (submitted === 'auto-replied' || AWAY_FIELDS.some((name) => isSet(head, name))) return 'reply'
  const precedence = wordOf(head, 'precedence')
  if (precedence === 'auto_reply' || precedence === 'auto-reply') return 'reply'
  if (isForMany(head, precedence)) return 'bulk'
  if (submitted !== '' && submitted !== 'no') return 'generated'
  return AWAY.test(subject) && mayBeAnswer(head) ? 'reply' : null
}

/** Exchange also sets X-Auto-Response-Suppress on mails by people: it proves nothing alone. */
const mayBeAnswer = (head: Head): boolean =>
  ['in-reply-to', 'references', 'x-auto-response-suppress'].some((name) => isSet(head, name)) || hasNoSender(head)

/** List-Unsubscribe alone says nothing: services through which forms and shops write to one person add it, too. */
const isForMany = (head: Head, precedence: string): boolean =>
  ['list-id', 'list-unsubscribe-post'].some((name) => isSet(head, name)) ||
  ['bulk', 'list', 'junk'].includes(precedence)

/** Returns the hosts and addresses that the fields of a list name (RFC 2369, RFC 2919). */
export function listsOf(head: Head): string[] {
  const fields = ['list-id', 'list-post', 'mailing-list', 'x-beenthere', 'x-mailing-list']
  const found = fields.flatMap((name) => (rawField(head, name) ?? '').slice(0, 1000).toLowerCase().match(HOSTS) ?? [])
  return [...new Set(found)].slice(0, 20)
}

/** Addresses, and names with a dot, as in "<support.acme.example>". */
const HOSTS = /[a-z0-9_.+=~-]{0,64}@[a-z0-9.-]{1,253}|[a-z0-9][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){1,8}/g

/** What servers and filters note when a rule of a mailbox passes a mail on. */
const PASSED_ON = [
  'x-ms-exchange-inbox-rules-loop',
  'x-ms-exchange-generated-message-source',
  'x-autoforward',
  'x-forwarded-to',
  'x-forwarded-for',
  'x-sieve-redirected-from',
  'x-redirected-from',
  'resent-from',
]

/** Whether a rule passed the mail on: Exchange then also marks what people wrote as generated. */
export const isPassedOn = (head: Head): boolean =>
  wordOf(head, 'auto-submitted') === 'auto-forwarded' || PASSED_ON.some((name) => isSet(head, name))

/** The sender of the envelope: empty, as in mail that must never be answered; null if no server noted it. */
export function senderNoted(head: Head): string | null {
  const noted = rawField(head, 'return-path')
  if (noted === undefined) return null
  return /^\s*<\s*>/.test(noted) ? '' : noted.trim()
}

export const hasNoSender = (head: Head): boolean => senderNoted(head) === ''

const isSet = (head: Head, name: string): boolean => {
  const value = rawField(head, name)?.trim().toLowerCase() ?? ''
  return value !== '' && value !== 'no' && value !== 'false'
}

/** Returns the first word of a field, in lower case. */
function wordOf(head: Head, name: string): string {
  const value = decodeField((rawField(head, name) ?? '').slice(0, 500))
  return /[a-z_-]+/.exec(value.toLowerCase().replace(/\([^()]*\)/g, ''))?.[0] ?? ''
}
