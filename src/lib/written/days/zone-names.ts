import { HOUR_MS } from '../../time.ts'
import { instantsAt } from './instants.ts'
import { offsetAt } from './zoned.ts'

// Short names of time zones, which are often shared: CST is Chicago's and Shanghai's.

/** Offset in hours, and a zone whose clocks show it; without an offset the name is of both seasons. */
const NAMES: Record<string, string> = {
  WET: '0 Europe/Lisbon',
  WEST: '1 Europe/Lisbon',
  BST: '1 Europe/London, 6 Asia/Dhaka',
  IST: '5.5 Asia/Kolkata, 2 Asia/Jerusalem, 1 Europe/Dublin',
  IDT: '3 Asia/Jerusalem',
  CET: '1 Europe/Berlin',
  CEST: '2 Europe/Berlin',
  MEZ: '1 Europe/Berlin',
  MESZ: '2 Europe/Berlin',
  MET: '1 Europe/Berlin',
  MEST: '2 Europe/Berlin',
  HNEC: '1 Europe/Paris',
  HAEC: '2 Europe/Paris',
  EET: '2 Europe/Helsinki',
  EEST: '3 Europe/Helsinki',
  OEZ: '2 Europe/Helsinki',
  OESZ: '3 Europe/Helsinki',
  MSK: '3 Europe/Moscow',
  TRT: '3 Europe/Istanbul',
  GST: '4 Asia/Dubai',
  PKT: '5 Asia/Karachi',
  NPT: '5.75 Asia/Kathmandu',
  ICT: '7 Asia/Bangkok',
  WIB: '7 Asia/Jakarta',
  WITA: '8 Asia/Makassar',
  WIT: '9 Asia/Jayapura',
  SGT: '8 Asia/Singapore',
  MYT: '8 Asia/Kuala_Lumpur',
  PHT: '8 Asia/Manila',
  HKT: '8 Asia/Hong_Kong',
  JST: '9 Asia/Tokyo',
  KST: '9 Asia/Seoul',
  AWST: '8 Australia/Perth',
  ACST: '9.5 Australia/Adelaide',
  ACDT: '10.5 Australia/Adelaide',
  AEST: '10 Australia/Sydney, 10 Australia/Brisbane',
  AEDT: '11 Australia/Sydney',
  NZST: '12 Pacific/Auckland',
  NZDT: '13 Pacific/Auckland',
  EST: '-5 America/New_York',
  EDT: '-4 America/New_York',
  ET: 'America/New_York',
  CST: '-6 America/Chicago, 8 Asia/Shanghai',
  CDT: '-5 America/Chicago',
  CT: 'America/Chicago',
  MST: '-7 America/Denver, -7 America/Phoenix',
  MDT: '-6 America/Denver',
  MT: 'America/Denver',
  PST: '-8 America/Los_Angeles',
  PDT: '-7 America/Los_Angeles',
  PT: 'America/Los_Angeles',
  AKST: '-9 America/Anchorage',
  AKDT: '-8 America/Anchorage',
  HST: '-10 Pacific/Honolulu',
  AST: '-4 America/Halifax, -4 America/Puerto_Rico, 3 Asia/Riyadh',
  ADT: '-3 America/Halifax',
  NST: '-3.5 America/St_Johns',
  NDT: '-2.5 America/St_Johns',
  BRT: '-3 America/Sao_Paulo',
  ART: '-3 America/Argentina/Buenos_Aires',
  CLT: '-4 America/Santiago',
  CLST: '-3 America/Santiago',
  COT: '-5 America/Bogota',
  PET: '-5 America/Lima',
  VET: '-4 America/Caracas',
  SAST: '2 Africa/Johannesburg',
  CAT: '2 Africa/Maputo',
  WAT: '1 Africa/Lagos',
  EAT: '3 Africa/Nairobi',
}

type Candidate = { zone: string; offset: number | undefined }

const candidatesOf = (name: string): Candidate[] =>
  (NAMES[name] ?? '').split(', ').flatMap((text) => {
    const [first = '', zone] = text.split(' ')
    if (first === '') return []
    return zone === undefined ? { zone: first, offset: undefined } : { zone, offset: Number(first) * HOUR_MS }
  })

export const isZoneName = (name: string): boolean => Object.hasOwn(NAMES, name)

/**
 * Returns the moments at which a clock of the named zone shows this; `wanted` is what it shows, in UTC. Where several zones
 * share the name, the own one is meant if it is among them. A name of winter in summer may be meant as the zone, or as it
 * is: "10:00 EST" in July is two readings.
 */
export function instantsOfName(wanted: number, name: string, own: string): number[] {
  const all = candidatesOf(name).map(({ zone, offset }) => {
    const shown = instantsAt(wanted, zone)
    const said = offset === undefined ? undefined : wanted - offset
    const fits = said === undefined || shown.includes(said)
    return { isOwn: zone === own || said === wanted - offsetAt(said ?? wanted, own), shown, said, fits }
  })
  const fitting = all.filter(({ fits }) => fits)
  const chosen = fitting.find(({ isOwn }) => isOwn)
  const left = chosen ? [chosen] : fitting.length > 0 ? fitting : all
  const moments = left.flatMap(({ shown, said, fits }) =>
    said === undefined ? shown : fits ? [said] : [...shown.slice(0, 1), said],
  )
  return [...new Set(moments)]
}
