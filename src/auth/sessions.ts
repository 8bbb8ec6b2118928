import { DAY_MS, HOUR_MS, MINUTE_MS, rfc3339 } from '../lib/time.ts'
import type { Store } from '../store/open.ts'
import { notStaged } from '../store/orgs/org-states.ts'
import type { Role } from './roles.ts'
import { hashOf, isSecretForm, newSecret } from './secrets.ts'

// Members who are signed in to the browser app. Nothing is cached: each request looks its session up, so one that was
// ended, in this process or by a command, is refused from the next request on.

/**
 * A session ends when it was not used for so long, and at the latest at the end of its lifetime. One whose last use is so
 * far ahead was used while the clock was, and would otherwise stay open until then.
 */
const IDLE_MS = 12 * HOUR_MS
const LIFETIME_MS = 30 * DAY_MS
/** Signing in on one more device ends another session, see `makeRoom`. */
const MAX_PER_MEMBER = 25
const SEEN_EVERY_MS = MINUTE_MS
const MAX_USER_AGENT = 400

/** An open session, its member, and whether its last use has to be written again. */
export type OpenSession = {
  org: number
  id: string
  member: string
  role: Role
  expiresAt: number
  isSeenLate: boolean
}

/** Where somebody signs in. */
export type Device = { userAgent?: string | undefined; address?: string | undefined }

export type SessionInfo = {
  id: string
  member_id: string
  created_at: string
  seen_at: string
  user_agent: string | null
  address: string | null
}

type Row = { org: number; id: string; member: string; role: Role; seen_at: number; expires_at: number }
type Lasting = { id: string; created_at: number; seen_at: number; is_open: number }
type Listed = Omit<SessionInfo, 'created_at' | 'seen_at'> & { created_at: number; seen_at: number }

export type Sessions = ReturnType<typeof sessionStore>

/** When sessions were used last, by id: of each database, the newest. */
const usesOf = new WeakMap<Store['db'], Map<string, number>>()
const MAX_USES = 10_000

/** The functions that write must be called in a transaction. */
export function sessionStore({ db, clock }: Pick<Store, 'db' | 'clock'>) {
  const uses = usesOf.get(db) ?? new Map<string, number>()
  usesOf.set(db, uses)
  const byHash = db.prepare(
    `SELECT sessions.org_id AS org, sessions.id, members.id AS member, members.role, sessions.seen_at, sessions.expires_at
     FROM sessions JOIN members ON members.org_id = sessions.org_id AND members.id = sessions.member_id
     WHERE sessions.hash = ? AND members.status = 'active' AND ${notStaged('sessions.org_id')}`,
  )
  const insert = db.prepare(
    `INSERT INTO sessions (org_id, id, hash, member_id, user_agent, address, created_at, seen_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const seen = db.prepare('UPDATE sessions SET seen_at = ? WHERE org_id = ? AND id = ?')
  const remove = db.prepare('DELETE FROM sessions WHERE org_id = ? AND id = ?')
  const removeOthers = db.prepare('DELETE FROM sessions WHERE org_id = ? AND member_id = ? AND id <> ?')
  const columns = 'id, member_id, created_at, seen_at, user_agent, address'
  const open = 'seen_at > ? AND seen_at < ? AND expires_at > ?'
  const everyOf = db.prepare(
    `SELECT id, created_at, seen_at, ${open} AS is_open FROM sessions WHERE org_id = ? AND member_id = ?`,
  )
  const ofMember = db.prepare(
    `SELECT ${columns} FROM sessions WHERE org_id = ? AND member_id = ? AND ${open} ORDER BY seen_at DESC, id DESC`,
  )
  const ofOrg = db.prepare(
    `SELECT ${columns} FROM sessions WHERE org_id = ? AND ${open} ORDER BY seen_at DESC, id DESC`,
  )
  const one = db.prepare(`SELECT ${columns} FROM sessions WHERE org_id = ? AND id = ? AND ${open}`)
  const roles = db
    .prepare(
      `SELECT sessions.id, members.role
       FROM sessions JOIN members ON members.org_id = sessions.org_id AND members.id = sessions.member_id
       WHERE sessions.org_id = ? AND members.status = 'active' AND ${open}
         AND (SELECT moved_to FROM orgs WHERE orgs.id = sessions.org_id) IS NULL`,
    )
    .raw()

  /** The session of a cookie; undefined if there is none, it has expired, or its member is deactivated. */
  function find(secret: string): OpenSession | undefined {
    if (!isSecretForm(secret)) return undefined
    const row = byHash.get(hashOf(secret)) as Row | undefined
    const now = clock.now()
    if (!row || row.expires_at <= now || Math.abs(now - row.seen_at) >= IDLE_MS) return undefined
    const { org, id, member, role, expires_at, seen_at } = row
    return { org, id, member, role, expiresAt: expires_at, isSeenLate: Math.abs(now - seen_at) >= SEEN_EVERY_MS }
  }

  /** Notes the use of a session in memory: the database has it once a minute. */
  function use(id: string): void {
    uses.delete(id)
    uses.set(id, clock.now())
    const [oldest] = uses.size > MAX_USES ? uses.keys() : []
    if (oldest !== undefined) uses.delete(oldest)
  }

  /**
   * Ends sessions of a member who has too many, so that one more can start: never one of `inUse`, those that pages are open
   * in. The first to go are those that have ended anyway, then those that were not used after signing in, as by a program
   * that signs in each time; and of each, those that were unused for longest.
   */
  function makeRoom(org: number, member: string, inUse: ReadonlySet<string>): void {
    const all = everyOf.all(...since(), org, member) as Lasting[]
    const ranked = all.map(({ id, created_at, seen_at, is_open }) => {
      const usedAt = Math.max(seen_at, uses.get(id) ?? 0)
      return { id, rank: [is_open, Number(seen_at > created_at || uses.has(id)), usedAt] as const }
    })
    ranked.sort((one, other) => compare(one.rank, other.rank) || (one.id < other.id ? -1 : 1))
    const surplus = Math.max(0, all.length - MAX_PER_MEMBER + 1)
    for (const { id } of ranked.filter((each) => !inUse.has(each.id)).slice(0, surplus)) remove.run(org, id)
  }

  /** Starts a session. Its secret is for the cookie, and is not stored. */
  function start(
    org: number,
    member: string,
    { userAgent, address }: Device,
    inUse: ReadonlySet<string> = new Set(),
  ): { id: string; secret: string } {
    makeRoom(org, member, inUse)
    const { secret, hash } = newSecret()
    const id = clock.id()
    const now = clock.now()
    insert.run(
      ...[org, id, hash, member, userAgent?.slice(0, MAX_USER_AGENT) ?? null, address ?? null],
      ...[now, now, now + LIFETIME_MS],
    )
    return { id, secret }
  }

  /** The values of `open`. */
  function since(): [number, number, number] {
    const now = clock.now()
    return [now - IDLE_MS, now + IDLE_MS, now]
  }
  const shown = (row: Listed): SessionInfo => ({
    ...row,
    created_at: rfc3339(row.created_at),
    seen_at: rfc3339(row.seen_at),
  })

  return {
    find,
    start,
    use,
    /** Notes that the session is used now. */
    see: (org: number, id: string): void => void seen.run(clock.now(), org, id),
    end: (org: number, id: string): void => void remove.run(org, id),
    /** Ends all sessions of a member, except one. Returns their number. */
    endAll: (org: number, member: string, except = ''): number => removeOthers.run(org, member, except).changes,
    list: (org: number, member: string): SessionInfo[] =>
      (ofMember.all(org, member, ...since()) as Listed[]).map(shown),
    listAll: (org: number): SessionInfo[] => (ofOrg.all(org, ...since()) as Listed[]).map(shown),
    /** The role of each open session of an organisation, by its id. */
    openRoles: (org: number): Map<string, Role> => new Map(roles.all(org, ...since()) as [string, Role][]),
    get: (org: number, id: string): SessionInfo | undefined => {
      const row = one.get(org, id, ...since()) as Listed | undefined
      return row && shown(row)
    },
  }
}

const compare = (one: readonly number[], other: readonly number[]): number => {
  const at = one.findIndex((value, index) => value !== other[index])
  return at < 0 ? 0 : (one[at] as number) - (other[at] as number)
}

/** Requests wait for at most one batch. */
const BATCH_SIZE = 1000

/** Deletes a batch of expired sessions. Returns 'more' if it was full. */
export function purgeSessions({ db, clock }: Pick<Store, 'db' | 'clock'>): 'more' | undefined {
  const now = clock.now()
  const { changes } = db
    .prepare(
      `DELETE FROM sessions WHERE (org_id, id) IN
         (SELECT org_id, id FROM sessions
          WHERE (seen_at <= ? OR seen_at >= ? OR expires_at <= ?) AND ${notStaged('sessions.org_id')} LIMIT ?)`,
    )
    .run(now - IDLE_MS, now + IDLE_MS, now, BATCH_SIZE)
  return changes === BATCH_SIZE ? 'more' : undefined
}
