import { createHash } from 'node:crypto'
import { type Deps, once } from '../../deps.ts'
import type { Ours } from '../../inbox/mailboxes/whose.ts'
import { firstIdAt } from '../../lib/id.ts'
import { domainOf } from '../../lib/mail/hosts.ts'
import type { MailIn } from '../../lib/mail/mail.ts'
import { foldWhole } from '../../lib/pure/fold.ts'
import { DAY_MS } from '../../lib/time.ts'

/** Why a rule does not answer a mail. */
export type Silence =
  | 'no_contact'
  | 'automatic'
  | 'list'
  | 'ours'
  | 'no_reply'
  | 'no_return_path'
  | 'doubtful'
  | 'often'

/** What is known of a mail that is stored; the rest of it only while it comes in. */
export type Asked = {
  contact_id: string | null
  email: string | null
  text: string
  is_automatic: boolean
  /** Of the mail itself, if it is here. */
  mail?: Pick<MailIn, 'automatic' | 'lists' | 'hasNoSender' | 'isFromServer' | 'replyTo'>
  isForged?: boolean
}

export const MOST_OF_TEXT = 2
const TEXT_DAYS = 30

const NO_REPLY =
  /^(?:[^@]*[._+-])?(?:no|not|do-?_?not|don-?t|never|ne-?pas|kein|keine)[._-]?(?:reply|answer|repondre|antwort)|^(?:mailer-?daemon|postmaster|bounces?|daemon|root|www-data)(?:[^a-z]|$)/i

/**
 * Whether nobody is answered: a machine, a list, ourselves, and whoever had an answer within a day. Two answers to one text of
 * one domain are all: a robot may write from a new address each time.
 */
export const answering = once(({ db }: Pick<Deps, 'db'>) => {
  const ofSender = db
    .prepare(
      `SELECT 1 FROM messages INDEXED BY messages_author
         JOIN rule_runs ON rule_runs.org_id = messages.org_id AND rule_runs.message_id = messages.id
       WHERE messages.org_id = ? AND author_id = ? AND messages.id >= ? AND answer_id IS NOT NULL AND at > ?`,
    )
    .pluck()
  const ofText = db
    .prepare(
      'SELECT count(*) FROM rule_runs INDEXED BY rule_runs_text WHERE org_id = ? AND text_digest = ? AND at > ? AND answer_id IS NOT NULL',
    )
    .pluck()

  /** By the mail alone. */
  function silenceOf(asked: Asked, ours: Ours): Silence | undefined {
    const { contact_id, email, is_automatic, mail, isForged } = asked
    if (contact_id === null || email === null) return 'no_contact'
    if (is_automatic || (mail && mail.automatic !== null && mail.automatic !== 'bulk')) return 'automatic'
    if (mail && (mail.lists.length > 0 || mail.automatic === 'bulk')) return 'list'
    if (ours.isAmongUs(email)) return 'ours'
    if (NO_REPLY.test(email) || (mail?.replyTo && NO_REPLY.test(mail.replyTo.email))) return 'no_reply'
    if (mail?.hasNoSender || mail?.isFromServer) return 'no_return_path'
    return isForged ? 'doubtful' : undefined
  }

  /** By what was answered before. */
  function isOften(org: number, { contact_id, email, text }: Asked, now: number): boolean {
    const since = now - DAY_MS
    if (ofSender.get(org, contact_id, firstIdAt(Math.max(0, since)), since) !== undefined) return true
    return (ofText.get(org, digestOf(email as string, text), now - TEXT_DAYS * DAY_MS) as number) >= MOST_OF_TEXT
  }

  return { silenceOf, isOften }
})

/** Robots count: "ticket 4711" and "ticket 4712" are one text. */
export const digestOf = (email: string, text: string): string =>
  createHash('sha256')
    .update(
      `${domainOf(email)}\n${foldWhole(text)
        .replace(/\p{N}+/gu, '0')
        .replace(/\s+/g, ' ')
        .trim()}`,
    )
    .digest('base64url')
    .slice(0, 22)
