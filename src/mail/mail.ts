// What a mail is to Dealbox: as it came in, as far as it could be read, and as it is to go out.

/** `name` is what stands in front of the address. */
export type Address = { email: string; name: string | null }

export type MailFile = { name: string; content_type: string; bytes: Buffer }

/** Why nobody in person wrote it: an answer by a machine, a report of a delivery, or one of many to a list. */
export type Automatic = 'reply' | 'report' | 'bulk'

/** What a report of a delivery says (RFC 3464), or what a mail says that means the same. */
export type Report = {
  /** Message-ID of the mail that it is about, with its angle brackets; null where it does not say. */
  messageId: string | null
  recipients: {
    email: string
    action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded'
    /** RFC 3463, such as "5.1.1". */
    status: string | null
    /** One sentence or line as the other server said it. */
    why: string | null
  }[]
}

/** A mail that came in. All text is NFC without NUL and lone surrogates, and is bounded. */
export type MailIn = {
  /** Ids have their angle brackets, at most 998 characters; null where the header is missing or no id. */
  messageId: string | null
  inReplyTo: string[]
  /** Oldest first, at most 50: the first and the last ones. */
  references: string[]
  from: Address | null
  replyTo: Address | null
  to: Address[]
  cc: Address[]
  /** Lower case: what Delivered-To, X-Original-To and Envelope-To name. */
  deliveredTo: string[]
  subject: string | null
  /** Milliseconds; null where there is none that can be read. */
  date: number | null
  text: string
  html: string | null
  files: MailFile[]
  automatic: Automatic | null
  report: Report | null
  /** Each a sentence: what was left out, and why. */
  notes: string[]
  /** The same for the same mail, whichever way it came; another one for two mails with one Message-ID. */
  digest: string
}

/** A mail that is to go out. */
export type MailOut = {
  messageId: string
  date: number
  from: Address
  replyTo: Address | null
  to: Address[]
  subject: string
  inReplyTo: string | null
  references: string[]
  text: string
  html: string | null
  files: MailFile[]
  /** Others, such as List-Unsubscribe. */
  headers: Record<string, string>
}
