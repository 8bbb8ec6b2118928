import { columns as contactColumns, contactStore } from '../../crm/contacts.ts'
import type { Deps } from '../../deps.ts'
import type { Need, Route } from '../../http/route.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { senders } from '../../inbox/messages/from-address.ts'
import type { Caller } from '../../lib/caller.ts'
import { fillVisibly } from '../../lib/template.ts'
import { savedReplyStore } from '../../personal/saved-replies.ts'
import { type About, templateView } from '../../sequences/enrollments/template-values.ts'

/** The saved replies as they would stand in a reply: filled in where a value is there, as they were written elsewhere. */
export function filledReplies(deps: Deps): Route<Need>[] {
  const { byId } = conversationStore(deps)
  const contacts = contactStore(deps)
  const { all } = savedReplyStore(deps)
  const { known } = senders(deps)
  const viewOf = templateView(deps)
  const filled = (who: Caller, about: Omit<About, 'sender'>) => {
    const view = viewOf(who.org, { ...about, sender: who.member })
    const data = all(who).map((reply) => ({ ...reply, filled: fillVisibly(reply.text, view) }))
    return { json: JSON.stringify({ data }) }
  }
  return [
    {
      kind: 'data',
      method: 'get',
      path: '/inbox/:id/saved-replies',
      role: 'member',
      name: 'inbox',
      summary: 'Get the saved replies, filled in for a conversation',
      description:
        'Variables have the values of its contact, company and deal, of the organisation, and of the member as the sender. A variable without a value and without a fallback stays in the text.',
      read: (who, [id]) => {
        const { contact_id, company_id, deal_id } = byId(who, id as string)
        const contact = contact_id === null ? null : contactColumns.present(contacts.find(who, contact_id))
        return filled(who, { contact, company: company_id ?? contact?.company_id ?? null, deal: deal_id })
      },
    },
    {
      kind: 'data',
      method: 'get',
      path: '/inbox/saved-replies',
      role: 'member',
      name: 'inbox',
      summary: 'Get the saved replies, filled in for a mail that opens a conversation',
      description: 'Variables have the values of the contact with the email, if there is one, and of its company.',
      parameters: {
        email: { schema: { type: 'string', maxLength: 254 }, description: 'Of the first whom the mail goes to.' },
      },
      read: (who, _, { given }) => {
        const email = given.get('email')
        const contact = (email && known(who, { email })) || null
        return filled(who, { contact, company: contact?.company_id ?? null, deal: null })
      },
    },
  ]
}
