import { emailKey } from '../email.ts'
import { lowerCase } from '../pure/fold.ts'
import { phoneKeys } from './people/phone-countries.ts'

/**
 * What the texts of a field have in common that must be unique: all spellings of an address or a number are one. A number
 * without the code of a country is one of the organisation's, at the time when it is stored.
 */
export function uniqueText(type: string, text: string, country: string | undefined): string {
  if (type === 'email') return emailKey(text)
  return type === 'phone' ? phoneKeys(text, country).toSorted().join(' ') : lowerCase(text)
}
