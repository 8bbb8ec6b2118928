import { seen } from '../../pure/invisible.ts'
import { type Context, type Reading, unread } from '../reading.ts'
import { BOX, CHOICE, CODE_LABEL, COUNTY, STREET, UNIT } from './address-words.ts'
import { readEastAsian } from './east-asian-addresses.ts'
import { LEGAL } from './name-words.ts'
import { STATES } from './postal-codes.ts'
import { isState, isTownName, type Locality, placeIn } from './towns.ts'

// A postal address in one text: its lines, or its parts between commas.

export type WrittenAddress = {
  line1?: string
  line2?: string
  city?: string
  region?: string
  postal_code?: string
  country?: string
  /** What is no part of it: the company or the person who is there. */
  rest?: string
}

/** `countryNamed` returns the code of a country by its name or its code. */
export type AddressContext = Pick<Context, 'country'> & { countryNamed: (text: string) => string | undefined }

/** A part of the text, and where it is. */
type Part = { text: string; from: number; to: number }

const LONGEST = 500

/** Reads the whole of a text as one address. Looks at `country`, that of the organisation, where the text has none. */
export function readAddress(given: string, context: AddressContext): Reading<WrittenAddress> {
  const text = seen(given)
    .replace(/[^\S\n]+/g, ' ')
    .trim()
  if (text === '' || text.length > LONGEST || !/\p{L}/u.test(text) || isReach(text)) return unread(given, 'not_one')
  const eastern = readEastAsian(text)
  if (eastern) return { value: eastern }
  const parts = partsOf(text)
  const country = countryIn(parts, context)
  const found = placeOf(parts, country ?? context.country)
  if (found === 'several') return unread(given, 'several')
  const address: WrittenAddress = {
    ...(found?.place ?? {}),
    ...(country ? { country } : {}),
  }
  const before = found ? parts.filter((_, at) => !found.used.has(at)) : parts
  if (!found && CHOICE.test(text)) return unread(given, 'several')
  if (!found && country === undefined && !isLikely(before)) return unread(given, 'not_one')
  return { value: { ...address, ...linesOf(text, before) } }
}

/** A web address, an email or a phone is none. */
const isReach = (text: string): boolean => /^\S+@\S+$|^https?:|^www\./i.test(text)

/** Commas, lines, and dashes between spaces are between parts. */
function partsOf(text: string): Part[] {
  const parts: Part[] = []
  let from = 0
  for (const { index, 0: between } of [
    ...text.matchAll(/\s*(?:[\n,;，、|·•]+|(?<=\s)[-–—](?=\s))\s*/gu),
    { index: text.length, 0: '' },
  ]) {
    const part = text.slice(from, index).trim()
    if (part !== '') parts.push({ text: part.replace(CODE_LABEL, ''), from, to: index })
    from = index + between.length
  }
  return parts
}

/** Short forms of countries that are no words of another meaning at the end of an address. */
const SHORT = /^(?:USA|U\.S\.A\.|UK|U\.K\.|UAE)$/

/** Takes the country from the end of the last part. */
function countryIn(parts: Part[], { country: own, countryNamed }: AddressContext): string | undefined {
  const last = parts.at(-1)
  if (!last) return undefined
  const named = (text: string): string | undefined =>
    text.length > 3 || SHORT.test(text) ? countryNamed(text) : undefined
  const others = parts.slice(0, -1)
  // Two capitals may be a state: they are a country behind a code only.
  const code =
    /^[A-Z]{2}$/.test(last.text) && others.some(({ text }) => /\d{3}/.test(text)) && !STATES[own ?? '']?.has(last.text)
  const whole = code ? countryNamed(last.text) : named(last.text)
  if (whole !== undefined && (others.length > 0 || last.text.length > 3)) {
    if (others.length === 0) return undefined
    parts.pop()
    return whole
  }
  const words = last.text.split(' ')
  for (let count = Math.min(3, words.length - 1); count > 0; count--) {
    const front = words.slice(0, -count).join(' ')
    const found = named(words.slice(-count).join(' '))
    if (found === undefined || placeIn(front, found) === undefined) continue
    last.text = front
    last.to = last.from + front.length
    return found
  }
  return undefined
}

type Found = { place: Locality; used: Set<number> }

/** The part with the town and its code, and those beside it that belong to them. */
function placeOf(parts: readonly Part[], country: string | undefined): Found | 'several' | undefined {
  const texts = parts.map(({ text }) => text)
  const states = STATES[country ?? '']
  for (let at = texts.length - 1; at >= 0; at--) {
    const place = placeIn(texts[at] as string, country, at === 0 && texts.length > 1)
    if (!place) continue
    const used = new Set([at])
    const neighbour = (next: number, isFit: (text: string) => boolean): string | undefined => {
      const text = texts[next]
      if (text === undefined || used.has(next) || !isFit(text)) return undefined
      used.add(next)
      return text
    }
    // Behind a town in front of its code there may be a county; a state may be a part of its own.
    let before = at - 1
    if (place.city === undefined && place.region === undefined) {
      const state = neighbour(before, (text) => isState(text, country) || COUNTY.test(text))
      if (state !== undefined) before--
      if (state !== undefined) place.region = state
    }
    if (place.city === undefined) {
      const slashed = /^(.*\S)\s?\/\s?([A-Z]{2})$/.exec(texts[before] ?? '')
      const city =
        neighbour(before, (text) => (slashed && states?.has(slashed[2] as string)) || isTownName(text)) ??
        neighbour(at + 1, isTownName)
      if (city === undefined) continue
      place.city = slashed && city === texts[before] ? (slashed[1] as string) : city
      if (slashed && city === texts[before]) place.region = slashed[2] as string
    }
    if (place.region === undefined && place.postal_code !== undefined) {
      const behind = neighbour(at + 1, (text) => at + 2 >= texts.length && isTownName(text))
      if (behind !== undefined) place.region = behind
    }
    if (
      texts.some(
        (text, index) =>
          !used.has(index) &&
          index < at &&
          placeIn(text, country, index === 0)?.city !== undefined &&
          /^\d{4,}/.test(text),
      )
    )
      return 'several'
    return { place, used }
  }
  return withoutCode(texts, states)
}

/** "12 Oak St, Springfield, IL", "Lindenweg 4, Berlin": the last part is a state or a town. */
function withoutCode(texts: readonly string[], states: ReadonlyMap<string, string> | undefined): Found | undefined {
  const last = texts.length - 1
  const town = (at: number): string | undefined => (isTownName(texts[at] ?? '') ? texts[at] : undefined)
  const isBehind = states?.has(texts[last] ?? '') && town(last - 1) !== undefined
  if (isBehind)
    return { place: { city: texts[last - 1], region: texts[last] }, used: new Set([last - 1, last]) } as Found
  const city = town(last)
  return city === undefined || CHOICE.test(city) ? undefined : { place: { city }, used: new Set([last]) }
}

/** Whether parts without a town may be an address: they have the number of a house, or a word of a street. */
const isLikely = (parts: readonly Part[]): boolean =>
  parts.some(
    ({ text }) =>
      (/\d/.test(text) && /^\P{Ll}/u.test(text)) || BOX.test(text) || (STREET.test(text) && /^[\p{Lu}\d]/u.test(text)),
  )

/** The number of a house that stands alone. */
const NUMBER = /^\d+\s?[a-z]?(?:\s?[-/]\s?\d+[a-z]?)*(?:\s(?:bis|ter|quater))?$/iu

/** Shares out the parts in front of the town. */
function linesOf(text: string, parts: readonly Part[]): Pick<WrittenAddress, 'line1' | 'line2' | 'rest'> {
  const all: Part[] = []
  for (const [at, part] of parts.entries()) {
    const last = all.at(-1)
    // "Rua Azul, 12" and "12 bis, rue Bleue" are one, as they are written.
    const isBehind = NUMBER.test(part.text) && last !== undefined && !UNIT.test(last.text)
    const isInFront = last !== undefined && NUMBER.test(last.text) && at === 1
    if (last && (isBehind || isInFront)) {
      last.to = part.to
      last.text = text
        .slice(last.from, part.to)
        .replace(/\s*\n\s*/g, ', ')
        .trim()
    } else all.push({ ...part })
  }
  const texts = all.map(({ text: each }) => each)
  const rest = texts.filter((each, at) => at === 0 && texts.length > 1 && LEGAL.test(each) && !/\d/.test(each))
  const lines = texts.filter((each) => !rest.includes(each))
  const streets = lines.filter((each) => !UNIT.test(each))
  const numbered =
    streets.find((each) => /\d/.test(each) && STREET.test(each)) ?? streets.find((each) => /\d/.test(each))
  const line1 = numbered ?? streets[0] ?? lines.find((each) => BOX.test(each)) ?? lines[0]
  const others = lines.filter((each) => each !== line1)
  return {
    ...(line1 === undefined ? {} : { line1 }),
    ...(others.length > 0 ? { line2: others.join(', ') } : {}),
    ...(rest.length > 0 ? { rest: rest.join(', ') } : {}),
  }
}
