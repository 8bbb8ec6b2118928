import type { Appointment } from '../icalendar/appointment.ts'

// The forms of a mail in Dealbox: as parsed from a received mail, and as composed for sending.

/** `name` is the display name in front of the address. */
export type Address = { email: string; name: string | null }

/** `cid` is the Content-ID without brackets, by which the HTML shows the file; null if it has none. */
export type MailFile = { name: string; content_type: string; cid: string | null; bytes: Buffer }

/** Hashed where the mail is parsed: a large file in a thread of its own. */
export type ReceivedFile = MailFile & { sha256: string }

/**
 * What the headers of a mail say of its writer. `reply`: a machine answers (RFC 3834), or a person is away. `generated`:
 * a machine wrote or passed it on. `bulk`: it went to many, perhaps by a list of which we are a member. Only `reply` is
 * certain: mail/writers.ts judges the others by what else is known.
 */
export type Automatic = 'reply' | 'generated' | 'bulk'

/** The content of a delivery report (RFC 3464), or the same facts found in a mail in another format. */
export type Report = {
  /** In the standard format. In another one, it may as well be a person who writes about a delivery. */
  isStandard: boolean
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

/** The results of RFC 8601. */
export const RESULTS = ['none', 'pass', 'fail', 'softfail', 'neutral', 'policy', 'temperror', 'permerror'] as const
export type Result = (typeof RESULTS)[number]

/** How a server judged the sender of a mail; null for a method that it did not report. */
export type Authentication = { spf: Result | null; dkim: Result | null; dmarc: Result | null }

/**
 * A field that a server on the way of a mail put on top of it: that it received the mail, or how it judged the sender.
 * Hosts are in lower case; null if the field does not name one.
 */
export type TraceField =
  | {
      kind: 'received'
      from: string | null
      by: string | null
      isLocal: boolean
      /** Whoever handed it in had logged in (RFC 3848). */
      isLoggedIn?: boolean
    }
  | {
      kind: 'results'
      host: string | null
      results: Authentication
      /** The domains that SPF or DKIM found to be true; they need not be that of the sender. */
      domains?: string[]
    }

/** The order of the versions of an event (RFC 5546): by SEQUENCE, then by DTSTAMP in milliseconds. */
export type Version = { sequence: number; stamp: number }

/** What a calendar in a mail states about one event (RFC 6047). */
export type Invitation = {
  /** PUBLISH also stands for a calendar without a method: both name people, but state nothing about what they should do. */
  method: 'REQUEST' | 'CANCEL' | 'REPLY' | 'PUBLISH'
  uid: string
  /** Keys of the emails that speak for the organizer. */
  organizers: string[]
  /** What somebody wrote to their answer; null if nothing. */
  comment: string | null
  /** By Outlook or Exchange, whose answers have no text but what the person wrote. */
  isByOutlook: boolean
  isByDealbox: boolean
  /** The version of the event itself; null if the calendar contains only some of its occurrences. */
  main: Version | null
  /** Whether it recurs. Its occurrences have uids of their own. */
  isSeries: boolean
  /** Milliseconds: a series was expanded up to here. */
  until: number
  /** Some occurrences were left out: those that are missing may still take place. */
  isCut: boolean
  occurrences: {
    appointment: Appointment
    isCanceled: boolean
    /** The version of an occurrence that was changed by itself; null if it is as in its series. */
    own: Version | null
    /** How the mail names a single occurrence, if it does not contain its series; `local` is ISO 8601. */
    named: { local: string; isDay: boolean; isFloating: boolean } | null
    /** The change also applies to all later occurrences. */
    isOnward: boolean
  }[]
}

/** A mail inside of a mail that forwards it. */
export type Forwarded = {
  /** Null if the text was quoted and not attached. */
  messageId: string | null
  from: Address
  subject: string | null
  /** Milliseconds. */
  date: number | null
  text: string
  /** What the one who forwards it wrote above it. */
  remark: string
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
  files: ReceivedFile[]
  automatic: Automatic | null
  /** The hosts and addresses of the lists that it came by, in lower case. */
  lists: string[]
  /** A rule of a mailbox passed it on, which says nothing of who wrote it. */
  isPassedOn: boolean
  report: Report | null
  /** Whether the envelope had no sender, as that of a report has none; null if no server noted it. */
  hasNoSender: boolean | null
  /** The mail that somebody passes on in this one, as far as it can be read. */
  forwarded: Forwarded | null
  /** Whether it is from a mail server: by its address or name, or since it has no envelope sender. */
  isFromServer: boolean
  invitations: Invitation[]
  /** The topmost first. */
  trace: TraceField[]
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
  cc: Address[]
  /** In the envelope only, and in no header. */
  bcc: Address[]
  subject: string
  inReplyTo: string | null
  references: string[]
  text: string
  html: string | null
  files: MailFile[]
  /** Further headers, such as List-Unsubscribe. */
  headers: Record<string, string>
}
