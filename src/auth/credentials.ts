import { randomBytes } from 'node:crypto'
import { emailKey } from '../lib/email.ts'
import type { Store } from '../store/open.ts'
import { recoveryPurpose, signatures } from './former-keys.ts'
import { matchTotp } from './totp.ts'

/** How a member signs in. */
export type Credentials = {
  org: number
  member: string
  /** As stored; null for a member who signs in by a link only. */
  password: string | null
  /** The encrypted secret of the second factor, which counts once it is confirmed. */
  totp: string | null
  totp_confirmed_at: number | null
  /** JSON array of the time steps of its last accepted codes, the newest use last. */
  totp_used: string
  recovery_codes: string
  failures: number
  failed_at: number | null
}

/** Those of an email, in one of the organisations that have a member with it. */
export type Found = Credentials & { is_moved: 0 | 1 }

export type CredentialStore = ReturnType<typeof credentialStore>

const RECOVERY_CODES = 10

/** A code is good for a minute and a half: more uses than these only matter if the clock goes back beyond all of them. */
const KEPT_USES = 50

const COLUMNS = 'password, totp, totp_confirmed_at, totp_used, recovery_codes, failures, failed_at'

/** The functions that write must be called in a transaction. */
export function credentialStore({ db, clock, vault }: Pick<Store, 'db' | 'clock' | 'vault'>) {
  const byEmail = db.prepare(
    `SELECT members.org_id AS org, members.id AS member, ${COLUMNS}, orgs.state = 'moved' AS is_moved
     FROM orgs CROSS JOIN members ON members.org_id = orgs.id AND members.email = ?
       JOIN credentials ON credentials.org_id = members.org_id AND credentials.member_id = members.id
     WHERE members.status = 'active' AND password IS NOT NULL AND orgs.state <> 'staged'
     ORDER BY is_moved, orgs.id`,
  )
  const one = db.prepare(
    `SELECT org_id AS org, member_id AS member, ${COLUMNS} FROM credentials WHERE org_id = ? AND member_id = ?`,
  )
  const make = db.prepare('INSERT INTO credentials (org_id, member_id) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const password = db.prepare(
    'UPDATE credentials SET password = ?, password_set_at = ? WHERE org_id = ? AND member_id = ?',
  )
  const totp = db.prepare(
    `UPDATE credentials SET totp = ?, totp_confirmed_at = NULL, totp_used = '[]', recovery_codes = '[]'
     WHERE org_id = ? AND member_id = ?`,
  )
  const confirm = db.prepare(
    `UPDATE credentials SET totp_confirmed_at = ?, totp_used = ?, recovery_codes = ?
     WHERE org_id = ? AND member_id = ?`,
  )
  const uses = db.prepare('UPDATE credentials SET totp_used = ? WHERE org_id = ? AND member_id = ?')
  const codes = db.prepare('UPDATE credentials SET recovery_codes = ? WHERE org_id = ? AND member_id = ?')
  const failures = db.prepare('UPDATE credentials SET failures = ?, failed_at = ? WHERE org_id = ? AND member_id = ?')

  const signed = signatures({ db, vault })

  const get = (org: number, member: string): Credentials | undefined => one.get(org, member) as Credentials | undefined

  function setPassword(org: number, member: string, stored: string): void {
    make.run(org, member)
    password.run(stored, clock.now(), org, member)
    failures.run(0, null, org, member)
  }

  /** Stores a secret for the second factor, which is not asked for until it is confirmed. */
  function proposeTotp(org: number, member: string, secret: string): void {
    make.run(org, member)
    totp.run(vault.seal(purposeOf(member), secret), org, member)
  }

  /** Turns the second factor on if the code is right. Returns the recovery codes, of which only hashes are stored. */
  function confirmTotp({ org, member, totp }: Credentials, code: string): string[] | undefined {
    const now = clock.now()
    const matched = totp === null ? undefined : matchTotp(vault.open(purposeOf(member), totp), code, now, [])
    if (matched === undefined) return undefined
    const made = Array.from({ length: RECOVERY_CODES }, recoveryCode)
    confirm.run(
      now,
      JSON.stringify([matched]),
      JSON.stringify(made.map((each) => recoveryHash(member, each))),
      org,
      member,
    )
    return made
  }

  /** Accepts a code of the app or a recovery code, each once. Returns whether it was right. */
  function useCode({ org, member, totp, totp_used, recovery_codes }: Credentials, code: string): boolean {
    const digits = code.replace(/\s/g, '')
    if (/^\d{6}$/.test(digits)) {
      const secret = vault.open(purposeOf(member), totp as string)
      const used = JSON.parse(totp_used) as number[]
      const matched = matchTotp(secret, digits, clock.now(), used)
      if (matched !== undefined) uses.run(JSON.stringify([...used, matched].slice(-KEPT_USES)), org, member)
      return matched !== undefined
    }
    const left = JSON.parse(recovery_codes) as string[]
    const given = signed(org, recoveryPurpose(member), plainCode(code))
    const used = left.findIndex((each) => given.includes(each))
    if (used >= 0) codes.run(JSON.stringify(left.toSpliced(used, 1)), org, member)
    return used >= 0
  }

  /** By a key beside the database: from the database alone, fifty bits could be found by trying. */
  const recoveryHash = (member: string, code: string): string => vault.sign(recoveryPurpose(member), plainCode(code))

  return {
    /** The members with this email who have a password: one in each organisation at most. */
    withEmail: (email: string): Found[] => byEmail.all(emailKey(email)) as Found[],
    get,
    setPassword,
    proposeTotp,
    confirmTotp,
    useCode,
    removeTotp: (org: number, member: string): void => void totp.run(null, org, member),
    setFailures: ({ org, member }: Credentials, count: number, at: number | null): void =>
      void failures.run(count, at, org, member),
    /** Removes the password: the member needs a link to sign in again, and the second factor stays. */
    removePassword: (org: number, member: string): void => {
      password.run(null, null, org, member)
      failures.run(0, null, org, member)
    },
  }
}

const plainCode = (code: string): string => code.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Fifty bits in two groups of five: too many to guess at the pace of signing in, and short enough to write down. */
function recoveryCode(): string {
  const letters = [...randomBytes(10)].map((byte) => LETTERS[byte % LETTERS.length])
  return `${letters.slice(0, 5).join('')}-${letters.slice(5).join('')}`
}

/** 32 letters and digits, without those that are taken for another: i, l, o and 0. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz123456789'

const purposeOf = (member: string): string => `second factor ${member}`
