import { catalogue } from '../../lib/texts/texts.ts'
import { en } from './en.ts'

/** The groups in the index of the settings. */
export const texts = catalogue({ en, de: () => import('./de.ts').then(({ de }) => de) })
