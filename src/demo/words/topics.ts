// The parts of conversations.

export type Channel = 'email' | 'chat' | 'sms' | 'phone'

/** When a topic fits: by the state of the deal, or `new` for an unknown person. */
export type DealContext = 'early' | 'late' | 'won' | 'lost' | 'new'

/** The kind of attachment; see files.ts. */
export type FileKind = 'prices' | 'offer' | 'order' | 'staff' | 'questions' | 'answers'

/**
 * One message, in one of several wordings; a `note` is for colleagues. {them} and {us} are first names, {seats} the
 * seats in the title of the deal, {firm} the contact's company, {module} a part of the product, {team} a team, {day} a
 * weekday and {number} that of an invoice or an offer. `days`: how long the conversation is snoozed afterwards.
 */
export type Line = { by: 'them' | 'us' | 'note'; texts: string[]; file?: FileKind; days?: number }

export type Topic = {
  on: DealContext
  channels: Channel[]
  /** Null if the channel has no subjects. */
  subject: string | null
  lines: Line[]
  priority?: 'low' | 'high' | 'urgent'
  /** The name of one of the tags. */
  tag?: string
}

export const them = (...texts: string[]): Line => ({ by: 'them', texts })
export const us = (...texts: string[]): Line => ({ by: 'us', texts })
export const note = (...texts: string[]): Line => ({ by: 'note', texts })
export const withFile = (file: FileKind, line: Line): Line => ({ ...line, file })
export const putOff = (days: number, line: Line): Line => ({ ...line, days })
