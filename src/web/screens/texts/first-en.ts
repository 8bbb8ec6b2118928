import { en as t } from '../../lib/texts/en.ts'
import { en as commands } from '../../shell/commands/en.ts'
import { en as shell } from '../../shell/en.ts'
import { en as deals } from '../../tables/deals/texts/en.ts'
import { en as signIn } from '../sign-in/en.ts'

/** The texts of the first page in one file, of which the browser loads that of its language. */
export const parts = { t, shell, commands, deals, signIn }
