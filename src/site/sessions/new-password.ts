import { type About, passwordFault } from '../../auth/password-rules.ts'
import type { Passwords } from '../../auth/passwords.ts'
import { invalid } from '../../lib/problem.ts'

/** Checks a new password and hashes it. `pointer` is its place in the body. Throws Problem 422 and 503. */
export async function newPassword(passwords: Passwords, pointer: string, text: string, about: About): Promise<string> {
  const fault = passwordFault(pointer, text, about)
  if (fault) throw invalid(fault)
  return passwords.hash(text)
}
