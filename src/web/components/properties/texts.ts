import { laterGerman } from '../../lib/texts/files.ts'
import { catalogue } from '../../lib/texts/texts.ts'
import { en } from './en.ts'

export const texts = catalogue({ en, de: laterGerman('properties') })
