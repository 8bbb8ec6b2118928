import { catalogue } from '../../../lib/texts/texts.ts'
import { en } from './opened-en.ts'

export const openedTexts = catalogue({ en, de: () => import('./opened-de.ts').then(({ de }) => de) })
