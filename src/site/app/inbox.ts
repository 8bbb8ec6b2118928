import type { Deps } from '../../deps.ts'
import { filterParameter } from '../../filters/parameter.ts'
import type { Need, Route } from '../../http/route.ts'
import { Conversation, sorts } from '../../inbox/conversations/conversation.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { slaReasons } from '../../inbox/conversations/sla-reasons.ts'
import { IN_MAILBOX, INBOX_VIEWS, type InboxView, inMailbox, viewConditions } from '../../inbox/conversations/views.ts'
import { mailboxStore } from '../../inbox/mailboxes/mailboxes.ts'
import { senders } from '../../inbox/messages/from-address.ts'
import { NO_MAILBOX, outgoingStore } from '../../inbox/messages/outgoing.ts'
import { recipientStore } from '../../inbox/messages/recipients.ts'
import type { Caller } from '../../lib/caller.ts'
import { draftStore } from '../../personal/drafts.ts'
import { inboxHistory } from './inbox-history.ts'
import { inboxHits } from './inbox-hits.ts'
import { inboxMailboxes } from './inbox-mailboxes.ts'

/** Who is offered beside those whom a reply goes to: the last of those who have written, as after a merge. */
const MAX_WRITERS = 20

function writers({ db }: Deps) {
  const select = db.prepare(
    `SELECT author ->> 'email' AS email, max(author ->> 'name') AS name FROM messages INDEXED BY messages_conversation
     WHERE org_id = ? AND conversation_id = ? AND direction = 'inbound' AND is_automatic = 0
       AND author ->> 'email' IS NOT NULL
     GROUP BY lower(author ->> 'email') ORDER BY max(id) DESC LIMIT ${MAX_WRITERS}`,
  )
  return (org: number, id: string) => select.all(org, id)
}

/** By the order of the list: along the ids, each of 100,000 closed ones would be looked at. */
const ALL = { limit: 1, sort: { column: 'due_rank' }, descending: false, count: true }

/** The list of the inbox, who is due first, how many conversations each of its views has, and whom a reply goes to. */
export function inboxRoutes(deps: Deps): Route<Need>[] {
  const { list, columns, filters, byId } = conversationStore(deps)
  const outgoing = outgoingStore(deps)
  const { asidesOf } = recipientStore(deps)
  const { contactById } = senders(deps)
  const { reasonsOf } = slaReasons(deps)
  const { conversationsOf } = draftStore(deps)
  const { active } = mailboxStore(deps)
  const writersIn = writers(deps)
  const { clock } = deps
  const conditionsOf = (who: Caller, view: InboxView) =>
    viewConditions(view, who, clock.now(), () => conversationsOf(who))
  return [
    {
      kind: 'list',
      method: 'get',
      path: '/rows/conversations',
      role: 'viewer',
      name: 'conversation',
      summary: 'List the conversations of the inbox',
      item: Conversation,
      skips: true,
      timeDependent: true,
      list,
      columns,
      filters: {
        ...filters,
        view: {
          type: 'choice',
          choices: INBOX_VIEWS,
          resolve: (who, value) => conditionsOf(who, value as InboxView),
          description: 'A view of the inbox',
        },
        mailbox_id: { type: 'id', link: IN_MAILBOX, description: 'A mailbox in whose view they stand.' },
        filter: filterParameter(deps, 'inbox'),
      },
      sorts: { ...sorts, due: { column: 'due_rank' } },
    },
    {
      kind: 'data',
      method: 'get',
      path: '/inbox/counts',
      role: 'viewer',
      name: 'inbox',
      summary: 'Count the conversations of each view of the inbox',
      read: (who) => {
        // Nobody works through the closed ones: they are not counted.
        const counted = INBOX_VIEWS.filter((view) => view !== 'closed').map((view) => [
          view,
          list(who.org, { ...ALL, conditions: conditionsOf(who, view) }, who).total,
        ])
        const open = conditionsOf(who, 'open')
        const mailboxes = active()
          .filter(({ org }) => org === who.org)
          .map(({ mailbox: { id } }) => [
            id,
            list(who.org, { ...ALL, conditions: [...open, inMailbox(id)] }, who).total,
          ])
        return { json: JSON.stringify({ ...Object.fromEntries(counted), mailboxes: Object.fromEntries(mailboxes) }) }
      },
    },
    {
      kind: 'data',
      method: 'get',
      path: '/inbox/:id/recipients',
      role: 'viewer',
      name: 'inbox',
      summary: 'Get whom a reply to everybody in a conversation would go to, and by which address',
      read: (who, [id]) => {
        const { contact_id } = byId(who, id as string)
        const contact = contact_id === null ? undefined : contactById(who, contact_id)
        const others = writersIn(who.org, id as string)
        const leaving = outgoing.leaving(who.org, id, contact, {})
        if (typeof leaving === 'string') {
          const reason = leaving === NO_MAILBOX ? 'no_mailbox' : 'no_email'
          return { json: JSON.stringify({ from: null, to: [], cc: [], others, reason }) }
        }
        const { from, to, cc } = leaving
        return { json: JSON.stringify({ from, to, cc, others, reason: null }) }
      },
    },
    inboxMailboxes(deps),
    {
      kind: 'data',
      method: 'get',
      path: '/inbox/:id/asides',
      role: 'viewer',
      name: 'inbox',
      summary:
        'Get which messages of a conversation are from others than the customer, and whom an answer to each goes to',
      read: (who, [id]) => {
        byId(who, id as string)
        return { json: JSON.stringify({ data: asidesOf(who.org, id as string) }) }
      },
    },
    inboxHistory(deps),
    inboxHits(deps),
    {
      kind: 'data',
      method: 'get',
      path: '/inbox/:id/sla',
      role: 'viewer',
      name: 'inbox',
      summary: 'Get why the SLA targets of a conversation are due when they are',
      read: (who, [id]) => ({ json: JSON.stringify(reasonsOf(who.org, byId(who, id as string))) }),
    },
  ]
}
