import type { Choice } from '../../../components/choices.tsx'
import type { IconName } from '../../../components/icon.tsx'
import { sayFailed } from '../../../components/say-failed.ts'
import { showToast } from '../../../components/toast.tsx'
import { client } from '../../../data/current.ts'
import { myMailboxes } from '../../../data/mailboxes.ts'
import type { Conversation, Fields } from '../../../data/types.ts'
import { asStep } from '../../../data/writes.ts'
import { setQuery } from '../../../lib/router.ts'
import { texts } from './texts.ts'

/** Sends it as one step, says what was done, and shows the conversation where the messages are. */
async function move(
  path: string,
  body: Fields,
  said: (made: Conversation) => string,
  icon: IconName = 'merge',
): Promise<void> {
  const { api, store, newKey } = client()
  let key = ''
  const step = asStep(() => {
    key = newKey()
  })
  const since = store.moment()
  try {
    const { body: made } = await api.request<Conversation>('POST', path, { body, key })
    store.accept('conversations', made, { since })
    showToast({ text: said(made), icon, step })
    void setQuery({ c: made.id })
  } catch (error) {
    sayFailed(texts().notMoved, error)
  }
}

export const merge = (id: string, into_id: string): Promise<void> =>
  move(`/app/conversations/${id}/merge`, { into_id }, ({ number }) => texts().said.merged(String(number)))

/** Whether there is another mailbox for it. */
export const mayMove = (channel: Conversation['channel']): boolean => channel === 'email' && myMailboxes().length > 1

export const mailboxChoices = (): Choice[] =>
  myMailboxes().map(({ id, name, address }) => ({ value: id, label: name, note: address }))

/** Into the view of another mailbox, which replies leave by from then on. */
export function toMailbox(id: string, mailbox_id: string, name: string): Promise<void> {
  return move(`/app/conversations/${id}/mailbox`, { mailbox_id }, () => texts().said.mailbox(name), 'mail')
}

export const split = (message: string): Promise<void> =>
  move(`/app/messages/${message}/split`, {}, ({ number }) => texts().said.split(String(number)))

/** Where a conversation can be merged into: the others of its contact first, then what the words find. */
export async function findOthers(
  { id, contact_id, channel }: Conversation,
  typed: string,
  signal: AbortSignal,
): Promise<Conversation[]> {
  const { api, store } = client()
  const since = store.moment()
  const q = typed.trim().slice(0, 255)
  const query = new URLSearchParams({ limit: '20', channel, sort: '-last_message_at' })
  if (q !== '') query.set('q', q)
  else if (contact_id !== null) query.set('contact_id', contact_id)
  const { data } = await api.get<{ data: Conversation[] }>(`/app/rows/conversations?${query}`)
  if (signal.aborted) return []
  for (const each of data) store.accept('conversations', each, { since })
  return data.filter((each) => each.id !== id && each.preview !== '')
}
