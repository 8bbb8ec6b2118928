// What conversations are made of.

export type Channel = 'email' | 'chat' | 'sms' | 'phone'

/** When a topic fits: by how the deal stands, or `new` for somebody whom nobody knows. */
export type DealContext = 'early' | 'late' | 'won' | 'lost' | 'new'

/** What is attached; see files.ts. */
export type FileKind = 'prices' | 'offer' | 'order' | 'staff' | 'questions' | 'answers'

/**
 * One message, in one of several wordings; a `note` is for colleagues. {them} and {us} are first names, {seats} what
 * the title of the deal says, {firm} where the contact works, {module} a part of the product, {team} a team, {day} a
 * weekday and {number} that of an invoice or an offer. `days`: the conversation is put off for so long afterwards.
 */
export type Line = { by: 'them' | 'us' | 'note'; texts: string[]; file?: FileKind; days?: number }

export type Topic = {
  on: DealContext
  channels: Channel[]
  /** Null where the channel has none. */
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
