import { sayFailed } from '../../components/say-failed.ts'
import { showToast } from '../../components/toast.tsx'
import { memberName } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { patch, record } from '../../data/records.ts'
import type { Conversation, Fields } from '../../data/types.ts'
import { asStep } from '../../data/writes.ts'
import { format } from '../../lib/locale.ts'
import { serverNow } from '../../lib/server-time.ts'
import { momentOf, zoned } from '../../lib/zoned.ts'
import { texts } from './texts.ts'

// What is done with a conversation, each with its way back.

export type Status = Conversation['status']
export type Priority = Conversation['priority']

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

export type Preset = 'today' | 'tomorrow' | 'week'

/** When a snooze of this name ends, in the member's zone: in three hours, but not after six; at eight in the morning else. */
export function presetTime(preset: Preset, now: number, timezone: string): number | undefined {
  const here = zoned(now, timezone)
  const at = (days: number, hour: number) => {
    const day = new Date(Date.UTC(here.year, here.month - 1, here.day + days))
    const date = { year: day.getUTCFullYear(), month: day.getUTCMonth() + 1, day: day.getUTCDate() }
    return momentOf({ ...date, hour, minute: 0, second: 0 }, timezone)
  }
  if (preset === 'today') return here.hour >= 17 ? undefined : at(0, Math.min(18, here.hour + 3))
  if (preset === 'tomorrow') return at(1, 8)
  const weekday = new Date(Date.UTC(here.year, here.month - 1, here.day)).getUTCDay()
  return at((8 - weekday) % 7 || 7, 8)
}
