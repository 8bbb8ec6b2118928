import type { Credentials } from '../../auth/credentials.ts'
import { conflict, field, invalid } from '../../lib/problem.ts'
import type { SignInParts } from './parts.ts'

/**
 * Asks for the password before what outlives a session, or opens it to others: whoever uses a session that somebody left open
 * does not know it. Attempts count as those of signing in. The function throws Problem 422 and 429. A member without a
 * password, who came by a link, has none to confirm.
 */
export const passwordCheck =
  ({ passwords, counters }: Pick<SignInParts, 'passwords' | 'counters'>) =>
  async (before: Credentials | undefined, password: string | undefined, pointer: string): Promise<void> => {
    if (!before?.password) return
    if (password === undefined) throw invalid(field(pointer, 'required', 'is required'))
    const attempt = await counters.begin(counters.ofAccount(before))
    if (!(await passwords.verify(password, before.password)))
      throw invalid(field(pointer, 'wrong_password', 'is not your password'))
    await attempt.succeed()
  }

/** Somebody else may have changed or reset the password while it was checked. Throws Problem 409. */
export function checkUnchanged(before: Credentials | undefined, now: Credentials | undefined): void {
  if ((before?.password ?? null) === (now?.password ?? null)) return
  throw conflict('changed_since', 'The password was changed in the meantime. Sign in again.')
}
