import { de as deals } from '../../screens/deals/texts/de.ts'
import { de as signIn } from '../../screens/sign-in/de.ts'
import { de as commands } from '../../shell/commands/de.ts'
import { de as shell } from '../../shell/de.ts'
import { de as t } from './de.ts'

/** The same as first-en.ts. */
export const first = { t, shell, commands, deals, signIn }
