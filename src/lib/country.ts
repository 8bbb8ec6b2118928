import { WINDOWS_TO_IANA_MAP } from 'windows-iana'

/** The language of most people of a country, for words that languages share; as "fr-Latn-FR". */
export const localeOf = (country: string): string => new Intl.Locale('und', { region: country }).maximize().baseName

let countries: Map<string, string> | undefined

/** Returns the country of a time zone as ISO 3166 alpha-2; undefined for zones that are not those of places, such as UTC. */
export function countryOfZone(zone: string): string | undefined {
  if (!zone.includes('/')) return undefined
  countries ??= new Map(
    WINDOWS_TO_IANA_MAP.filter(({ territory }) => /^[A-Z]{2}$/.test(territory) && territory !== 'ZZ').flatMap(
      ({ territory, iana }) => iana.map((each) => [canonical(each), territory] as const),
    ),
  )
  // To find out the canonical name takes longer than to write a record, and most zones are called by it.
  return countries.get(zone) ?? countries.get(canonical(zone))
}

/** A zone has several names: "Asia/Calcutta" is "Asia/Kolkata". */
function canonical(zone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return zone // one that this machine does not know
  }
}
