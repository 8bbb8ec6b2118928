import type { Field } from './field.ts'

// Columns of addresses. A file has several of a record: at home and at work, or numbered. Those of one form a group.

/** A part of an address, and of which one; the group is empty if the file names none. */
export type AddressColumn = { field: string; group: string }

export const ADDRESS_FIELDS: Readonly<Record<string, Field>> = {
  /** The whole of it in a cell. */
  address: { kind: 'address' },
  'address.line1': { kind: 'text' },
  'address.line2': { kind: 'text', many: true },
  'address.house_number': { kind: 'text' },
  'address.po_box': { kind: 'text' },
  'address.city': { kind: 'text' },
  'address.region': { kind: 'text' },
  'address.postal_code': { kind: 'text' },
  'address.country': { kind: 'country' },
}

/** The names of the parts, as `headerKey` returns them, without the words that say which address it is. */
const NAMES: Readonly<Record<string, string>> = {
  address:
    'address, addresses, full address, complete address, formatted, formatted address, address formatted, postal address, anschrift, adresse, adresse complete, direccion, direccion completa, indirizzo, endereco, adres, adress, domicilio, full combined address of address, адрес, 住所, 地址, 주소',
  'address.line1':
    'street, street name, street address, address line, strasse, strasse und hausnummer, strasse hausnummer, strasse nr, strassenname, rue, adresse ligne, calle, straat, ulica, gata, gatuadress, улица',
  'address.line2':
    'extended address, address extended address, apartment, adresszusatz, adresserganzung, zusatz, complement, complement d adresse, complemento, apartado linea',
  'address.house_number':
    'house number, house no, street number, hausnummer, hausnr, haus nr, huisnummer, numero de rue, numero exterior, numer domu, house number of address',
  'address.po_box':
    'po box, p o box, post office box, pobox, postfach, boite postale, apartado de correos, casella postale',
  'address.city':
    'city, town, locality, city town village locality of address, postal town, ort, stadt, wohnort, ville, localite, ciudad, poblacion, localidad, citta, comune, cidade, plaats, woonplaats, miasto, stad, город, 市区町村, 城市',
  'address.region':
    'region, state, state region, state province, province, county, state province text only, state county, state county of address, bundesland, bundesland kanton, kanton, departement, dep region, provincia, estado, comunidad autonoma, estado o provincia, provincie, wojewodztwo, 都道府県, 省',
  'address.postal_code':
    'zip, zip code, zipcode, postal code, postcode, post code, zip postal code, zip postal code of address, plz, postleitzahl, code postal, cp, codigo postal, cap, cep, kod pocztowy, postnummer, индекс, 郵便番号, 邮编',
  'address.country':
    'country, country region, country code, country text only, country of address, land, staat, land region, pays, pays region, pais, pais o region, pais region, paese, nazione, kraj, страна, 国',
}

const PART = new Map(
  Object.entries(NAMES).flatMap(([field, names]) => names.split(', ').map((name) => [name, field] as const)),
)

/** Words that say which address it is, by the group. */
const GROUP = new Map(
  Object.entries({
    business:
      'business work office geschaftlich dienstlich professionnel professionnelle bureau trabajo laboral werk zakelijk lavoro',
    home: 'home private personal privat private domicile casa particular prive thuis',
    other: 'other weitere weiterer weiteres sonstige autre otro otra altro overig',
    company: 'company firma entreprise empresa',
    mailing: 'mailing',
    billing: 'billing invoice rechnung facturation facturacion',
    shipping: 'shipping delivery lieferung livraison envio',
    primary: 'primary main haupt headquarters hq registered',
  }).flatMap(([group, words]) => words.split(' ').map((word) => [word, group] as const)),
)

/** "Rechnungsadresse": the group and the part are one word. */
const COMPOUND = /^(rechnung|liefer|privat|firma|geschaft|haupt)(?:s|n|en)?(adresse|anschrift|strasse|ort|plz|land)$/
const OF_COMPOUND: Readonly<Record<string, string>> = { liefer: 'lieferung', geschaft: 'geschaftlich' }

/** Words between the others: "Calle del trabajo", "Weitere/r Ort". */
const SMALL = new Set('de del du der la le of r'.split(' '))

/** The address that the column of a name is of; `number` is what its name ends with. */
function columnOf(key: string): (AddressColumn & { number?: string }) | undefined {
  const [, prefix = '', end = ''] = COMPOUND.exec(key) ?? []
  const all = prefix === '' ? key.split(' ') : [OF_COMPOUND[prefix] ?? prefix, end]
  const groups = all.flatMap((word) => GROUP.get(word) ?? [])
  let words = all.filter((word) => !GROUP.has(word))
  const known = (): string | undefined =>
    PART.get(words.join(' ')) ??
    (/^(?:address|adresse|addr)$/.test(words[0] ?? '') ? PART.get(words.slice(1).join(' ')) : undefined)
  const numbers = words.filter((word) => /^\d{1,2}$/.test(word))
  const number = /^\d{1,2}$/.test(words.at(-1) ?? '') ? numbers.at(-1) : undefined
  const count = numbers.length > (number === undefined ? 0 : 1) ? numbers[0] : undefined
  words = words.filter((word) => !/^\d{1,2}$/.test(word))
  if (known() === undefined && groups.length > 0) words = words.filter((word) => !SMALL.has(word))
  const field = known()
  if (field === undefined) return undefined
  const group = [groups[0], count === undefined ? undefined : `address ${count}`].filter(Boolean).join(' ')
  return { field, group, ...(number === undefined ? {} : { number }) }
}

const LINES = new Set(['address', 'address.line1'])

/** What the columns of a file are of its addresses, by their names as `headerKey` returns them. */
export function addressColumns(keys: readonly (readonly string[])[]): (AddressColumn | undefined)[] {
  const found = keys.map((names) => names.map(columnOf).find((each) => each !== undefined))
  // "Street 2" is a second line, unless there is a "City 2" as well.
  const isCounted = found.some(
    (each) =>
      each?.number !== undefined && Number(each.number) > 1 && !LINES.has(each.field) && each.field !== 'address.line2',
  )
  return found.map((each) => {
    if (!each) return undefined
    const { field, group, number } = each
    if (number === undefined) return { field, group }
    if (isCounted) return { field, group: `${group} address ${number}`.trim() }
    const isSecond = LINES.has(field) && Number(number) > 1
    return { field: isSecond ? 'address.line2' : field === 'address' ? 'address.line1' : field, group }
  })
}
