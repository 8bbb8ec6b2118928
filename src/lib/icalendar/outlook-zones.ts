import { findIana, WINDOWS_TO_IANA_MAP } from 'windows-iana'
import { isTimezone } from '../time.ts'

/**
 * Returns the zone that Windows, Outlook and Exchange mean: "W. Europe Standard Time", "tzone://Microsoft/Utc",
 * "(UTC+01:00) Amsterdam, Berlin, Bern", "Eastern Time (US & Canada)", "GMT+0100". An IANA name, or an offset such as
 * "+05:30"; undefined for other names.
 */
export function outlookZone(tzid: string): string | undefined {
  const name = tzid.replace(/^"|"$/g, '').replace(/^tzone:\/\/Microsoft\//i, '').trim() // biome-ignore format: one step a call
  const [, offset = '', shown = ''] = /^\(((?:UTC|GMT)[^()]*)\)\s*(.*)$/i.exec(name) ?? []
  return windowsZone(name) ?? offsetZone(name) ?? shownZone(shown || name) ?? offsetZone(offset)
}

/** Outlook numbers zones of the same name in a calendar: "W. Europe Standard Time 1". */
function windowsZone(name: string): string | undefined {
  const plain = name.replace(/ \d+$/, '')
  const all = [name, plain, plain.replace(/ (?:Daylight|Summer) Time$/i, ' Standard Time')].flatMap((each) =>
    findIana(each),
  )
  return all.find((zone) => RENAMED.has(zone)) ?? all.find(isTimezone)
}

/** The library has the former names first. */
const RENAMED = new Set(['America/Argentina/Buenos_Aires', 'Asia/Kathmandu', 'Asia/Kolkata'])

/** "GMT+0100", "UTC-5", "+05:30". */
function offsetZone(name: string): string | undefined {
  if (UTC.test(name)) return 'Etc/UTC'
  const [, sign, hours = '', minutes = '00'] = /^(?:UTC|GMT)?([+-])(\d{1,2})(?:[:.]?(\d\d))?$/i.exec(name) ?? []
  if (!sign || Number(hours) > 14 || Number(minutes) > 59) return undefined
  if (Number(minutes) > 0) return `${sign}${hours.padStart(2, '0')}:${minutes}`
  if (Number(hours) === 0) return 'Etc/UTC'
  return `Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}` // these names count westwards
}

const UTC = /^(?:UTC|GMT|Z|(?:\((?:UTC|GMT)\) )?(?:Coordinated Universal|Greenwich Mean) Time)$/i

/** What Windows shows to people: the usual name of a zone, or some of its cities. */
function shownZone(text: string): string | undefined {
  const usual = windowsZone(text.replace(/ Time(?: \(.*\))?$/, ' Standard Time'))
  if (usual) return usual
  cities ??= new Map(
    [...WINDOWS_TO_IANA_MAP.flatMap(({ iana }) => iana), ...Intl.supportedValuesOf('timeZone')]
      .filter((zone) => zone.includes('/') && !zone.startsWith('Etc/') && isTimezone(zone))
      .map((zone) => [keyOf(zone.slice(zone.lastIndexOf('/') + 1)), zone]),
  )
  const named = text.split(/[,/]/).map((city) => cities?.get(keyOf(city)))
  return named.find((zone) => zone !== undefined)
}

let cities: Map<string, string> | undefined
const keyOf = (city: string): string => city.toLowerCase().replace(/[^a-z]/g, '')
