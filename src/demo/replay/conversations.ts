import type { Deps } from '../../deps.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import type { Message } from '../../inbox/messages/message.ts'
import { messageStore } from '../../inbox/messages/messages.ts'
import type { Caller } from '../../lib/caller.ts'
import { rfc3339 } from '../../lib/time.ts'
import { columns as meetingColumns } from '../../meetings/meeting.ts'
import { meetingStore } from '../../meetings/meetings.ts'
import { transcriptStore } from '../../meetings/transcripts.ts'
import type { Guest, HeldGiven, MessageGiven, Step } from '../story/steps.ts'

type Of<Do extends Step['do']> = Extract<Step, { do: Do }>

/** Returns the stored ids of the records that steps refer to. */
export type Stored = {
  idOf: (kind: 'member' | 'tag' | 'contact' | 'company', ref: number | undefined) => string | null
  dealId: (ref: number | undefined) => string | null
}

/** Replays conversations, meetings and their transcripts. */
export function conversationReplayer(deps: Deps, org: number, { idOf, dealId }: Stored) {
  const { clock } = deps
  const messages = messageStore(deps)
  const conversations = conversationStore(deps)
  const meetings = meetingStore(deps)
  const transcripts = transcriptStore(deps)
  // Ids by the numbers in the story.
  const talkIds: string[] = []
  const meetingIds: string[] = []
  /** Ids of meetings booked by enrolled contacts, by the number of the enrollment. */
  const bookedIds = new Map<number, string>()

  /** Messages that come in have no member as their actor. */
  const caller = (by: number | undefined): Caller => ({ org, member: idOf('member', by) })

  function talk(step: Of<'talk'>): void {
    const { channel, subject, by, given } = step
    const whom = 'from' in step ? { from: step.from } : { contact_id: idOf('contact', step.contact) as string }
    const about = { channel, ...(subject === null ? {} : { subject }), ...whom }
    talkIds[step.ref] = (messages.post(caller(by), { ...said(given), ...about }) as Message).conversation_id
  }

  function say({ talk, by, given }: Of<'say'>): void {
    messages.post(caller(by), { ...said(given), conversation_id: talkIds[talk] as string })
  }

  /** Past mails are stored as sent, so that no mailbox sends them. */
  const said = (given: MessageGiven) =>
    given.direction === 'outbound' ? { ...given, sent_at: rfc3339(clock.now()) } : given

  function tend({ talk, by, given, owner, deal, tags }: Of<'tend'>): void {
    const who = caller(by)
    const deal_id = dealId(deal)
    conversations.patch(who, conversations.byId(who, talkIds[talk] as string), {
      ...given,
      read_at: rfc3339(clock.now()),
      ...(owner === undefined ? {} : { owner_id: idOf('member', owner) }),
      ...(deal_id === null ? {} : { deal_id }),
      ...(tags === undefined ? {} : { tag_ids: tags.map((tag) => idOf('tag', tag) as string) }),
    })
  }

  function meeting(step: Of<'meeting'>): void {
    meetingIds[step.ref] = arrange(step)
  }

  function book(step: Of<'book'>): void {
    bookedIds.set(step.enrollment, arrange(step))
  }

  function arrange({ by, given, guests, company, deal }: Of<'meeting'> | Of<'book'>): string {
    const links = { owner_id: idOf('member', by), company_id: idOf('company', company), deal_id: dealId(deal) }
    return meetings.create(caller(by), { ...given, ...links, participants: guests.map(guest) }).id
  }

  function guest({ role, response, ...who }: Guest) {
    if ('contact' in who) return { role, response, contact_id: idOf('contact', who.contact) }
    return 'member' in who ? { role, response, member_id: idOf('member', who.member) } : { role, response, ...who }
  }

  function held({ meeting, by, given }: Of<'held'>): void {
    patch(caller(by), meetingIds[meeting] as string, given)
  }

  function met({ enrollment, by, given }: Of<'met'>): void {
    patch(caller(by), bookedIds.get(enrollment) as string, given)
  }

  function patch(who: Caller, id: string, given: HeldGiven): void {
    meetings.patch(who, meetingColumns.present(meetings.find(who, id)), given)
  }

  function transcript({ meeting, by, voices, given }: Of<'transcript'>): void {
    const who = caller(by)
    const speakers = voices.map(({ key, name, contact, member }) => ({
      key,
      name,
      contact_id: idOf('contact', contact),
      member_id: idOf('member', member),
    }))
    transcripts.put(who, transcripts.place(who, meetingIds[meeting] as string), { ...given, speakers }, false)
  }

  return { talk, say, tend, meeting, book, held, met, transcript }
}
