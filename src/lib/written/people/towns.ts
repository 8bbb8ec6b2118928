import { CHOICE, LIES_AT, PARTICLE, STREET, UNIT } from './address-words.ts'
import { hasProvinces, STATES } from './postal-codes.ts'

// A town with its code, in the orders of several countries.

export type Locality = { city?: string; region?: string; postal_code?: string; country?: string }

/** Countries of which the code is behind the town: five digits in front of a word are the number of a house there. */
const BEHIND = new Set('US CA AU NZ GB IE IN SG ZA'.split(' '))

const BRITISH = '[A-Z]{1,2}\\d[A-Z\\d]? ?\\d[A-Z]{2}|GIR ?0AA'
const IRISH = '[A-Z]\\d[\\dW] ?[A-Z\\d]{4}'
const CANADIAN = '[A-Z]\\d[A-Z] ?\\d[A-Z]\\d'
const LETTERED = `${BRITISH}|${CANADIAN}|${IRISH}`

const IN_FRONT =
  /^(?:(?<country>[A-Z]{1,3})[ -]{1,3})?(?<code>\d{5}-\d{3}|\d{4}-\d{3}|\d{2}-\d{3}|\d{3} \d{2}|\d{4} ?[A-Z]{2}(?= )|\d{4,6})[\s,]+(?<town>\p{L}.*)$/u
const ONLY = new RegExp(
  `^(?<code>\\d{5}-\\d{3}|\\d{5}-\\d{4}|\\d{4}-\\d{3}|\\d{2}-\\d{3}|\\d{3} \\d{2}|\\d{4,6}|${LETTERED})$`,
  'u',
)
const AT_END = new RegExp(
  `^(?<front>\\p{L}.*?)[\\s,]+(?<code>\\d{5}-\\d{4}|\\d{5}-\\d{3}|\\d{2}-\\d{3}|\\d{4,6}|\\d{3} \\d{3}|${LETTERED})$`,
  'u',
)

/** Letters in front of a code that say which country it is of: those of cars, and of two letters. */
const CARS: ReadonlyMap<string, string> = new Map(
  'D DE,A AT,F FR,B BE,L LU,I IT,E ES,P PT,S SE,N NO,H HU,V VA,FIN FI,SLO SI,FL LI'
    .split(',')
    .map((pair) => pair.split(' ') as [string, string]),
)
const TWO = new Set(
  'DE AT CH FR BE NL LU IT ES PT PL CZ SK SE NO DK FI HU SI HR RO BG GR LI LT LV EE MD AD MC SM'.split(' '),
)

/**
 * The town of a part, and its code: nothing if it has neither. A part that is a code alone has a town beside it. `isFirst`: it
 * stands where the street does.
 */
export function placeIn(text: string, country: string | undefined, isFirst = false): Locality | undefined {
  const only = ONLY.exec(text)?.groups
  if (only) return isFirst && /^\d{4}$/.test(text) ? undefined : { postal_code: only.code as string }
  const front = IN_FRONT.exec(text)?.groups
  if (front) {
    const { country: letters, code = '', town = '' } = front
    const of = letters === undefined ? undefined : (CARS.get(letters) ?? (TWO.has(letters) ? letters : undefined))
    const isHouse =
      of === undefined &&
      /^\d+$/.test(code) &&
      (BEHIND.has(country ?? '') ? code.length < 5 || isFirst : isFirst && STREET.test(town))
    const named = letters !== undefined && of === undefined ? undefined : regionBehind(town, of ?? country)
    if (named && !isHouse && isTownName(named.city ?? '', true))
      return { ...named, postal_code: code, ...(of ? { country: of } : {}) }
  }
  const { front: before = '', code = '' } = AT_END.exec(text)?.groups ?? {}
  if (before === '') return undefined
  const state = stateAtEnd(before, country)
  if (state && (state.city === undefined || isTownName(state.city))) return { ...state, postal_code: code }
  const isSure =
    /[A-Z]/.test(code) ||
    (code.length > 4 && !STREET.test(before)) ||
    (code.length === 4 && country !== undefined && FOUR.has(country))
  return isSure && isTownName(before) ? { city: before, postal_code: code } : undefined
}
const FOUR = new Set(['NZ', 'ZA', 'AU'])

const NAMED = ['US', 'CA', 'AU']

/** Whether a text is a state, by its code or its name: of that country, or where it has none, of one that writes them so. */
export function isState(text: string, country: string | undefined): boolean {
  const known = STATES[country ?? ''] ? [country as string] : NAMED
  return known.some((code) => {
    const states = STATES[code]
    return states?.has(text) || (text.length > 3 && [...(states?.values() ?? [])].includes(text.toLowerCase()))
  })
}

/** "Springfield IL", "IL", "New South Wales". */
function stateAtEnd(text: string, country: string | undefined): Locality | undefined {
  const words = text.split(/[\s,]+/)
  for (let count = Math.min(4, words.length); count > 0; count--) {
    const state = words.slice(-count).join(' ')
    if (!isState(state, country)) continue
    const city = words.slice(0, -count).join(' ')
    return { ...(city === '' ? {} : { city }), region: state }
  }
  return undefined
}

/** "Zürich ZH", "Milano (MI)", "São Paulo/SP". */
function regionBehind(town: string, country: string | undefined): Locality {
  const [, city, bracket, bare, slash] =
    /^(.*\S)(?:\s+\(([A-Z]{2})\)|\s+([A-Z]{2})|\s?\/\s?([A-Z]{2}))$/u.exec(town) ?? []
  const region = bracket ?? bare ?? slash
  const states = STATES[country ?? '']
  const isRegion =
    region !== undefined && (states?.has(region) || (hasProvinces(country) && (bracket ?? bare) !== undefined))
  return isRegion ? { city: city as string, region } : { city: town }
}

/** Whether a text can be the name of a town: words with capitals, perhaps with the number of a district or CEDEX. */
export function isTownName(text: string, isByCode = false): boolean {
  const bare = text.replace(/\s+(?:cedex(?:\s+\d{1,2})?|\d{1,2}(?:e|er|ème)?)$/iu, '')
  if (bare === '' || /[\d@:?!"]/.test(bare) || bare.length > 60 || UNIT.test(bare) || CHOICE.test(bare)) return false
  if (!isByCode && STREET.test(LIES_AT.exec(bare)?.[1] ?? bare)) return false
  const words = bare.split(/[\s-]+/).filter((word) => /\p{L}/u.test(word))
  return (
    words.length <= 6 &&
    /^\P{Ll}/u.test(bare) &&
    words.every(
      (word) =>
        (/^[^\p{L}]*\P{Ll}/u.test(word) && /^[^\p{L}]*[\p{Lu}\p{Lo}]/u.test(word)) ||
        PARTICLE.test(word) ||
        /^['’]|^[dl]['’]/u.test(word),
    )
  )
}
