import { firstTexts } from '../../../lib/texts/first.ts'
import { catalogue } from '../../../lib/texts/texts.ts'

export const texts = catalogue(firstTexts('deals'))
