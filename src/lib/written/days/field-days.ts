import { foldWhole } from '../../pure/fold.ts'
import type { Context } from '../reading.ts'

// Where the days of a field lie, by what it is called: it decides which century a year of two digits is in.

const PAST =
  /\b(?:birth ?da(?:y|te)s?|date of birth|born|dob|geburt\p{L}*|geb|naissance|anniversaire|nacimiento|cumpleanos|nascimento|aniversario|nascita|compleanno|geboorte\p{L}*|verjaardag|urodz\p{L}*|fodelse\p{L}*|fodsel\p{L}*|syntyma\p{L}*|narozen\p{L}*|szulet\p{L}*|рожден\p{L}*|народж\p{L}*|dogum|since|seit|depuis|founded|gegrundet|hired|joined|created|erstellt|angelegt)\b|誕生|生日|生年|생일|생년/u
const AHEAD =
  /\b(?:close date|closing|expected|due|deadline|renewal|expir\p{L}*|faellig\p{L}*|fallig\p{L}*|abschluss\p{L}*|ablauf\p{L}*|kundigung\p{L}*|echeance|vencimiento|vencimento|scadenza|termin)\b/u

/** `names`: the key and the label of a field. */
export function liesOf(...names: readonly (string | undefined)[]): Context['lies'] {
  const text = foldWhole(names.join(' ').replace(/[_.]/g, ' '))
  return PAST.test(text) ? 'past' : AHEAD.test(text) ? 'ahead' : undefined
}
