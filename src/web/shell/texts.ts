import { firstTexts } from '../texts/first.ts'
import { catalogue } from '../texts/texts.ts'

export const texts = catalogue(firstTexts('shell'))
