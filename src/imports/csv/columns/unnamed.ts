import { usage } from '../../../lib/problem.ts'
import { fold } from '../../../lib/pure/fold.ts'
import type { ImportObject } from '../../writable.ts'
import { isBlank, unguarded } from '../cells/values.ts'
import type { Row } from '../file/source.ts'
import type { Mapping } from './mapping.ts'

// A file of people of whom no column was recognised as the name would become contacts that are called after their email.

/** Words for a name, or for whose name it is, at the beginning of a word of the header; those without spaces anywhere. */
const WORDS =
  /(?:^|[^\p{L}])(?:name|nom|nombre|nome|nume|naam|namn|navn|nimi|prenom|vorname|nachname|surname|apellido|cognome|sobrenome|voornaam|achternaam|imie|nazwisko|fornavn|efternavn|etternavn|fornamn|efternamn|etunimi|sukunimi|isim|soyad|jmeno|prijmeni|имя|фамилия|фио|ονομα|person|kontakt|contact|kunde|kundin|client|cliente|customer|klient)|姓|名|이름|성명|성함|ชื่อ|שם|اسم/u

type Found = { column: string; texts: number; names: number; different: Set<string> }

const NAMED = new Set(['name', 'first_name', 'last_name'])
const MOST_KEPT = 1000

/** Watches the columns that no field gets. `check` throws a usage Problem if one of them may have the names. */
export function nameSearch(object: ImportObject, mapping: Mapping) {
  const isNamed = object !== 'contact' || mapping.some(({ field }) => field !== null && NAMED.has(field))
  const open = mapping.filter(({ field, isChosen }) => field === null && !isChosen)
  const columns = (isNamed ? [] : open).map(
    ({ column }): Found => ({ column, texts: 0, names: 0, different: new Set() }),
  )

  function addRow({ cells }: Row): void {
    for (const each of columns) {
      const text = unguarded(String(cells[each.column] ?? ''))
      if (isBlank(text)) continue
      each.texts++
      if (isWords(text)) each.names++
      if (each.different.size < MOST_KEPT) each.different.add(fold(text))
    }
  }

  function check(): void {
    const possible = columns.filter(mayBeNames).map(({ column }) => column)
    const [first] = possible
    if (first === undefined) return
    const all = possible.map((column) => `"${column}"`).join(', ')
    throw usage(
      `No column was recognised as the name of a contact, and ${all} may be it. Say so with --map "${first}=name", or leave it out with --map "${first}=-".`,
    )
  }

  return { addRow, check }
}

/** Words of letters, as a name has. */
const isWords = (text: string): boolean =>
  text.length <= 80 && /^[\p{L}\p{M}.,'’()\- ]*\p{L}[\p{L}\p{M}.,'’()\- ]*$/u.test(text)

function mayBeNames({ column, texts, names, different }: Found): boolean {
  if (texts === 0 || names * 2 < texts) return false
  if (WORDS.test(fold(column))) return true
  const severalWords = [...different].filter((text) => text.includes(' ')).length
  return different.size * 10 > Math.min(texts, MOST_KEPT) * 7 && severalWords * 2 > different.size && texts > 2
}
