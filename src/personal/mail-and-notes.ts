import type { Deps } from '../deps.ts'
import type { Changes } from '../events/react.ts'
import type { Caller } from '../lib/caller.ts'
import { mentionsIn } from './mentions.ts'

/** The record that is opened from it. */
type About = { object: 'deal' | 'company' | 'contact' | 'conversation' | 'note'; record: string; title: string }
type Told = About & { kind: 'mentioned' | 'failed'; at: number }
type Tell = (org: number, member: string, actor: string | null, told: Told) => void

/** What is told of notes that mention somebody, and of mail that does not arrive. */
export function mailAndNotes({ db, clock }: Deps, tell: Tell) {
  const titles = {
    deal: db.prepare('SELECT title FROM deals WHERE org_id = ? AND id = ?').pluck(),
    company: db.prepare('SELECT name FROM companies WHERE org_id = ? AND id = ?').pluck(),
    contact: db.prepare('SELECT name FROM contacts WHERE org_id = ? AND id = ?').pluck(),
  }
  const conversation = db.prepare(
    "SELECT coalesce(subject, '#' || number) AS title, owner_id FROM conversations WHERE org_id = ? AND id = ?",
  )

  /** Tells the members whom a note mentions and did not mention before. */
  function noteChanged(who: Caller, after: Changes['note.updated'], before?: Changes['note.updated']): void {
    if (after.body === before?.body) return
    mentioned(who, mentionsIn(after.body), before ? mentionsIn(before.body) : [], () => subjectOf(who.org, after))
  }

  /** The same for a note in a conversation. */
  function messageNoted(who: Caller, { conversation_id, body_text }: Changes['message.noted']): void {
    mentioned(who, mentionsIn(body_text), [], () => aboutConversation(who.org, conversation_id))
  }

  /** Nobody is told of what they write themselves, nor of what an import brings. */
  function mentioned({ org, member }: Caller, now: string[], known: string[], subject: () => About): void {
    const fresh = member === null ? [] : now.filter((id) => id !== member && !known.includes(id))
    if (fresh.length === 0) return
    const about = subject()
    for (const each of fresh) tell(org, each, member, { kind: 'mentioned', ...about, at: clock.now() })
  }

  /** Who wrote a mail that does not reach whom it was written to, and who has the conversation. What sequences send has its own page. */
  function mailFailed({ org }: Caller, { conversation_id, author, enrollment_id }: Changes['message.failed']): void {
    if (enrollment_id !== null) return
    const { owner_id } = conversation.get(org, conversation_id) as { owner_id: string | null }
    const about = aboutConversation(org, conversation_id)
    for (const member of new Set([author.type === 'member' ? author.id : null, owner_id]))
      if (member !== null) tell(org, member, null, { kind: 'failed', ...about, at: clock.now() })
  }

  function aboutConversation(org: number, id: string): About {
    const { title } = conversation.get(org, id) as { title: string }
    return { object: 'conversation', record: id, title }
  }

  /** The record that a note is about, which is where its reader wants to go. */
  function subjectOf(org: number, note: Changes['note.updated']): About {
    for (const object of ['deal', 'company', 'contact'] as const) {
      const [record] = object === 'deal' ? note.deal_ids : object === 'company' ? note.company_ids : note.contact_ids
      if (record !== undefined) return { object, record, title: titles[object].get(org, record) as string }
    }
    const title = note.title ?? note.body.slice(0, 80)
    return note.conversation_id
      ? { object: 'conversation', record: note.conversation_id, title }
      : { object: 'note', record: note.id, title }
  }

  return { noteChanged, messageNoted, mailFailed }
}
