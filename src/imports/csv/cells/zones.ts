import { isTimezone } from '../../../lib/time.ts'

// Time zones as other programs write them: `europe_slash_berlin` and `UTC +02:00 Europe Berlin` of HubSpot, `(GMT+01:00)
// Central European Standard Time (Europe/Berlin)` of Salesforce.

let zones: Map<string, string> | undefined

/** Returns the IANA name of a time zone; other text is returned unchanged, for the field to reject. */
export function zoneNamed(text: string): string {
  const [, inner = text] = /\(([A-Za-z_]+\/[A-Za-z_/+-]+)\)$/.exec(text) ?? []
  const name = inner.replaceAll('_slash_', '/').replace(/^\(?(?:UTC|GMT) ?[+-]\d\d:\d\d\)? /i, '')
  if (IANA.test(name) && isTimezone(name)) return name // also the former ones, such as Asia/Calcutta
  zones ??= new Map(Intl.supportedValuesOf('timeZone').map((zone) => [zoneKey(zone), zone]))
  return zones.get(zoneKey(name)) ?? (isTimezone(name) ? spelled(name) : text)
}

const IANA = /^[A-Z][a-z][A-Za-z_]*(?:\/[A-Z][A-Za-z0-9_+-]*)+$/

/** The parts of a name are separated by a slash, a space or an underscore. */
const zoneKey = (name: string): string => name.toLowerCase().replace(/[^a-z0-9+]+/g, ' ')

/** Returns the name of a time zone as IANA spells it. */
const spelled = (name: string): string => new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
