export const TLS_MODES = ['none', 'starttls', 'tls'] as const

/** The address of a mail server, and the login. */
export type MailServer = {
  host: string
  port: number
  tls: (typeof TLS_MODES)[number]
  user: string | null
  password: string | null
  /** Sent instead of a password. */
  accessToken?: AccessToken
  /** Called for each connection in plain text, with whether the server offers to encrypt it. */
  onPlain?: (offersTls: boolean) => void
}

/** An access token of OAuth 2.0. */
export type AccessToken = {
  text: string
  /** When there will be a newer one, in milliseconds: a connection that lasts longer logs in again. */
  renewAt: number
  /** Called if the server does not accept it. */
  onRejected: () => void
}

/** `folder` is the folder to listen to, such as "INBOX". */
export type ImapServer = MailServer & { folder: string }
