import type { Like } from '../like.ts'
import { pluralOf } from '../plural.ts'
import type { en } from './en.ts'

const { count } = pluralOf('de')
type Words = Readonly<Record<string, { one: string; other: string }>>

const OPEN: Words = {
  deals: { one: 'offener Deal', other: 'offene Deals' },
  tasks: { one: 'offene Aufgabe', other: 'offene Aufgaben' },
  contacts: { one: 'Kontakt', other: 'Kontakte' },
  companies: { one: 'Firma', other: 'Firmen' },
  conversations: { one: 'offenes Gespräch', other: 'offene Gespräche' },
  meetings: { one: 'geplanter Termin', other: 'geplante Termine' },
  enrollments: { one: 'laufende Sequenz', other: 'laufende Sequenzen' },
  lists: { one: 'Liste', other: 'Listen' },
  views: { one: 'geteilte Ansicht', other: 'geteilte Ansichten' },
}

const FINISHED: Words = {
  deals: { one: 'geschlossener Deal', other: 'geschlossene Deals' },
  tasks: { one: 'erledigte Aufgabe', other: 'erledigte Aufgaben' },
  conversations: { one: 'geschlossenes Gespräch', other: 'geschlossene Gespräche' },
  meetings: { one: 'vergangener Termin', other: 'vergangene Termine' },
}

const ALL: Words = {
  ...OPEN,
  deals: { one: 'Deal', other: 'Deals' },
  tasks: { one: 'Aufgabe', other: 'Aufgaben' },
  conversations: { one: 'Gespräch', other: 'Gespräche' },
  meetings: { one: 'Termin', other: 'Termine' },
}

const RECORD = { one: 'Datensatz', other: 'Datensätze' }

export const de: Like<typeof en> = {
  open: (kind, number) => count(number, OPEN[kind] ?? RECORD),
  finished: (kind, number) => count(number, FINISHED[kind] ?? RECORD),
  all: (kind, number) => count(number, ALL[kind] ?? RECORD),
  records: (number) => count(number, RECORD),
  handedOver: (name, what) => `Übergabe von ${name}: ${what}`,
  gotFrom: (by, name) => (by ? `${by} hat dir übergeben, was ${name} hatte` : `Du hast bekommen, was ${name} hatte`),
  until: (what, day) => `${what}, bis ${day}`,
  cameBack: 'Du bist zurück, und deine Arbeit auch',
}
