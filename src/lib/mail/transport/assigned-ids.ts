import { aliasOf } from '../message-id.ts'

// Providers replace the Message-ID of what they send, and some say the new one in their reply to DATA. Answers then name that
// one, and many mail programs send no other header that leads back to the mail.

/** A Message-ID as a whole, as Exchange Online, Brevo, and Exchange (which repeats ours) have it. */
const WHOLE = /<([^<>\s@]+@[^<>\s@]+)>/g

/** The replies that have only the part before the @, and the domain that their server puts behind it. */
const PARTS: { provider: string; reply: RegExp; host?: RegExp; domain: string }[] = [
  // The region is not said, and each has a domain of its own: `aliasOf` lets any of them match.
  { provider: 'Amazon SES', reply: /^250 Ok ([0-9a-z]+(?:-[0-9a-z]+){2,})$/i, domain: 'amazonses.com' },
  {
    provider: 'Postmark',
    reply: /\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/i,
    host: /(?:^|\.)(?:postmarkapp\.com|mtasv\.net)$/i,
    domain: 'mtasv.net',
  },
]

/**
 * The Message-IDs that a server gave a mail, by its reply to the end of the mail. All other ids are those of its queue, such as
 * Postfix's "queued as 4F3A2C": no header ever has them. Servers may repeat addresses of the envelope.
 */
export function assignedIds(reply: string, host: string, envelope: readonly string[]): string[] {
  const text = reply.trim()
  if (!text.startsWith('250')) return []
  const addresses = new Set(envelope.map((address) => address.toLowerCase()))
  const whole = [...text.matchAll(WHOLE)].flatMap(([id, inside]) =>
    addresses.has((inside as string).toLowerCase()) ? [] : [id],
  )
  const parts = PARTS.flatMap(({ reply, host: only, domain }) => {
    const part = only && !only.test(host) ? undefined : reply.exec(text)?.[1]
    return part === undefined ? [] : [`<${part}@${domain}>`]
  })
  return [...new Set([...whole, ...parts].map(aliasOf))]
}
