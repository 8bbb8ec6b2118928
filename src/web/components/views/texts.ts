import { catalogue } from '../../texts/texts.ts'
import { en } from './en.ts'

export const texts = catalogue({ en, de: () => import('../../texts/later-de.ts').then(({ later }) => later.views) })
