import { catalogue } from '../texts.ts'
import { en } from './en.ts'

export const words = catalogue({ en, de: () => import('./de.ts').then(({ de }) => de) })
