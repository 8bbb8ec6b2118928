import { catalogue } from '../../lib/texts/texts.ts'
import { en } from './en.ts'

/** They come with the list of the bell, not with the first page. */
export const texts = catalogue({ en, de: () => import('./de.ts').then(({ de }) => de) })
