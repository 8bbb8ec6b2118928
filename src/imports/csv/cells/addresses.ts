import { fold } from '../../../lib/pure/fold.ts'
import { readAddress, type WrittenAddress } from '../../../lib/written/people/addresses.ts'
import { readPostalCode } from '../../../lib/written/people/postal-codes.ts'
import type { Context } from '../../../lib/written/reading.ts'
import { quoted } from './figures.ts'
import { countryCode, isCountry } from './names.ts'

// The addresses of a row. A record has one: the first of the row, in the order of its columns. A note keeps the others, so that
// parts of two are never one.

/** A cell with a part of an address; the name is that of its field. */
export type AddressCell = { group: string; label: string | undefined; column: string; name: string; text: string }

type Remark = { column: string; reason: string }

/** What a record gets of the addresses of a row. */
export type Addressed = { address?: WrittenAddress; notes: string[]; remarks: Remark[] }

/** Countries where the number of a house is in front of its street. */
const NUMBER_FIRST = new Set('US GB CA AU NZ IE FR LU IN ZA SG'.split(' '))

export function addressesIn(places: readonly AddressCell[], context: Context): Addressed {
  const [first, ...others] = [...Map.groupBy(places, ({ group }) => group).values()].flatMap(apart)
  if (!first) return { notes: [], remarks: [] }
  const own = addressIn(first, context)
  for (const other of others) {
    const [{ column, group, label }] = other as [AddressCell]
    const called = label?.replace(/^\* /, '') ?? group.replace(/ ?address(?= \d)/, '')
    const note = `Address (${called.trim()}): ${other.map(({ text }) => text.replace(/\s*\n\s*/g, ', ')).join(', ')}`
    own.notes.push(note)
    own.remarks.push({ column, reason: `and what belongs to it is a second address, which a note keeps` })
  }
  return own
}

function addressIn(places: readonly AddressCell[], context: Context): Addressed {
  const of = (name: string): AddressCell | undefined => places.find((each) => each.name === name)
  const text = (name: string): string | undefined => of(name)?.text
  const notes: string[] = []
  const remarks: Remark[] = []
  const address: WrittenAddress = {}
  const put = (
    name: 'line1' | 'line2' | 'city' | 'region' | 'postal_code' | 'country',
    value: string | undefined,
  ): void => {
    if (value !== undefined && value !== '') address[name] = value
  }

  const lines = [text('address.line1')]
  const further = places.flatMap((each) => (each.name === 'address.line2' ? each.text : []))
  const country = text('address.country')
  const code = country === undefined ? undefined : countryCode(country)
  const whole = of('address')
  let isRead = false
  if (whole && lines[0] === undefined) {
    const isAlone = places.every(({ name }) => name === 'address' || name === 'address.country')
    const read = readAddress(whole.text, { country: code ?? context.country, countryNamed })
    const value = 'value' in read ? read.value : undefined
    const isSame = value?.city !== undefined && fold(value.city) === fold(text('address.city') ?? '')
    if (value && (isAlone || isSame)) {
      const { rest, line1, ...parts } = value
      lines[0] = line1
      isRead = true
      for (const [name, part] of Object.entries(parts)) put(name as 'line1', part)
      const code = text('address.postal_code')
      const isOther = code !== undefined && value.postal_code !== undefined && fold(code) !== fold(value.postal_code)
      if (rest !== undefined || isOther) notes.push(`${whole.column}: ${whole.text}`)
    } else if (isAlone) {
      notes.push(`${whole.column}: ${whole.text}`)
      const why = 'unread' in read && read.unread.why === 'several' ? 'is not one address' : 'is no address'
      remarks.push({ column: whole.column, reason: `${quoted(whole.text)} ${why}, and a note keeps it` })
    } else lines[0] = whole.text
  } else if (whole && saysMore(whole, places)) {
    notes.push(`${whole.column}: ${whole.text}`)
    remarks.push({
      column: whole.column,
      reason: `${quoted(whole.text)} has more than the other columns, and a note keeps it`,
    })
  }

  const isNumbered = isRead && wordsOf(lines[0]).has(fold(text('address.house_number') ?? ''))
  const number = isNumbered ? undefined : text('address.house_number')
  const [line1, ...below] = (lines[0] ?? '').split(/\s*\n\s*/)
  const isFirst = NUMBER_FIRST.has(code ?? context.country ?? '')
  const box = of('address.po_box')
  const boxed = box && (/^\d[\d ]*$/.test(box.text) ? `PO Box ${box.text}` : box.text)
  const street = [...(isFirst ? [number, line1] : [line1, number])].filter(Boolean).join(' ')
  const more = [...below, ...further.flatMap((each) => each.split(/\s*\n\s*/))]
  // A box is the line of who has no street; a second line alone stays one.
  const isBoxed = street === '' && address.line1 === undefined && more.length === 0
  put('line1', street || (isBoxed ? boxed : undefined))
  put('line2', [address.line2, ...more, isBoxed ? undefined : boxed].filter(Boolean).join(', '))
  put('city', text('address.city'))
  put('region', text('address.region'))
  put('country', code)
  if (country === 'NA')
    remarks.push({ column: of('address.country')?.column ?? '', reason: '"NA" is taken for Namibia' })
  const postal = of('address.postal_code')
  // What we have exported is kept as it is.
  if (postal?.column === postal?.name) put('postal_code', postal?.text)
  else if (postal) put('postal_code', postalCodeIn(postal, { country: code, region: address.region }, context, remarks))
  return { ...(Object.keys(address).length > 0 ? { address } : {}), notes, remarks }
}

const wordsOf = (text = ''): Set<string> => new Set(fold(text).split(/[^\p{L}\p{M}\d]+/u))

/** Whether a whole address beside its parts has a word that none of them has. */
function saysMore(whole: AddressCell, places: readonly AddressCell[]): boolean {
  const others = new Set(places.flatMap((each) => (each === whole ? [] : [...wordsOf(each.text)])))
  const country = places.find(({ name }) => name === 'address.country')?.text ?? ''
  const isSaid = (part: string): boolean => countryNamed(part.trim()) === countryCode(country)
  const parts = whole.text.split(/[\n,;]/).filter((part) => country === '' || !isSaid(part))
  return parts.some((part) => [...wordsOf(part)].some((word) => word !== '' && !others.has(word)))
}

/** More in a cell are no addresses of one record, and each would be a note. */
const MOST = 100

/** Google writes several addresses of one kind into the same cells. */
function apart(places: readonly AddressCell[]): AddressCell[][] {
  if (places.some(({ column, name }) => column === name)) return [[...places]] // what we have exported is one
  const texts = places.map(({ text }) => text.split(/\s*:::\s*/))
  const count = texts.reduce((most, { length }) => Math.max(most, length), 0)
  if (count > MOST) return [[...places]]
  return Array.from({ length: count }, (_, index) =>
    places.flatMap((place, at) => (texts[at]?.[index] ? { ...place, text: texts[at][index] } : [])),
  )
}

/** A code that a spreadsheet has destroyed is refused with the other cells of digits. */
function postalCodeIn(
  { column, text }: AddressCell,
  { country, region }: { country: string | undefined; region: string | undefined },
  context: Context,
  remarks: Remark[],
): string {
  const read = codeIn(text, country, region)
  const isOpen = country === undefined && codeIn(text, context.country, region) !== read
  if (isOpen) remarks.push({ column, reason: `${quoted(text)} may have lost the 0 in front of it` })
  else if (country === 'US' && /^\d{3,4}$/.test(read))
    remarks.push({ column, reason: `${quoted(text)} has not all digits of a code of ${region}` })
  return read
}

function codeIn(text: string, country: string | undefined, region: string | undefined): string {
  const read = readPostalCode(text, country, region)
  return 'value' in read ? read.value : text
}

export const countryNamed = (text: string): string | undefined => {
  const code = countryCode(text)
  return isCountry(code) ? code : undefined
}
