import type { Priority } from '../../inbox/sla/policies.ts'
import type { Language } from '../../lib/language.ts'
import * as c from '../../store/rows/columns.ts'
import type { Stored } from '../../store/settings/table.ts'

export const SENDERS = ['new', 'known'] as const

/** Each that is given has to be met. */
export type Conditions = {
  /** An email, or a domain and what is below it. */
  from?: string
  subject?: string
  text?: string
  /** ISO 639-1, of the text. */
  language?: Language
  sender?: (typeof SENDERS)[number]
}

export type Rule = Stored & {
  key: string
  name: string
  is_active: boolean
  position: number
  mailbox_id: string | null
  conditions: Conditions
  owner_id: string | null
  tag_ids: string[]
  priority: Priority | null
  answer: string | null
  closes: boolean
}

export const rowColumns = c.columns<Rule>({
  id: c.plain('id'),
  key: c.plain('key'),
  name: c.text('name'),
  is_active: c.bool('is_active'),
  position: c.integer('position'),
  mailbox_id: c.plain('mailbox_id'),
  conditions: c.json('conditions'),
  owner_id: c.plain('owner_id'),
  tag_ids: c.json('tag_ids'),
  priority: c.plain('priority'),
  answer: c.text('answer'),
  closes: c.bool('closes'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})

/** What a rule has done with a mail; what it left as it was is not in it. */
export type Done = {
  owner_id?: string
  tag_ids?: string[]
  priority?: Priority
  is_answered?: true
  is_closed?: true
}

export type RuleRun = {
  message_id: string
  rule_id: string
  name: string
  at: string
  done: Done
  conversation_version: number | null
  answer_id: string | null
  text_digest: string | null
}

export const runColumns = c.columns<RuleRun>({
  message_id: c.plain('message_id'),
  rule_id: c.plain('rule_id'),
  name: c.text('name'),
  at: c.time('at'),
  done: c.json('done'),
  conversation_version: c.integer('conversation_version'),
  answer_id: c.plain('answer_id'),
  text_digest: c.plain('text_digest'),
})
