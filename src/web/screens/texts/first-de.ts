import { de as t } from '../../lib/texts/de.ts'
import type { Like } from '../../lib/texts/like.ts'
import { de as commands } from '../../shell/commands/de.ts'
import { de as shell } from '../../shell/de.ts'
import { de as deals } from '../../tables/deals/texts/de.ts'
import { de as signIn } from '../sign-in/de.ts'
import type { parts as english } from './first-en.ts'

/** The same as first-en.ts. */
export const parts: { [Part in keyof typeof english]: Like<(typeof english)[Part]> } = {
  t,
  shell,
  commands,
  deals,
  signIn,
}
