import { pluralOf } from '../../../lib/texts/plural.ts'
import type { en } from './en.ts'

const { form } = pluralOf('de')

export const de: typeof en = {
  title: 'Original der Mail',
  header: 'Kopf der Mail',
  copy: 'Kopf kopieren',
  copied: 'Kopf kopiert',
  save: 'Als .eml speichern',
  close: 'Schließen',
  failed: 'Das Original konnte nicht gelesen werden',
  none: 'Kein Original aufbewahrt',
  noneBody: (days, number, room) =>
    days === 0
      ? 'In den Einstellungen der Organisation steht, dass keine Originale aufbewahrt werden.'
      : form(days, {
          one: `Originale werden einen Tag lang aufbewahrt, davon die neuesten ${room}. Dieses ist älter oder kam, bevor Dealbox sie aufbewahrte, oder die Nachricht war nie eine Mail.`,
          other: `Originale werden ${number} Tage lang aufbewahrt, davon die neuesten ${room}. Dieses ist älter oder kam, bevor Dealbox sie aufbewahrte, oder die Nachricht war nie eine Mail.`,
        }),
  size: (size) => `${size}, so wie sie ankam oder hinausging`,
  cut: (kept, size) => `Die Mail hat ${size}, zu viel zum Aufbewahren. Das sind ihre ersten ${kept}.`,
  headCut: 'Der Kopf geht noch weiter; der Rest steht in der Datei.',
}
