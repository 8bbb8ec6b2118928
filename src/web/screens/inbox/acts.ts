import { sayFailed } from '../../components/say-failed.ts'
import { showToast } from '../../components/toast.tsx'
import { memberName } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { patch, record } from '../../data/records.ts'
import type { Conversation, Fields } from '../../data/types.ts'
import { asStep } from '../../data/writes.ts'
import { format } from '../../lib/locale.ts'
import { serverNow } from '../../lib/server-time.ts'
import { texts } from './texts.ts'
import { texts as triageTexts } from './triage/texts.ts'

// What is done with a conversation, each with its way back.

export type Status = Conversation['status']
export type Priority = Conversation['priority']

export const PRIORITIES: readonly Priority[] = ['urgent', 'high', 'normal', 'low']

function change(id: string, fields: Fields, text: string): void {
  const step = asStep(() => {
    patch('conversations', id, fields).catch((error) => sayFailed(texts().failed, error))
  })
  showToast({ text, step })
}

export const setStatus = (id: string, status: Exclude<Status, 'snoozed'>): void =>
  change(id, { status }, { open: texts().said.reopened, ...texts().said }[status])

export const snooze = (id: string, until: number): void =>
  change(
    id,
    { status: 'snoozed', snoozed_until: new Date(until).toISOString() },
    texts().said.snoozed(format.value.when(until, serverNow())),
  )

export const setOwner = (id: string, owner: string | null): void =>
  change(id, { owner_id: owner }, owner ? texts().said.owner(memberName(owner) ?? '') : texts().said.noOwner)

export const setPriority = (id: string, priority: Priority): void =>
  change(id, { priority }, texts().said.priority(texts().priorities[priority]))

export const setTags = (id: string, tag_ids: readonly string[]): void =>
  change(id, { tag_ids: [...tag_ids] }, triageTexts().said.tags)

export const setDeal = (id: string, deal_id: string | null, name: string): void =>
  change(id, { deal_id }, deal_id ? triageTexts().said.deal(name) : triageTexts().said.noDeal)

export const markUnread = (id: string): void => change(id, { read_at: null }, texts().said.unread)

/** Whoever has it open has read it. Nobody takes that back, so it is no step. */
export function markRead(id: string): void {
  const found = record('conversations', id).peek() as Conversation | null | undefined
  if (!found || found.unread_count === 0) return
  const { api } = client()
  void api
    .request('PATCH', `/api/v1/conversations/${id}`, {
      body: { read_at: new Date(serverNow()).toISOString() },
      version: found.version,
    })
    .catch(() => undefined) // the next look says it
}
