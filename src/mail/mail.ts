// The forms of a mail in Dealbox: as parsed from a received mail, and as composed for sending.

/** `name` is the display name in front of the address. */
export type Address = { email: string; name: string | null }

export type MailFile = { name: string; content_type: string; bytes: Buffer }

/** Why a mail counts as automatic: an automatic reply, a delivery report, or a bulk or list mail. */
export type Automatic = 'reply' | 'report' | 'bulk'

/** The content of a delivery report (RFC 3464), or the same facts found in a mail in another format. */
export type Report = {
  /** Message-ID of the mail that the report is about, with angle brackets; null if the report does not name it. */
  messageId: string | null
  recipients: {
    email: string
    action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded'
    /** RFC 3463 status code, such as "5.1.1". */
    status: string | null
    /** The other server's reason: one sentence or line. */
    why: string | null
  }[]
}

/** A received mail. All text is NFC without NUL and lone surrogates, and is bounded. */
export type MailIn = {
  /**
   * Ids include their angle brackets and have at most 998 characters; null if the header is missing or has no valid id.
   */
  messageId: string | null
  inReplyTo: string[]
  /** Oldest first, at most 50: the first 10 and the last 40. */
  references: string[]
  from: Address | null
  replyTo: Address | null
  to: Address[]
  cc: Address[]
  /** Lower case, from Delivered-To, X-Original-To and Envelope-To. */
  deliveredTo: string[]
  subject: string | null
  /** Milliseconds; null if the mail has no readable date. */
  date: number | null
  text: string
  html: string | null
  files: MailFile[]
  automatic: Automatic | null
  report: Report | null
  /** One sentence each: what was left out, and why. */
  notes: string[]
  /** Equal for every copy of the same mail, whatever its route; differs between two mails with the same Message-ID. */
  digest: string
}

/** A mail to send. */
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
  /** Further headers, such as List-Unsubscribe. */
  headers: Record<string, string>
}
