import type { Like } from '../../../lib/texts/like.ts'
import type { en } from './states-en.ts'

export const de: Like<typeof en> = {
  emptyTitle: 'Noch keine Deals',
  emptyBody:
    'Ein Deal ist ein möglicher Verkauf auf dem Weg durch die Phasen einer Pipeline. Füge den ersten hinzu, oder bring mit, was du hast: Eine CSV aus jedem anderen Werkzeug genügt, und du siehst das Ergebnis, bevor es gespeichert wird.',
  emptyImport: 'CSV importieren',
  importTitle: 'Deals aus einer CSV importieren',
  importBody: 'Dateien werden auf dem Rechner gelesen, auf dem Dealbox läuft. Leg deine dorthin, und führ das aus:',
  importNext:
    'Das zeigt, welche Spalte welches Feld wird, und ändert nichts. Ohne --dry-run sind die Deals sofort hier. Firmen und Kontakte kommen vorher, auf dieselbe Weise.',
  copyLine: 'Zeile kopieren',
  copied: 'Kopiert',
  exampleTitle: 'Beispiel',
  exampleDeal: 'Sensoren für die zweite Linie',
  exampleCompany: 'Nordwind Werke',
  noFitOne: 'Kein Deal passt zu diesem Filter',
  noFitBoth: 'Kein Deal passt zu beiden Filtern',
  noFitAll: (number) => `Kein Deal passt zu allen ${number} Filtern`,
  noFitSearch: (q) => `Kein Deal hat „${q}“ im Titel oder in der Firma`,
  without: 'Ohne',
  thereWouldBe: (number) => `wären es ${number}.`,
  removeFilter: 'Diesen Filter entfernen',
  clearAll: 'Alle entfernen',
  loadFailed: 'Das Board konnte nicht geladen werden',
  loadFailedBody:
    'Nichts Gespeichertes ist verloren. Versuch es noch einmal; scheitert es wieder, hilft die Nummer der Anfrage der Person, die diesen Server betreibt.',
  tryAgain: 'Noch einmal versuchen',
  request: (id) => `Anfrage ${id}`,
  noPipeline: 'Es gibt noch keine Pipeline',
  noPipelineBody:
    'Deals bewegen sich durch die Phasen einer Pipeline. Angelegt wird sie auf dem Server mit `dealbox settings apply`.',
}
