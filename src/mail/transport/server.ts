export const TLS_MODES = ['none', 'starttls', 'tls'] as const

/** The address of a mail server, and the login. */
export type MailServer = {
  host: string
  port: number
  tls: (typeof TLS_MODES)[number]
  user: string | null
  password: string | null
}

/** `folder` is the folder to listen to, such as "INBOX". */
export type ImapServer = MailServer & { folder: string }

/** Additional trusted certificates, in PEM. */
export type Trust = { ca?: string }
