import { type Deps, once } from '../../deps.ts'
import { whoseAddresses } from '../../inbox/mailboxes/whose.ts'
import { languageOf } from '../../lib/language.ts'
import { DAY_MS, rfc3339 } from '../../lib/time.ts'
import { answering, digestOf, MOST_OF_TEXT, type Silence } from './answering.ts'
import { matches } from './matching.ts'
import type { Rule } from './rule.ts'
import { ruleRuns } from './runs.ts'

/** A mail that a rule would have fitted. */
export type Hit = {
  message_id: string
  conversation_id: string
  number: number
  subject: string | null
  from: string | null
  at: string
  /** Why the rule would not have answered it; null if it would, or if it answers nothing. */
  silence: Silence | null
}

const MOST = 100
/** In an organisation whose messages are mostly no mails, fewer may be found. */
const MOST_READ = 5000

type Row = {
  id: string
  conversation_id: string
  number: number
  sent_at: number
  author_id: string | null
  email: string | null
  mailbox_id: string
  subject: string | null
  body_text: string
  is_automatic: number
}

/** What the rules would have done with the last mails that came in, as if they had been there and nobody had done anything. */
export const dryRuns = once((deps: Deps) => {
  const { isNew } = ruleRuns(deps)
  const { silenceOf } = answering(deps)
  const { oursOf } = whoseAddresses(deps)
  const newest = deps.db.prepare(
    `SELECT message.id, message.conversation_id, conversation.number, message.sent_at, message.author_id,
       message.author ->> 'email' AS email, mail.mailbox_id, mail.subject, message.body_text, message.is_automatic
     FROM (SELECT * FROM messages WHERE org_id = @org ORDER BY id DESC LIMIT ${MOST_READ}) AS message
       JOIN message_headers AS mail ON mail.org_id = message.org_id AND mail.message_id = message.id
       JOIN conversations AS conversation
         ON conversation.org_id = message.org_id AND conversation.id = message.conversation_id
     WHERE message.direction = 'inbound' AND message.is_history = 0 AND mail.mailbox_id IS NOT NULL
     ORDER BY message.id DESC LIMIT ${MOST}`,
  )

  /** `rules` are those that are tried, as they are or as they would be. */
  function dryRun(org: number, rules: readonly Rule[]): { looked: number; rules: { rule: Rule; hits: Hit[] }[] } {
    const mails = (newest.all({ org }) as Row[]).reverse()
    const ours = oursOf(org)
    const tried = rules.map((rule) => ({ rule, hits: [] as Hit[] }))
    const answered: { contact: string | null; digest: string; at: number }[] = []
    for (const mail of mails) {
      const facts = {
        ...{ mailbox_id: mail.mailbox_id, from: mail.email, subject: mail.subject ?? '', text: mail.body_text },
        language: oneTime(() => languageOf(mail.body_text)),
        isNew: isNew(org, mail.id, mail.conversation_id, mail.author_id),
      }
      let isAnswered = false
      for (const { rule, hits } of tried.filter(({ rule }) => rule.is_active && matches(rule, facts))) {
        const silence: Silence | null = rule.answer === null ? null : isAnswered ? 'often' : silenceNow(mail, answered)
        isAnswered ||= rule.answer !== null && silence === null
        hits.push({ ...hitOf(mail), silence })
      }
      if (isAnswered && mail.email !== null)
        answered.push({ contact: mail.author_id, digest: digestOf(mail.email, mail.body_text), at: mail.sent_at })
    }
    for (const { hits } of tried) hits.reverse()
    return { looked: mails.length, rules: tried }

    function silenceNow(mail: Row, answered: { contact: string | null; digest: string; at: number }[]): Silence | null {
      const { author_id: contact_id, email, body_text: text, is_automatic } = mail
      const silence = silenceOf({ contact_id, email, text, is_automatic: is_automatic === 1 }, ours)
      if (silence !== undefined) return silence
      const digest = digestOf(email as string, text)
      const isOften =
        answered.some(({ contact, at }) => contact === contact_id && at > mail.sent_at - DAY_MS) ||
        answered.filter((each) => each.digest === digest).length >= MOST_OF_TEXT
      return isOften ? 'often' : null
    }
  }

  return { dryRun }
})

/** Several rules may ask. */
function oneTime<Value>(find: () => Value): () => Value {
  let found: { value: Value } | undefined
  return () => {
    found ??= { value: find() }
    return found.value
  }
}

const hitOf = ({ id, conversation_id, number, subject, email, sent_at }: Row) => ({
  ...{ message_id: id, conversation_id, number, subject, from: email, at: rfc3339(sent_at) },
})
