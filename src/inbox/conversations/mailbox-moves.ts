import { type Deps, once } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { conflict, field, invalid } from '../../lib/problem.ts'
import { missing } from '../../store/rows/references.ts'
import { mailboxStore } from '../mailboxes/mailboxes.ts'
import type { Conversation } from './conversation.ts'
import { conversationStore } from './conversations.ts'
import { mailboxesOf } from './mailboxes-of.ts'
import { type Move, moveRows } from './move-rows.ts'
import { movedTo } from './moved-to.ts'
import { listedSenders } from './spam-senders.ts'

/** Conversations that go to another mailbox: docs/decisions/082-views-of-the-inbox.md. */
export const mailboxMoves = once((deps: Deps) => {
  const { clock } = deps
  const { rewrite } = conversationStore(deps)
  const mailboxes = mailboxStore(deps)
  const inMailboxes = mailboxesOf(deps)
  const rows = moveRows(deps)
  const { checkUnmerged } = movedTo(deps.db)
  const { isSpam } = listedSenders(deps)

  /**
   * It stands in the view of this mailbox alone, and replies leave by it. Throws 422 as `checkMailbox`, and
   * for what is no mail; 409 for spam.
   */
  function toMailbox(who: Caller, given: Conversation, mailbox_id: string): Conversation {
    const { org } = who
    checkUnmerged(org, given.id)
    checkMailbox(who, mailbox_id)
    if (given.channel !== 'email')
      throw invalid(field('/mailbox_id', 'other_channel', 'must be omitted: only conversations by mail have a mailbox'))
    if (isSpam(org, given.id)) throw conflict('is_spam', 'This conversation is spam. Open it again first.')
    const before = inMailboxes.of(org, given)
    if (before.length === 1 && before[0]?.mailbox_id === mailbox_id) return given
    const after = [{ mailbox_id, chosen_at: clock.now() }]
    inMailboxes.set(org, given, after)
    // Its event has no changed fields: the screens read their lists again.
    const moved = rewrite(who, given, given)
    rows.add(who, {
      kind: 'mailbox',
      from_id: given.id,
      to_id: given.id,
      undo: { version: moved.version, moved: {}, mailboxes: before, to_mailbox: mailbox_id },
    })
    return moved
  }

  /** Throws 422 for a mailbox that is not there, is off or is another member's own. */
  function checkMailbox({ org, member }: Caller, id: string): void {
    const mailbox = mailboxes.byId(org, id)
    if (!mailbox?.is_active || (mailbox.member_id !== null && mailbox.member_id !== member))
      throw invalid(missing('/mailbox_id'))
  }

  /** It stands where it stood, and where mails have come in since; if that was taken back already, where it had been moved to. */
  function turnBack(who: Caller, given: Conversation, { undo, undone_at, ...move }: Move): Conversation {
    const { org } = who
    checkUnmerged(org, given.id)
    if (undone_at !== null) return toMailbox(who, given, undo.to_mailbox as string)
    const now = inMailboxes.of(org, given)
    const chosen = now.find(({ chosen_at }) => chosen_at !== null)
    if (chosen && (chosen.mailbox_id !== undo.to_mailbox || (chosen.chosen_at ?? 0) > move.at))
      throw conflict('changed_since', 'This conversation was moved to another mailbox since.', { fields: ['mailbox'] })
    const since = now.filter(({ chosen_at }) => chosen_at === null)
    const before = (undo.mailboxes ?? []).filter(({ mailbox_id }) => mailboxes.byId(org, mailbox_id))
    inMailboxes.set(org, given, [...before, ...since])
    inMailboxes.addOfMessages(org, given, move.at)

    const back = rewrite(who, given, given)
    rows.undone(org, { ...move, undo, undone_at }, back.version)
    return back
  }

  return { toMailbox, turnBack, checkMailbox }
})
