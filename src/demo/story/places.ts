import type { City, Country } from '../words/names.ts'
import type { Random } from './random.ts'
import type { Address } from './steps.ts'

// Without I and O, which look like digits, and a few letters that no country uses in its postal codes.
const LETTERS = 'ABDEGHJLNPRSTWXZ'

/** Fills a pattern in which # is a digit and @ a letter. */
export function fill(random: Random, pattern: string): string {
  let text = ''
  for (const sign of pattern) text += sign === '#' ? random.int(10) : sign === '@' ? LETTERS[random.int(16)] : sign
  return text
}

export function addressIn(random: Random, country: Country, city: City): Address {
  return {
    line1: random.pick(country.streets).replace('#', String(random.between(1, 98))),
    line2: null,
    city: city.name,
    region: city.region,
    postal_code: fill(random, city.postal),
    country: country.code,
  }
}
