import { type Deps, once } from '../../deps.ts'
import { emailKey } from '../../lib/email.ts'
import { domainOf, isPublicProvider, isSameOrganisation } from '../../lib/mail/hosts.ts'
import { mailboxStore } from './mailboxes.ts'
import { replyTags } from './reply-tags.ts'

/**
 * Whose an address is: of one of our mailboxes, as its address, as an alias (also with something behind a "+"), or as what
 * identifies a conversation (`tag`); of a member; of nobody we know at our own domain, such as a colleague without an account, or
 * a group; or of somebody outside.
 */
export type Whose = 'mailbox' | 'alias' | 'tag' | 'member' | 'domain' | 'outside'

/** What is ours at a moment: for one mail, or one answer. */
export type Ours = {
  whose: (email: string) => Whose
  /** A mailbox of ours has it: nobody is written to there but ourselves. */
  isMailbox: (email: string) => boolean
  /** It is not of somebody outside. */
  isAmongUs: (email: string) => boolean
  /** Whether a host belongs to the domain of one of our addresses, unless that is a provider of addresses for everybody. */
  isOurHost: (host: string) => boolean
}

type Colleague = { id: string; name: string }

/** The one place that says which addresses are ours. */
export const whoseAddresses = once((deps: Deps) => {
  const { db } = deps
  const { mainAddresses, addresses } = mailboxStore(deps)
  const tags = replyTags(deps)
  const withEmail = db.prepare("SELECT id, name FROM members WHERE org_id = ? AND email = ? AND status = 'active'")
  const withMailbox = db.prepare(
    `SELECT members.id, members.name FROM mailboxes
       JOIN members ON members.org_id = mailboxes.org_id AND members.id = mailboxes.member_id
     WHERE mailboxes.org_id = ? AND email_key(mailboxes.address) = ?`,
  )

  function oursOf(org: number): Ours {
    const main = mainAddresses(org)
    const own = addresses(org)
    const domains = [...new Set([...own].map(domainOf))].filter((domain) => !isPublicProvider(domain))

    function whose(email: string): Whose {
      const key = emailKey(email)
      if (main.has(key)) return 'mailbox'
      if (own.has(key)) return 'alias'
      if (tags.numberIn(org, key) !== undefined) return 'tag'
      if (plainForms(key).some((each) => own.has(each))) return 'alias'
      if (withEmail.get(org, key) !== undefined) return 'member'
      return isOurHost(domainOf(key)) ? 'domain' : 'outside'
    }

    const isOurHost = (host: string): boolean => domains.some((domain) => isSameOrganisation(host, domain))

    return {
      whose,
      isMailbox: (email) => OF_MAILBOXES.includes(whose(email)),
      isAmongUs: (email) => whose(email) !== 'outside',
      isOurHost,
    }
  }

  /** The active member with an email, or with a mailbox of that address. */
  const colleagueOf = (org: number, email: string): Colleague | undefined =>
    (withEmail.get(org, emailKey(email)) ?? withMailbox.get(org, emailKey(email))) as Colleague | undefined

  return { oursOf, colleagueOf }
})

const OF_MAILBOXES: readonly Whose[] = ['mailbox', 'alias', 'tag']

/** An address without what stands behind one of its "+": servers bring "support+shop@" to "support@". */
function plainForms(email: string): string[] {
  const at = email.lastIndexOf('@')
  const [first = '', ...tags] = email.slice(0, at).split('+')
  return tags.map((_, count) => [first, ...tags.slice(0, count)].join('+') + email.slice(at))
}
