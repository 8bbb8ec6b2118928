import type { Store } from '../store/open.ts'

type Owner = { org: number; member: string }

const COLUMNS =
  'member_id, password, password_set_at, totp, totp_confirmed_at, totp_used, recovery_codes, failures, failed_at'

/** The passwords of members that are moved when an export replaces an organisation. */
export function credentialOwners({ db }: Pick<Store, 'db'>) {
  const one = db
    .prepare('SELECT 1 FROM credentials WHERE org_id = ? AND member_id = ? AND password IS NOT NULL')
    .pluck()
  const copy = db.prepare(
    `INSERT OR IGNORE INTO credentials (org_id, ${COLUMNS})
     SELECT ?, ${COLUMNS} FROM credentials WHERE org_id = ? AND member_id = ?`,
  )
  const copyPassword = db.prepare(
    `INSERT OR IGNORE INTO credentials (org_id, member_id, password, password_set_at, failures, failed_at)
     SELECT ?, ?, password, password_set_at, failures, failed_at FROM credentials WHERE org_id = ? AND member_id = ?`,
  )

  /**
   * Copies the password to the same member of another organisation, if there is one. The second factor is encrypted for
   * the id of its member, so it goes along only with the id.
   */
  function move(from: Owner, { org, member }: { org: number; member: string | undefined }): void {
    if (member === from.member) copy.run(org, from.org, from.member)
    else if (member !== undefined) copyPassword.run(org, member, from.org, from.member)
  }

  return { has: (org: number, member: string): boolean => one.get(org, member) !== undefined, move }
}
