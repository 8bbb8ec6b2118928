import { isSupportedCountry, Metadata, parsePhoneNumberFromString } from 'libphonenumber-js/core'
import metadata from 'libphonenumber-js/metadata.min.json'
import { plain } from '../../pure/invisible.ts'
import type { Context, Reading } from '../reading.ts'
import { readPhones, type WrittenPhone } from './phones.ts'

// Numbers as they are dialled from anywhere (E.164), by the rules of all countries. Too large for a browser.

/** Where national numbers without their 0 have as many digits as those without the code of a town. */
const OPEN: ReadonlySet<string> = new Set(['DE', 'AT'])
const MOBILE: Readonly<Record<string, RegExp>> = { DE: /^1[5-7]\d{8,9}$/, AT: /^6[5-9]\d{7,11}$/ }
/** Shorter ones are reached in one network or country only. */
const SHORTEST = 7
/** A number of a town is shorter. */
const NATIONAL = 9

type Where = Pick<Context, 'country' | 'trunk'>

/** What a number may mean: one in E.164, or none for what is dialled in its own town or network only. */
type Meanings = readonly (string | undefined)[]

/** Returns the number in E.164; undefined if it has no such form, or it is not known which. */
export function internationalOf(dialled: string, where: Where = {}): string | undefined {
  const [first, ...others] = meaningsOf(dialled, where)
  return others.length === 0 ? first : undefined
}

function meaningsOf(dialled: string, { country, trunk }: Where): Meanings {
  const digits = dialled.replace(/\D/g, '')
  if (dialled.startsWith('+')) return [abroad(digits)]
  const plan = country === undefined ? undefined : planOf(country)
  const [prefix] = plan?.out.exec(digits) ?? []
  const outside = (prefix && abroad(digits.slice(prefix.length))) || (/^00/.test(digits) && abroad(digits.slice(2)))
  if (outside) return [outside]
  if (country === undefined || !plan) return [undefined]
  const at = (text: string, isValid = false): string | undefined => {
    const found = parsePhoneNumberFromString(text, { defaultCountry: country as never }, metadata)
    if (!found?.isPossible() || found.countryCallingCode !== plan.code) return undefined
    return !isValid || plan.pattern.test(found.nationalNumber) ? found.number : undefined
  }
  const left = digits.replace(GIVEN_UP[country] ?? /^$/, '')
  if (left !== digits) return [at(left)]
  const isNational = plan.trunk !== '' && digits.startsWith(plan.trunk) && plan.code !== ITALY
  if (isNational) return [at(digits) ?? (/^011/.test(digits) ? abroad(digits.slice(3)) : undefined)]
  if (digits.startsWith('0') && plan.code !== ITALY && !at(digits, true)) {
    // A 0 that the country has given up.
    const without = at(digits.slice(1), true)
    if (without) return [without]
  }
  if (digits.length < SHORTEST) return [undefined]
  const isClosed = plan.lengths.length <= 3
  const own = at(digits)
  const isCertain = (length: number): boolean => isClosed || length >= NATIONAL
  if (
    plan.trunk === '' ||
    plan.code === ITALY ||
    (!OPEN.has(country) && isCertain(digits.length) && own && (plan.code === AMERICA || at(digits, true)))
  )
    return own ? [own] : [withCode(digits, plan)]
  const coded = withCode(digits, plan)
  if (coded && isCertain(coded.length - plan.code.length - 1)) return [coded]
  if (trunk === 'lost' || MOBILE[country]?.test(digits)) return [own]
  return own ? [undefined, own] : [undefined]
}

/** The code of the country without a plus in front. */
function withCode(digits: string, { code, lengths, pattern }: Plan): string | undefined {
  const rest = digits.slice(code.length)
  const isOne = digits.startsWith(code) && (rest.length >= NATIONAL || lengths.length <= 3) && pattern.test(rest)
  return isOne ? abroad(digits) : undefined
}

function abroad(digits: string): string | undefined {
  const found = parsePhoneNumberFromString(`+${digits.replace(/^521(?=\d{10}$)/, '52')}`, metadata)
  return found?.isPossible() ? found.number : undefined
}

/** What was dialled in front of numbers until the country has given it up. */
const GIVEN_UP: Readonly<Record<string, RegExp>> = { MX: /^(?:01|04[45])(?=\d{10}$)/ }
const ITALY = '39'
/** Made-up numbers for films and manuals are none by its rules. */
const AMERICA = '1'

/** How numbers of a country are dialled: its code, what stands in front of a number of another town or country, how many digits are possible. */
type Plan = { code: string; trunk: string; out: RegExp; lengths: readonly number[]; pattern: RegExp }

const plans = new Map<string, Plan | undefined>()

function planOf(country: string): Plan | undefined {
  if (!plans.has(country)) plans.set(country, plan(country))
  return plans.get(country)
}

/** What the library has of a country, beside what it declares. */
type Rules = {
  callingCode: () => string
  nationalPrefix: () => string | undefined
  IDDPrefix: () => string
  possibleLengths: () => number[]
  nationalNumberPattern: () => string
}

function plan(country: string): Plan | undefined {
  if (!isSupportedCountry(country as never, metadata)) return undefined
  const all = new Metadata(metadata)
  all.selectNumberingPlan(country as never)
  const rules = all.numberingPlan as unknown as Rules
  return {
    code: String(rules.callingCode()),
    trunk: rules.nationalPrefix() ?? '',
    out: new RegExp(`^(?:${rules.IDDPrefix()})`),
    lengths: rules.possibleLengths(),
    pattern: new RegExp(`^(?:${rules.nationalNumberPattern()})$`),
  }
}

/** A number beside its form in E.164, with its extension as in a link: `+4930123456;ext=7`. */
export type Phone = WrittenPhone & { international?: string }

/** Reads the numbers of a text in a country. Of the context it looks at `country`, `trunk` and `isSeen`. */
export function readPhonesIn(text: string, context: Context): Reading<readonly Phone[]> {
  const read = readPhones(text)
  if (!('value' in read)) return read
  const found = new Map<string, readonly Phone[]>()
  for (const phone of read.value) {
    const meanings = context.isSeen ? [internationalOf(phone.dialled, context)] : meaningsOf(phone.dialled, context)
    const phones = meanings.map((each): Phone => (each === undefined ? phone : { ...phone, international: each }))
    found.set(keyOf(phones[0] as Phone), phones)
  }
  const [first = [], ...more] = [...found.values()]
  if (more.length === 0 && first.length > 1) {
    const [one, other, ...others] = first.map((phone) => [phone])
    return { either: [one as [Phone], other as [Phone], ...(others as [Phone][])] }
  }
  const unclear = [first, ...more].find((each) => each.length > 1)
  if (unclear) return { unread: { part: unclear[0]?.number ?? text, why: 'several' } }
  return { value: [first, ...more].map(([phone]) => phone as Phone) }
}

const keyOf = ({ international, dialled, extension }: Phone): string =>
  (international ?? dialled) + (extension === undefined ? '' : `;ext=${extension}`)

/** What all spellings of a number have in common, to compare them; of a text with several numbers, one for each. */
export function phoneKeys(text: string, country: string | undefined): string[] {
  const read = readPhonesIn(text, { ...(country === undefined ? {} : { country }), isSeen: true })
  // Nobody dials the code of a country without the plus for another number.
  if ('value' in read) return read.value.map((phone) => keyOf(phone).replace('+', ''))
  return [plain(text).replace(/\s+/g, ' ').toLowerCase()]
}

/**
 * The digits of a number in E.164, and without the code of its country, with which nearly all notations of it end. Empty for
 * what is none.
 */
export function digitsOf(text: string, country: string | undefined): string[] {
  const read = readPhonesIn(text, { ...(country === undefined ? {} : { country }), isSeen: true })
  const phones = 'value' in read ? read.value : []
  return phones.flatMap(({ international, dialled }) => {
    if (international === undefined) return [dialled.replace(/\D/g, '')]
    const found = parsePhoneNumberFromString(international, metadata)
    return [international.slice(1), ...(found ? [found.nationalNumber] : [])]
  })
}

/** The digits by which an index finds a number beside those that are written. */
export const moreDigitsOf = (text: string, country: string | undefined): string[] =>
  /^\+[\d ]+$/.test(text) ? [] : digitsOf(text, country)
