import { catalogue } from '../../lib/texts/texts.ts'
import { en } from './en.ts'

export const texts = catalogue({ en, de: () => import('./de.ts').then(({ de }) => de) })
