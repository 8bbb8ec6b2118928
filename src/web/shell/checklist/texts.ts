import { catalogue } from '../../lib/texts/texts.ts'
import { en } from './en.ts'

/** They come with the first steps, which few see, and not with the first page. */
export const texts = catalogue({ en, de: () => import('./de.ts').then(({ de }) => de) })
