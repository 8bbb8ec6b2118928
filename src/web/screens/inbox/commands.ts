import { me } from '../../data/boot.ts'
import { hasRole } from '../../data/may.ts'
import type { Conversation } from '../../data/types.ts'
import type { Command } from '../../shell/commands/registry.ts'
import { markUnread, setOwner, setStatus } from './acts.ts'
import { compose } from './composing.ts'
import { beginMail } from './new-mail.tsx'
import { openSavedReplies } from './saved-replies/open.ts'
import { texts as replyTexts } from './saved-replies/texts.ts'
import { texts } from './texts.ts'
import { mayMove } from './triage/moving.ts'
import { changeAll, chosenIds, closeAll, giveByLoad } from './triage/selecting.ts'
import { markSpam } from './triage/spam.ts'
import { texts as triageTexts } from './triage/texts.ts'

export type InboxActs = {
  current: () => Conversation | undefined
  step: (by: number) => void
  /** Closes it, and goes to the one below. */
  closeNext: (id: string) => void
  focusThread: () => void
  search: () => void
  /** Shows the contact, or hides it again, where it has no room of its own. */
  contact: () => void
}

/** What is chosen in the list comes before what is open. */
const press = (act: string) => () =>
  (
    document.querySelector<HTMLElement>(`.ix .bulk [data-act="${act}"]`) ??
    document.querySelector<HTMLElement>(`.ih [data-act="${act}"]`)
  )?.click()

/** Does it with all that are chosen, else with the open one. */
const orAll =
  (all: (ids: readonly string[]) => unknown, one: (record: Conversation) => unknown) => (record: Conversation) => {
    const ids = chosenIds()
    if (ids.length > 0) void all(ids)
    else one(record)
  }

export function commandsOf({ current, step, closeNext, focusThread, search, contact }: InboxActs): Command[] {
  const on = (run: (record: Conversation) => void, isFit: (record: Conversation) => boolean = () => true) => ({
    group: 'record' as const,
    when: () => {
      const record = current()
      return hasRole('member') && record !== undefined && isFit(record)
    },
    run: () => {
      const record = current()
      if (record) run(record)
    },
  })
  const isMail = ({ channel }: Conversation) => channel === 'email'
  const isOpen = ({ status }: Conversation) => status !== 'closed'
  const words = texts
  return [
    { id: 'inbox.next', title: () => words().next, group: 'list', keys: 'j', isHidden: true, run: () => step(1) },
    {
      id: 'inbox.previous',
      title: () => words().previous,
      group: 'list',
      keys: 'k',
      isHidden: true,
      run: () => step(-1),
    },
    { id: 'inbox.open', title: () => words().open, group: 'list', keys: 'Enter', isHidden: true, run: focusThread },
    { id: 'inbox.search', title: () => words().searchList, group: 'list', keys: '/', icon: 'search', run: search },
    {
      id: 'inbox.new',
      title: () => words().newMail,
      group: 'new',
      keys: 'c m',
      icon: 'pen',
      when: () => hasRole('member'),
      run: beginMail,
    },
    { id: 'inbox.reply', title: () => words().reply, keys: 'r', icon: 'reply', ...on(() => compose('reply')) },
    {
      id: 'inbox.contact',
      title: () => words().showContact,
      group: 'record',
      keys: 'i',
      icon: 'person',
      when: () => current() !== undefined,
      run: contact,
    },
    {
      id: 'inbox.forward',
      title: () => words().forward,
      keys: 'f',
      icon: 'to',
      ...on(() => compose('forward'), isMail),
    },
    { id: 'inbox.note', title: () => words().note, keys: 'n', icon: 'note', ...on(() => compose('note')) },
    {
      id: 'inbox.close',
      title: () => words().closeNext,
      keys: 'e',
      icon: 'check',
      ...on(
        orAll(closeAll, ({ id }) => closeNext(id)),
        (record) => isOpen(record) || chosenIds().length > 0,
      ),
    },
    {
      id: 'inbox.reopen',
      title: () => words().reopen,
      icon: 'undo',
      ...on(
        ({ id }) => setStatus(id, 'open'),
        (record) => !isOpen(record),
      ),
    },
    { id: 'inbox.owner', title: () => words().owner, keys: 'a', icon: 'person', ...on(press('owner')) },
    {
      id: 'inbox.mine',
      title: () => words().mine,
      keys: 'm',
      icon: 'useradd',
      ...on(
        orAll(
          (ids) => changeAll(ids, { patch: { owner_id: me.peek().id } }),
          ({ id }) => setOwner(id, me.peek().id),
        ),
        ({ owner_id }) => owner_id !== me.peek().id || chosenIds().length > 0,
      ),
    },
    {
      id: 'inbox.by-load',
      title: () => triageTexts().byLoadCommand,
      icon: 'person',
      ...on(
        orAll(giveByLoad, ({ id }) => giveByLoad([id])),
        (record) => isOpen(record) || chosenIds().length > 0,
      ),
    },
    {
      id: 'inbox.snooze',
      title: () => words().snooze,
      keys: 'z',
      icon: 'snooze',
      ...on(press('snooze'), (record) => isOpen(record) || chosenIds().length > 0),
    },
    { id: 'inbox.tags', title: () => triageTexts().tags, keys: 't', icon: 'tag', ...on(press('tags')) },
    { id: 'inbox.merge', title: () => triageTexts().merge, icon: 'merge', ...on(press('merge')) },
    {
      id: 'inbox.mailbox',
      title: () => triageTexts().mailbox,
      keys: 'b',
      icon: 'mail',
      ...on(press('mailbox'), ({ channel }) => mayMove(channel)),
    },
    { id: 'inbox.spam', title: () => triageTexts().spam.mark, icon: 'shield', ...on(({ id }) => void markSpam(id)) },
    { id: 'inbox.deal', title: () => triageTexts().deal, icon: 'deal', ...on(press('deal')) },
    { id: 'inbox.priority', title: () => words().priority, keys: 'p', icon: 'flag', ...on(press('priority')) },
    {
      id: 'inbox.savedReplies',
      title: () => replyTexts().edit,
      group: 'app',
      icon: 'copy',
      when: () => hasRole('member'),
      run: openSavedReplies,
    },
    { id: 'inbox.unread', title: () => words().markUnread, keys: 'u', icon: 'mail', ...on(({ id }) => markUnread(id)) },
  ]
}
