import type { Mailbox, Side, State } from './mailbox.ts'

// Connections without encryption. Whether a server offers STARTTLS is known once somebody has connected to it.

type Known = Pick<State, 'smtp_offers_tls' | 'imap_offers_tls'>

/** A warning about a connection that could be encrypted and is not, as one sentence; undefined if there is none. */
export function plainWarning(mailbox: Mailbox, side: Side, state: Known): string | undefined {
  const endpoint = mailbox[side]
  if (endpoint?.tls !== 'none' || state[`${side}_offers_tls`] === 0) return undefined
  return `The mailbox "${mailbox.key}" talks to its ${side.toUpperCase()} server ${endpoint.host}:${endpoint.port} in plain text although the server offers STARTTLS; set "tls" to "starttls".`
}

/** The same for whoever writes settings, who also has to know about passwords in plain text that nobody can judge yet. */
export function settingsWarning(mailbox: Mailbox, side: Side, state: Known): string | undefined {
  const known = plainWarning(mailbox, side, state)
  const endpoint = mailbox[side]
  if (known || !endpoint || endpoint.tls !== 'none' || endpoint.user === null || isLoopback(endpoint.host)) return known
  return `The mailbox "${mailbox.key}" sends its password to ${endpoint.host}:${endpoint.port} (${side.toUpperCase()}) in plain text; "dealbox mailbox test ${mailbox.key}" finds out whether the server offers STARTTLS.`
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
