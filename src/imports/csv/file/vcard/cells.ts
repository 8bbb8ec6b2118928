import { likelyNames } from '../../../../lib/written/people/name-fields.ts'
import type { Card } from './cards.ts'
import type { Property } from './property.ts'

// A card as a row, with the column names of Google Contacts, by which the fields are recognised.

/** Whether a card is a person, a company, or a group of other cards. */
export type CardKind = 'contact' | 'company' | 'group'

export type CardRow = { kind: CardKind; cells: { [column: string]: string }; error?: string }

/** The most emails, phones, addresses and web addresses of a card. */
const MAX_EACH = 20

/** Properties that describe the card, or another property of it. */
const SILENT = 'version prodid rev kind x-abshowas x-ablabel x-abadr x-addressbookserver-kind'
const READ = 'fn n org title role email tel adr url x-socialprofile socialprofile categories note bday uid'
const HANDLED = new Set(`${SILENT} ${READ}`.split(' '))

/** Types that are no label: they say how the property is used. */
const NO_LABEL = new Set(['internet', 'voice', 'text', 'msg', 'video', 'textphone'])

export function rowOf({ properties, unread, error }: Card): CardRow {
  const all = Map.groupBy(properties, ({ name }) => name)
  const sorted = (name: string): Property[] => (all.get(name) ?? []).toSorted((one, other) => one.pref - other.pref)
  const text = (name: string): string => (sorted(name)[0]?.values ?? []).join(',').trim()
  const labels = new Map((all.get('x-ablabel') ?? []).map(({ group, values }) => [group, values.join(' ')]))
  const labelOf = ({ group, types }: Property): string =>
    (group && labels.get(group)) || types.filter((type) => !NO_LABEL.has(type)).join(' ')

  const cells: CardRow['cells'] = {}
  function put(column: string, value: string | undefined): void {
    if (value !== undefined && value.trim() !== '') cells[column] = value.trim()
  }
  function numbered(what: string, some: readonly Property[], textOf: (property: Property) => string): void {
    some.forEach((each, index) => {
      put(`${what} ${index + 1} - Label`, labelOf(each))
      put(`${what} ${index + 1} - Value`, textOf(each))
    })
  }

  const [org = '', ...departments] = sorted('org')[0]?.values ?? []
  const [last = '', given = '', middle = '', prefix = '', suffix = ''] = (sorted('n')[0]?.values ?? []).map(spaced)
  const name = text('fn')
  const isNamed = `${given}${last}${middle}`.trim() !== ''
  const kind = kindOf(text, isNamed, org.trim())
  if (kind === 'company') put('Company name', org.trim() || name)
  else {
    // Without a structured name, the formatted one stands for it.
    const { first_name = '', last_name = '' } = isNamed ? { first_name: given, last_name: last } : likelyNames(name)
    put('First Name', first_name)
    put('Middle Name', middle)
    put('Last Name', last_name)
    put('Name Prefix', prefix)
    put('Name Suffix', suffix)
    put('Organization Name', org)
  }
  put('Organization Department', departments.filter((each) => each.trim() !== '').join(', '))
  put('Organization Title', text('title') || text('role'))

  numbered('E-mail', sorted('email'), ({ values }) => values.join(',').replace(/^mailto:/i, ''))
  numbered('Phone', sorted('tel').filter(isCalled), numberOf)
  put('Fax', joined(sorted('tel').flatMap((each) => (isCalled(each) ? [] : numberOf(each)))))
  sorted('adr').forEach((each, index) => {
    put(`Address ${index + 1} - Label`, labelOf(each))
    for (const [part, value] of Object.entries(addressOf(each.values))) put(`Address ${index + 1} - ${part}`, value)
  })

  const links = [...sorted('url'), ...sorted('x-socialprofile'), ...sorted('socialprofile')]
  const urls = links.flatMap(({ values }) => values.join(',')).filter(isWeb)
  const linkedIn = urls.find((url) => /^(?:https?:\/\/)?(?:[a-z]+\.)?linkedin\.com\//i.test(url))
  put('LinkedIn', linkedIn)
  urls
    .filter((url) => url !== linkedIn)
    .forEach((url, index) => {
      put(`Website ${index + 1} - Value`, url)
    })
  const handles = links.filter(({ values }) => !isWeb(values.join(',')))
  put('Profiles', joined(handles.map((each) => `${labelOf(each)} ${each.values.join(',')}`)))

  put('Labels', names(sorted('categories').flatMap(({ values }) => values)))
  put(
    'Notes',
    sorted('note')
      .map(({ values }) => values.join(','))
      .join('\n\n'),
  )
  put('Birthday', text('bday'))
  put('UID', text('uid'))
  for (const [property, some] of all) {
    if (!HANDLED.has(property)) put(property.toUpperCase(), joined(some.map(({ values }) => values.join(','))))
  }
  put('Unreadable lines', unread.join('\n'))

  if (error !== undefined) return { kind, cells, error }
  const most = Math.max(...['email', 'tel', 'adr'].map((each) => all.get(each)?.length ?? 0), links.length)
  return most > MAX_EACH ? { kind, cells: {}, error: `has more than ${MAX_EACH} values of one kind` } : { kind, cells }
}

/** A card without a person's name is that of the company whose name it has. */
function kindOf(text: (name: string) => string, isNamed: boolean, org: string): CardKind {
  const kind = (text('kind') || text('x-addressbookserver-kind')).toLowerCase()
  if (kind === 'group') return 'group'
  if (kind === 'org' || /^company$/i.test(text('x-abshowas'))) return 'company'
  return !isNamed && org !== '' && (text('fn') === '' || text('fn') === org) ? 'company' : 'contact'
}

/** A list of names, as one. */
const spaced = (names: string): string =>
  names
    .split(',')
    .map((name) => name.trim())
    .join(' ')
    .trim()

/** Several values of a cell, as Google writes them. */
const joined = (values: readonly string[]): string => values.join(' ::: ')

/** The same for names: a comma in one of them does not separate. */
const names = (values: readonly string[]): string =>
  values.length === 1 && /[;,|]/.test(values[0] as string) ? JSON.stringify(values) : joined(values)

const isCalled = ({ types }: Property): boolean => !types.some((type) => type === 'fax' || type === 'pager')

/** Phones write a pause as a comma or a semicolon, which separates numbers in a cell. */
const numberOf = ({ values }: Property): string =>
  values.join(',').replace(/^tel:/i, '').replace(/;ext=/i, ' ext. ').replace(/[,;]+/g, ' ')

const isWeb = (value: string): boolean => /^https?:\/\//i.test(value) || /^[^\s:@/]+\.[^\s:@]+$/.test(value)

function addressOf([box = '', extended = '', street = '', city, region, code, country]: readonly string[]) {
  const [line, ...more] = [street, extended, box]
    .flatMap((part) => part.split('\n'))
    .filter((part) => part.trim() !== '')
  return {
    Street: line,
    'Extended Address': more.map((part) => part.trim()).join(', '),
    City: city,
    Region: region,
    'Postal Code': code,
    Country: country,
  }
}
