import { en as deals } from '../../screens/deals/texts/en.ts'
import { en as signIn } from '../../screens/sign-in/en.ts'
import { en as commands } from '../../shell/commands/en.ts'
import { en as shell } from '../../shell/en.ts'
import { en as t } from './en.ts'

/** The texts of the first page in one file, of which the browser loads that of its language. */
export const first = { t, shell, commands, deals, signIn }
