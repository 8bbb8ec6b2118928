import type { Like } from '../../../lib/texts/like.ts'
import { pluralOf } from '../../../lib/texts/plural.ts'
import type { en } from './en.ts'

const { form } = pluralOf('de')
const conversations = (count: number, number: string) =>
  form(count, { one: '1 Unterhaltung', other: `${number} Unterhaltungen` })

export const de: Like<typeof en> = {
  select: 'Auswählen',
  selectOne: (name) => `${name} auswählen`,
  extendDown: 'Bis zur nächsten auswählen',
  extendUp: 'Bis zur vorigen auswählen',
  clear: 'Aufheben',
  clearSelection: 'Auswahl aufheben',
  selected: (_, number) => `${number} ausgewählt`,
  bar: 'Was mit der Auswahl geschieht',
  changed: (count, number) => `${conversations(count, number)} geändert`,
  closed: (count, number) => `${conversations(count, number)} geschlossen`,
  given: (count, number) => `${conversations(count, number)} verteilt`,
  byLoad: 'Wer am wenigsten hat',
  byLoadCommand: 'Wer am wenigsten offene Unterhaltungen hat, bekommt sie',
  byLoadNote: 'offene Unterhaltungen',
  tags: 'Tags',
  deal: 'Deal zuordnen',
  dealLabel: 'Deal suchen',
  noDeal: 'Kein Deal',
  said: {
    tags: 'Tags geändert',
    deal: (name) => `Dem Deal ${name} zugeordnet`,
    noDeal: 'Keinem Deal mehr zugeordnet',
  },
  more: 'Mehr',
}
