import { firstTexts } from '../../../lib/texts/files.ts'
import { catalogue } from '../../../lib/texts/texts.ts'
import type { en } from './en.ts'

export const texts = catalogue(firstTexts<typeof en>('deals'))
