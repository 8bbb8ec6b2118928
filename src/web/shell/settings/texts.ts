import { catalogue } from '../../lib/texts/texts.ts'
import { en } from './en.ts'

/** The index of the settings: its groups, and the name of each section. */
export const texts = catalogue({ en, de: () => import('./de.ts').then(({ de }) => de) })
