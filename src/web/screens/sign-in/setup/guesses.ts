// What the browser knows about where it is, for a first proposal.

const CURRENCIES: Record<string, string> = {
  AE: 'AED',
  AU: 'AUD',
  BG: 'EUR',
  BR: 'BRL',
  CA: 'CAD',
  CH: 'CHF',
  CN: 'CNY',
  CZ: 'CZK',
  DK: 'DKK',
  GB: 'GBP',
  HK: 'HKD',
  HU: 'HUF',
  IL: 'ILS',
  IN: 'INR',
  IS: 'ISK',
  JP: 'JPY',
  KR: 'KRW',
  LI: 'CHF',
  MX: 'MXN',
  NO: 'NOK',
  NZ: 'NZD',
  PL: 'PLN',
  RO: 'RON',
  SE: 'SEK',
  SG: 'SGD',
  TH: 'THB',
  TR: 'TRY',
  UA: 'UAH',
  US: 'USD',
  ZA: 'ZAR',
}

/** Zones whose country tells more than the language of the browser: many in Europe run it in English of the USA. */
const ZONES: Record<string, string> = {
  'Europe/Zurich': 'CHF',
  'Europe/London': 'GBP',
  'Europe/Stockholm': 'SEK',
  'Europe/Oslo': 'NOK',
  'Europe/Copenhagen': 'DKK',
  'Europe/Warsaw': 'PLN',
  'Europe/Prague': 'CZK',
  'Europe/Budapest': 'HUF',
  'Europe/Bucharest': 'RON',
  'Europe/Istanbul': 'TRY',
}

export function guessCurrency(language: string, timezone: string): string {
  const byZone = ZONES[timezone]
  if (byZone) return byZone
  if (timezone.startsWith('Europe/')) return 'EUR'
  const region = regionOf(language)
  return (region && CURRENCIES[region]) ?? (timezone.startsWith('America/') ? 'USD' : 'EUR')
}

function regionOf(language: string): string | undefined {
  try {
    return new Intl.Locale(language).maximize().region
  } catch {
    return undefined
  }
}

export const guessTimezone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone
