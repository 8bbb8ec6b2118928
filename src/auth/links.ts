import { DAY_MS, rfc3339 } from '../lib/time.ts'
import type { Store } from '../store/open.ts'
import { isOpen, notStaged } from '../store/orgs/org-states.ts'
import type { Role } from './roles.ts'
import { hashOf, isSecretForm, newSecret } from './secrets.ts'

// Links that sign somebody in once. Only hashes of their secrets are stored.

export const SIGN_IN_MS = DAY_MS
export const INVITE_MS = 7 * DAY_MS
const SETUP_MS = DAY_MS

/** The page of each kind; the secret follows as the fragment, which browsers send to no server. */
const PAGES = { setup: '/setup', invite: '/join', sign_in: '/sign-in' } as const

export type LinkKind = keyof typeof PAGES

/** `address` is where the screens are, with the base path. */
export const linkUrl = (address: string, kind: LinkKind, secret: string): string => `${address}${PAGES[kind]}#${secret}`

/** A link as stored. An invitation has a role; a link that signs in has a member. */
export type Link = {
  org: number
  id: string
  kind: 'invite' | 'sign_in'
  member_id: string | null
  email: string | null
  role: Role | null
  invited_by: string | null
  created_at: number
  expires_at: number
  used_at: number | null
}

export type InviteInfo = {
  id: string
  email: string | null
  role: Role
  invited_by: string | null
  created_at: string
  expires_at: string
}

export type Links = ReturnType<typeof linkStore>

/** The functions that write must be called in a transaction. */
export function linkStore({ db, clock }: Pick<Store, 'db' | 'clock'>) {
  const insert = db.prepare(
    `INSERT INTO sign_in_links (org_id, id, hash, kind, member_id, email, role, invited_by, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const byHash = db.prepare(
    `SELECT org_id AS org, id, kind, member_id, email, role, invited_by, created_at, expires_at, used_at
     FROM sign_in_links WHERE hash = ? AND ${notStaged('sign_in_links.org_id')}`,
  )
  const use = db.prepare('UPDATE sign_in_links SET used_at = ?, member_id = ? WHERE org_id = ? AND id = ?')
  const remove = db.prepare(
    "DELETE FROM sign_in_links WHERE org_id = ? AND id = ? AND kind = 'invite' AND used_at IS NULL",
  )
  const removeOf = db.prepare(
    "DELETE FROM sign_in_links WHERE org_id = ? AND member_id = ? AND kind = 'sign_in' AND used_at IS NULL",
  )
  const columns = 'id, email, role, invited_by, created_at, expires_at'
  const open = "kind = 'invite' AND used_at IS NULL AND expires_at > ?"
  const invites = db.prepare(`SELECT ${columns} FROM sign_in_links WHERE org_id = ? AND ${open} ORDER BY id DESC`)
  const invite = db.prepare(`SELECT ${columns} FROM sign_in_links WHERE org_id = ? AND id = ? AND ${open}`)

  /** Makes an invitation; an unused one to the same email ends. */
  function makeInvite(org: number, given: { email: string | null; role: Role; invited_by: string | null }) {
    for (const each of all(org)) if (given.email !== null && each.email === given.email) remove.run(org, each.id)
    const { secret, hash } = newSecret()
    const id = clock.id()
    const now = clock.now()
    const expires = now + INVITE_MS
    insert.run(org, id, hash, 'invite', null, given.email, given.role, given.invited_by, now, expires)
    return { id, secret, expires_at: rfc3339(expires) }
  }

  /** Makes a link that signs a member in; earlier ones end. Returns its secret. */
  function makeSignIn(org: number, member: string): string {
    removeOf.run(org, member)
    const { secret, hash } = newSecret()
    const now = clock.now()
    insert.run(org, clock.id(), hash, 'sign_in', member, null, null, null, now, now + SIGN_IN_MS)
    return secret
  }

  const all = (org: number): InviteInfo[] => (invites.all(org, clock.now()) as Times[]).map(shown)

  return {
    makeInvite,
    makeSignIn,
    invites: all,
    getInvite: (org: number, id: string): InviteInfo | undefined => {
      const row = invite.get(org, id, clock.now()) as Times | undefined
      return row && shown(row)
    },
    /** The link of a secret, even one that was used or has expired. */
    find: (secret: string): Link | undefined =>
      isSecretForm(secret) ? (byHash.get(hashOf(secret)) as Link | undefined) : undefined,
    markUsed: ({ org, id }: Link, member: string): void => void use.run(clock.now(), member, org, id),
    revokeInvite: (org: number, id: string): void => void remove.run(org, id),
    /** Ends the links that sign a member in; those that were used still say so. */
    revokeSignIn: (org: number, member: string): void => void removeOf.run(org, member),
  }
}

type Times = Omit<InviteInfo, 'created_at' | 'expires_at'> & { created_at: number; expires_at: number }
const shown = (row: Times): InviteInfo => ({
  ...row,
  created_at: rfc3339(row.created_at),
  expires_at: rfc3339(row.expires_at),
})

/** The link that makes the first organisation of a data folder. There is one at a time. */
export function setupLink({ db, clock }: Pick<Store, 'db' | 'clock'>) {
  const replace = db.prepare(
    'INSERT OR REPLACE INTO setup_link (singleton, hash, created_at, expires_at) VALUES (1, ?, ?, ?)',
  )
  const byHash = db.prepare('SELECT expires_at FROM setup_link WHERE hash = ?').pluck()
  const clear = db.prepare('DELETE FROM setup_link')

  return {
    /** Makes the link; an earlier one ends. Returns its secret. */
    make: (): string => {
      const { secret, hash } = newSecret()
      const now = clock.now()
      replace.run(hash, now, now + SETUP_MS)
      return secret
    },
    /** When the link of a secret expires; undefined if this is not the one. */
    expiryOf: (secret: string): number | undefined =>
      isSecretForm(secret) ? (byHash.get(hashOf(secret)) as number | undefined) : undefined,
    clear: (): void => void clear.run(),
  }
}

/**
 * After the clock was set back, links that were made while it was ahead have their time from now on: otherwise they would
 * work until the end of what never was. In a transaction.
 */
export function linksAfterJump({ db, clock }: Pick<Store, 'db' | 'clock'>): void {
  const now = clock.now()
  db.prepare(
    `UPDATE sign_in_links SET created_at = @now, expires_at = @now + expires_at - created_at
     WHERE created_at > @now AND ${isOpen('sign_in_links.org_id')}`,
  ).run({ now })
}

/** Requests wait for at most one batch. */
const BATCH_SIZE = 1000

/** Deletes a batch of links a month after they have expired: until then they say so. Returns 'more' if it was full. */
export function purgeLinks({ db, clock }: Pick<Store, 'db' | 'clock'>): 'more' | undefined {
  const { changes } = db
    .prepare(
      `DELETE FROM sign_in_links WHERE (org_id, id) IN
         (SELECT org_id, id FROM sign_in_links
          WHERE expires_at <= ? AND ${notStaged('sign_in_links.org_id')} LIMIT ?)`,
    )
    .run(clock.now() - 30 * DAY_MS, BATCH_SIZE)
  return changes === BATCH_SIZE ? 'more' : undefined
}
