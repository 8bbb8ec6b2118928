import type { SmtpFailure } from './error-messages.ts'

// Whose a refusal is. Codes do not say: providers use the same ones for an unknown recipient and for a sender who has used up the
// limit of the day. It decides what happens to all other mails of the mailbox, so the words count, and the command.

/**
 * refused: this mail, for good. deferred: this mail, which is tried again. limited: the sender, so that no other mail would fare better.
 * unclear: this mail, or the sender; what others are answered will show. later: the server or the connection. doubtful: nobody
 * knows.
 */
export type Cause = 'refused' | 'deferred' | 'limited' | 'unclear' | 'later' | 'doubtful'

/** Replies about the session, not the mail: commands out of order, and several forms of a missing login. */
const OF_SESSION = new Set([503, 530, 534, 535, 538])

const IN_MAIL = new Set(['MAIL FROM', 'RCPT TO', 'DATA'])

/** The size of the mail, its parts, and the ways that it took: limits, but of this mail. */
const OF_MAIL =
  /\b(?:size|too (?:large|big|long)|length|lines?|headers?|attachments?|hops?|too many (?:invalid |unknown )?recipients (?:in|for|per) (?:this |a |one )?(?:mail|message|transaction|session)|recipients per (?:mail|message)|loops?|spam\W+(?:\w+\W+){0,3}(?:scores?|thresholds?|levels?|limits?|points)|(?:scores?|thresholds?|levels?) (?:of|for) spam)\b/i
/** More recipients than it takes in one mail, unless it counts them by time. RFC 5321 has 452, and 552 for old servers. */
const TOO_MANY_AT_ONCE = /\btoo many recipients\b/i
const IN_A_TIME = /\b(?:seconds?|minutes?|hours?|hourly|days?|daily|24|rates?|today)\b/i

/** The limits of a recipient: a full mailbox, or one that too many others write to. */
const OF_RECIPIENT = [
  /\b(?:is|are) receiving\b|\breceiv(?:ing|e) (?:too|mail|messages|limit|rate)|\bmessage receive limit/i,
  /\byou (?:tried|are trying) to (?:reach|contact)\b/i,
  /\brecipient(?:'s)? (?:has|have|is|was|mailbox|account|inbox)\b/i,
  /\b(?:mailbox|inbox|mail ?box|storage|disk)\b.{0,40}\b(?:full|quota|limit|exceed)|\b(?:full|over ?quota|exceed\w*).{0,40}\b(?:mailbox|inbox|storage|disk)\b/i,
  /\bgr[ae]y-?list/i,
]

/**
 * Words about an account, which may be that of who sends or that of the recipient. In an answer to a recipient they are about
 * theirs; otherwise not every account is ours that they name.
 */
const OF_AN_ACCOUNT =
  /\b(?:this (?:account|user)|user \S+|domain \S+|account \S+)\b.{0,40}\b(?:ha(?:s|ve) (?:exceeded|reached|used)|exceed\w*|is (?:suspended|blocked|limited|disabled|not (?:yet )?activated)|over (?:its|the) (?:limit|quota))\b/i

/** Words that only ever are about who sends. */
const OF_SENDER = [
  /submission ?quota|STOREDRV\.Submission|\bsender throttl|throttled due to/i,
  /\b(?:sender|sending|submission|outgoing|outbound|send)\b.{0,60}\b(?:rates?|limit\w*|quotas?|frequenc\w+|exceed\w*|suspended|paused|disabled|blocked|throttl\w*)\b/i,
  /\b(?:rates?|limit\w*|quotas?|frequenc\w+|exceed\w*|maximum|max|suspended|paused|disabled|throttl\w*)\b.{0,60}\b(?:sender|sending|sends?|sent|submission|outgoing|outbound|for this (?:account|user|domain|client))\b/i,
  /\b(?:you|your (?:\w+ )?(?:account|domain|plan|server|ip)|this client)\b.{0,40}\b(?:ha(?:s|ve) (?:sent|exceeded|reached|used)|exceed\w*|is (?:suspended|blocked|limited|disabled|not (?:yet )?activated)|over (?:its|your|the) (?:limit|quota))\b/i,
  /\b(?:user|domain|account)\b.{0,40}\bhas sent\b|\bfrequency limit/i,
  /\b(?:emails?|mails?|messages?|recipients?|connections?)\b.{0,30}\b(?:per|an?|every|in the last) (?:second|minute|hour|day|24)|\b(?:24.?hours?|daily|hourly|per.(?:day|hour|minute|second))\b.{0,40}\b(?:limit\w*|quotas?|exceed\w*|maximum|rates?)\b/i,
  /\b(?:limit\w*|quotas?|exceed\w*|maximum|rates?)\b.{0,40}\b(?:24.?hours?|daily|hourly|per.(?:day|hour|minute|second))\b/i,
  /\bcredits?\b.{0,20}\bexceed|\bexceed\w*.{0,20}\bcredits?\b/i,
  /\bsend ?as ?denied|\bsender verify failed|\bnot (?:owned by|authori[sz]ed to send|allowed to send)\b/i,
  /\bclient host\b.{0,60}\bblocked\b|\byour (?:ip|host|server|network)\b.{0,60}\b(?:block|list|reject|den)/i,
  /\bunusual (?:sending|rate|activity|amount|volume)\b|\bbad outbound sender\b/i,
]

/** Words of limits, whose they are not said: of the sender, unless the code or other words are about the recipient. */
const OF_LIMITS =
  /\bfrequen(?:t|tly|cy)\b|\brate.?limit|\bthrottl|\btoo (?:many|much|fast|quick\w*|often|frequent)\b|\bslow(?:ing)? down\b|\b(?:limit|quota)s? (?:is |was |has been |have been )?(?:exceeded|reached|hit|used)|\b(?:exceed\w*|reached|hit|over)\b.{0,30}\b(?:limit|quota|rate|maximum|threshold)|\bMI:(?:SFQ|STC|DMC|IMF|CEL)\b|\btemporarily deferred due to\b/i

/** Codes that name a limit, or a block, of who sends: congestion, and those of Exchange Online and Gmail. */
const SENDER_CODES =
  /^[45]\.(?:4\.5|1\.8|1\.90|2\.25[0-9]|7\.(?:23[0-36]|28|50[1-3]|5[01]\d|70[58]|750|64\d|65\d|60|500))$/
const UNCLEAR_CODE = /^5\.7\.0$/
/** The address of the recipient, and their mailbox. 1.0 is any address; 1.7 and 1.8 are that of the sender. */
const RECIPIENT_CODES = /^[45]\.(?:1\.(?![078]$)|2\.)\d+$/

/**
 * What a failed attempt says, and of whom. `isRead` is true once the end of the mail may have been sent, `to` are the recipients
 * that were named.
 */
export function causeOf(failure: SmtpFailure, isRead: boolean, to: readonly string[] = []): Cause {
  const { code, command = '', responseCode = 0, timeoutType } = failure
  // With 421 a server ends the session as well, and then nothing else tells what it answered.
  if (responseCode === 421 && !IN_MAIL.has(command) && names(failure.response, to))
    return causeOfReply(failure, 'RCPT TO')
  if (responseCode >= 400 && responseCode < 600)
    return causeOfReply(failure, isRead && !IN_MAIL.has(command) ? 'DATA' : command)
  if (isRead) return 'doubtful'
  // Errors of the library itself: an invalid address, or a mail larger than the server accepts.
  const isOwn = (code === 'EENVELOPE' && command === 'API') || (code === 'EMESSAGE' && command === 'MAIL FROM')
  return isOwn && !timeoutType ? 'refused' : 'later'
}

function causeOfReply({ responseCode = 0, response }: SmtpFailure, command: string): Cause {
  const { status, words } = partsOf(response)
  const isForGood = responseCode >= 500
  const isMails = IN_MAIL.has(command)
  if (command === 'RCPT TO' && isTooMany(status, words) && (!isForGood || responseCode === 552)) return 'deferred'
  const limit = limitIn(status, words, command)
  const isAfterRecipient = command === 'RCPT TO' || command === 'DATA'
  if (limit) return limit === 'somebody' && isForGood && isAfterRecipient ? 'unclear' : 'limited'
  if (OF_SESSION.has(responseCode) || !isMails) return 'later'
  if (command === 'MAIL FROM') return isForGood ? (isOfMail(status, words) ? 'refused' : 'limited') : 'later'
  if (isForGood) return UNCLEAR_CODE.test(status) ? 'unclear' : 'refused'
  // What a server cannot do at the moment with a whole mail, it cannot do with the next one.
  const isServers = command === 'DATA' && (responseCode === 421 || /^4\.3\./.test(status))
  return isServers ? 'later' : 'deferred'
}

const names = (response: unknown, addresses: readonly string[]): boolean =>
  typeof response === 'string' && addresses.some((each) => response.toLowerCase().includes(each.toLowerCase()))

/** Whose limit, or block, an answer is about: that of who sends, or of somebody whom it does not name; undefined if of neither. */
function limitIn(status: string, words: string, command: string): 'sender' | 'somebody' | undefined {
  if (SENDER_CODES.test(status)) return isOfMail(status, words) ? undefined : 'sender'
  const isRecipients =
    OF_RECIPIENT.some((each) => each.test(words)) || (command === 'RCPT TO' && RECIPIENT_CODES.test(status))
  if (isOfMail(status, words) || (isRecipients && command === 'RCPT TO')) return undefined
  if (OF_SENDER.some((each) => each.test(words)) && !isRecipients) return 'sender'
  if (/submission/i.test(words) && /quota|throttl/i.test(words)) return 'sender'
  if (isRecipients || /^[45]\.2\./.test(status)) return undefined
  if (command !== 'RCPT TO' && OF_AN_ACCOUNT.test(words)) return 'somebody'
  return OF_LIMITS.test(words) && !(command === 'RCPT TO' && OF_AN_ACCOUNT.test(words)) ? 'somebody' : undefined
}

const isTooMany = (status: string, words: string): boolean =>
  (/^[45]\.5\.3$/.test(status) || TOO_MANY_AT_ONCE.test(words)) && !IN_A_TIME.test(words)

const isOfMail = (status: string, words: string): boolean =>
  /^[45]\.(?:3\.4|2\.3|6\.\d+)$/.test(status) || OF_MAIL.test(words) || isTooMany(status, words)

/** The status of RFC 3463, and the words on one line without what a server wraps around them. */
export function partsOf(response: unknown): { status: string; words: string } {
  const lines = (typeof response === 'string' ? response : '').split(/\r?\n/)
  const status = lines.map((line) => /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(line)?.[1]).find(Boolean) ?? ''
  const words = lines
    .map((line) => line.replace(/^\d{3}[ -]?(?:[245]\.\d{1,3}\.\d{1,3}\b)?/, ''))
    .join(' ')
    .replace(/<[^<>\s]*@[^<>\s]*>:?/g, ' ') // addresses may have any words in them
    .replace(/\brecipient address rejected:/gi, ' ')
    .replace(/\brequested (?:mail )?action (?:not taken|aborted)(?:: mailbox unavailable)?/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return { status, words }
}
