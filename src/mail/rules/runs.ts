import { type Deps, once } from '../../deps.ts'
import type { Conversation, ConversationPatch } from '../../inbox/conversations/conversation.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { listedSenders } from '../../inbox/conversations/spam-senders.ts'
import type { Ours } from '../../inbox/mailboxes/whose.ts'
import { senders } from '../../inbox/messages/from-address.ts'
import type { Message } from '../../inbox/messages/message.ts'
import { messageStore } from '../../inbox/messages/messages.ts'
import { outgoingStore } from '../../inbox/messages/outgoing.ts'
import { languageOf } from '../../lib/language.ts'
import type { MailIn } from '../../lib/mail/mail.ts'
import { fill } from '../../lib/template.ts'
import { rfc3339 } from '../../lib/time.ts'
import type { Contact } from '../../records/contact.ts'
import { templateView } from '../../sequences/enrollments/template-values.ts'
import { inserter } from '../../store/schema/tables.ts'
import { type Asked, answering, digestOf } from './answering.ts'
import { type Facts, matches } from './matching.ts'
import { type Done, type Rule, type RuleRun, runColumns } from './rule.ts'
import { ruleSettings } from './settings.ts'

/** A mail that was just stored. */
type Came = {
  mailbox_id: string
  mail: MailIn
  message: Message
  contact: Contact | undefined
  email: string | null
  ours: Ours
  isForged: boolean
}

/** Does what rules say with mails that come in, in the transaction that stores them. */
export const ruleRuns = once((deps: Deps) => {
  const { db, clock } = deps
  const conversations = conversationStore(deps)
  const { leave } = messageStore(deps)
  const { memberAuthor } = senders(deps)
  const outgoing = outgoingStore(deps)
  const viewOf = templateView(deps)
  const { silenceOf, isOften } = answering(deps)
  const { all } = ruleSettings(deps)
  const { isSpam } = listedSenders(deps)
  const isFit = db
    .prepare("SELECT 1 FROM members WHERE org_id = ? AND id = ? AND status = 'active' AND role <> 'viewer'")
    .pluck()
  const isTag = db.prepare('SELECT 1 FROM tags WHERE org_id = ? AND id = ?').pluck()
  const hasRun = db
    .prepare(
      `SELECT 1 FROM messages INDEXED BY messages_conversation
         JOIN rule_runs ON rule_runs.org_id = messages.org_id AND rule_runs.message_id = messages.id
       WHERE messages.org_id = ? AND conversation_id = ? AND rule_id = ? LIMIT 1`,
    )
    .pluck()
  const before = db
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM messages WHERE org_id = @org AND conversation_id = @conversation AND id < @message)
         OR EXISTS (SELECT 1 FROM conversations WHERE org_id = @org AND contact_id = @contact AND id < @conversation)`,
    )
    .pluck()
  const insert = inserter(db, 'rule_runs', ['org_id', ...runColumns.names])

  /** Whether this is the first of its sender that is here. */
  const isNew = (org: number, message: string, conversation: string, contact: string | null): boolean =>
    before.get({ org, message, conversation, contact }) === 0

  function run(org: number, came: Came): void {
    const rules = all(org).filter(({ is_active }) => is_active)
    if (rules.length === 0) return
    const { mail, message, mailbox_id, contact, email } = came
    const { conversation_id } = message
    // Whose mails are spam gets no answer, and nobody is given them.
    if (isSpam(org, conversation_id)) return
    const facts: Facts = {
      ...{ mailbox_id, from: email, subject: mail.subject ?? '', text: message.body_text },
      language: () => languageOf(message.body_text),
      isNew: isNew(org, message.id, conversation_id, contact?.id ?? null),
    }
    // The first rule that says something of the priority decides it, as with the owner, and the answer, which comes once a day.
    let isRanked = false
    for (const rule of rules.filter((each) => matches(each, facts))) {
      const answer_id = answer(org, rule, came)
      const { done, after } = apply(org, rule, conversations.byId({ org, member: null }, conversation_id), isRanked)
      isRanked ||= rule.priority !== null
      if (answer_id !== null) done.is_answered = true
      if (Object.keys(done).length === 0) continue
      note(org, {
        message_id: message.id,
        rule_id: rule.id,
        name: rule.name,
        at: rfc3339(clock.now()),
        done,
        conversation_version: after?.version ?? null,
        answer_id,
        text_digest: answer_id === null ? null : digestOf(email as string, message.body_text),
      })
    }
  }

  /** Owner, tags and priority once in a conversation: what members make of them afterwards stays. */
  function apply(
    org: number,
    rule: Rule,
    conversation: Conversation,
    isRanked: boolean,
  ): { done: Done; after?: Conversation } {
    const { owner_id, priority, closes } = rule
    const isFirst = hasRun.get(org, conversation.id, rule.id) === undefined
    const tags = rule.tag_ids.filter((id) => !conversation.tag_ids.includes(id) && isTag.get(org, id) !== undefined)
    const done: Done = {}
    const given: ConversationPatch = {}
    if (isFirst && owner_id !== null && conversation.owner_id === null && isFit.get(org, owner_id) !== undefined)
      done.owner_id = given.owner_id = owner_id
    if (isFirst && !isRanked && priority !== null && priority !== conversation.priority)
      done.priority = given.priority = priority
    if (isFirst && tags.length > 0) {
      done.tag_ids = tags
      given.tag_ids = [...conversation.tag_ids, ...tags]
    }
    if (closes && conversation.status !== 'closed') {
      done.is_closed = true
      given.status = 'closed'
    }
    if (Object.keys(done).length === 0) return { done }
    return { done, after: conversations.patch({ org, member: null }, conversation, given) }
  }

  /** The id of the answer, if there was one. It is no answer of a person: clocks and whoever waits go on. */
  function answer(org: number, rule: Rule, { mail, message, contact, email, ours, isForged }: Came): string | null {
    if (rule.answer === null || contact === undefined || email === null) return null
    const asked: Asked = {
      ...{ contact_id: contact.id, email, text: message.body_text, is_automatic: message.is_automatic },
      ...{ mail, isForged },
    }
    if (silenceOf(asked, ours) !== undefined || isOften(org, asked, clock.now())) return null
    const who = { org, member: null }
    const conversation = conversations.byId(who, message.conversation_id)
    const to = [{ email, name: message.author.name }]
    const leaving = outgoing.leaving(org, conversation.id, contact, { to, cc: [], bcc: [] })
    if (typeof leaving === 'string') return null
    const about = { contact, company: contact.company_id, deal: conversation.deal_id, sender: null }
    const body_text = fill(rule.answer, viewOf(org, about))
    if (body_text.trim() === '') return null
    const draft = {
      ...{ direction: 'outbound' as const, at: clock.now(), files: [], author: memberAuthor(who) },
      ...{ body_text, body_html: null, external_id: null, in_reply_to: null },
      ...{ isAnswer: false, is_automatic: true, isByRule: true },
    }
    return leave(who, { conversation }, draft, leaving, null).id
  }

  const note = (org: number, row: RuleRun): void => void insert([org, ...runColumns.values(row)])

  return { run, isNew }
})
