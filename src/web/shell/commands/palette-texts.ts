import { catalogue } from '../../lib/texts/texts.ts'
import { en } from './palette-en.ts'

export const paletteTexts = catalogue({ en, de: () => import('./palette-de.ts').then(({ de }) => de) })
