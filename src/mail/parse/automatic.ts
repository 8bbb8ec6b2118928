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
  if (submitted !== '' && submitted !== 'no') return 'reply'
  return AWAY.test(subject) && mayBeAnswer(head) ? 'reply' : null
}

/** Exchange also sets X-Auto-Response-Suppress on mails by people: it proves nothing alone. */
const mayBeAnswer = (head: Head): boolean =>
  ['in-reply-to', 'references', 'x-auto-response-suppress'].some((name) => isSet(head, name)) || hasNoSender(head)

const isForMany = (head: Head, precedence: string): boolean =>
  ['list-id', 'list-unsubscribe'].some((name) => isSet(head, name)) || ['bulk', 'list', 'junk'].includes(precedence)

/** The envelope sender was empty, as in mail that must never be answered. */
export const hasNoSender = (head: Head): boolean => /^<\s*>/.test(rawField(head, 'return-path') ?? '')

const isSet = (head: Head, name: string): boolean => {
  const value = rawField(head, name)?.trim().toLowerCase() ?? ''
  return value !== '' && value !== 'no' && value !== 'false'
}

/** Returns the first word of a field, in lower case. */
function wordOf(head: Head, name: string): string {
  const value = decodeField((rawField(head, name) ?? '').slice(0, 500))
  return /[a-z_-]+/.exec(value.toLowerCase().replace(/\([^()]*\)/g, ''))?.[0] ?? ''
}
