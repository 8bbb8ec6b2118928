import { catalogue } from '../texts.ts'
import { en } from './en.ts'

/** Words for what members have: for handing it over, and for the notice and the step of that. */
export const texts = catalogue({ en, de: () => import('./de.ts').then(({ de }) => de) })
