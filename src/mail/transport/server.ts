export const TLS_MODES = ['none', 'starttls', 'tls'] as const

/** Where a server for mail is, and who calls. */
export type MailServer = {
  host: string
  port: number
  tls: (typeof TLS_MODES)[number]
  user: string | null
  password: string | null
}

/** `folder` is what is listened to, such as "INBOX". */
export type ImapServer = MailServer & { folder: string }

/** Certificates, in PEM, that are trusted beside the well-known ones. */
export type Trust = { ca?: string }
