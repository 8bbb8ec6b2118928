import type { Like } from '../../lib/texts/like.ts'
import { pluralOf } from '../../lib/texts/plural.ts'
import type { en } from './en.ts'

const { count } = pluralOf('de')
type Forms = { one: string; other: string }

/** As they stand after "zu": the dative. */
const KINDS: Readonly<Record<string, Forms>> = {
  deals: { one: 'Deal', other: 'Deals' },
  contacts: { one: 'Kontakt', other: 'Kontakten' },
  companies: { one: 'Firma', other: 'Firmen' },
  notes: { one: 'Notiz', other: 'Notizen' },
  tasks: { one: 'Aufgabe', other: 'Aufgaben' },
  meetings: { one: 'Meeting', other: 'Meetings' },
  conversations: { one: 'Konversation', other: 'Konversationen' },
  lists: { one: 'Liste', other: 'Listen' },
}

export const de: Like<typeof en> = {
  summary: 'Gelöschtes, 30 Tage lang',
  kindsLabel: 'Arten von Einträgen',
  kinds: {
    all: 'Alle',
    deals: 'Deals',
    contacts: 'Kontakte',
    companies: 'Firmen',
    notes: 'Notizen',
    tasks: 'Aufgaben',
    meetings: 'Meetings',
  },
  search: 'Im Papierkorb suchen',
  list: 'Gelöschte Einträge',
  untitled: 'Ohne Titel',
  fresh: (number) => `${count(number, { one: 'weiterer wurde', other: 'weitere wurden' })} gelöscht. Anzeigen`,
  deletedBy: (who, when) => `Gelöscht von ${who}, ${when}`,
  until: (when) => `endgültig weg am ${when}`,
  many: (kind, number) => count(number, KINDS[kind] ?? { one: 'Eintrag', other: 'Einträgen' }),
  with: (what) => `Mit den Verknüpfungen zu ${what}`,
  without: (what) => `Ohne ${what}`,
  shared: (email, who) => `${email} gehört jetzt auch zu ${who}`,
  gone: (what) => `${what} (gelöscht)`,
  taken: (what, who) => `${what} (hat jetzt ${who})`,
  invalid: (what) => `${what} (passt nicht mehr zum Feld)`,
  changed: (what) => `${what} (seither geändert)`,
  transcript: 'Transkript',
  aList: 'eine Liste',
  anEmail: 'Eine E-Mail-Adresse',
  cannot: {
    stage: 'Kann nicht zurückkommen: Die Phase, in der er war, gibt es nicht mehr.',
    close_reason_id: 'Kann nicht zurückkommen: Den Grund, aus dem er abgeschlossen wurde, gibt es nicht mehr.',
  },

  restore: 'Wiederherstellen',
  restoreOf: (title) => `${title} wiederherstellen`,
  restoring: 'Wird wiederhergestellt …',
  restoringMany: (at, of) => `${at} von ${of} werden wiederhergestellt`,
  restoredBy: (who) => `Wiederhergestellt von ${who}`,
  restoredByYou: 'Wiederhergestellt',
  open: 'Öffnen',
  select: (title) => `${title} auswählen`,
  selectAll: 'Alle angezeigten auswählen',
  selected: (number) => `${number} ausgewählt`,
  bar: 'Was mit der Auswahl geschieht',
  clear: 'Aufheben',
  toggle: 'Auswählen oder nicht',
  next: 'Nächste Zeile',
  previous: 'Vorige Zeile',

  back: (title) => `„${title}“ ist wieder da`,
  backMany: (number) => `${count(number, { one: 'Eintrag ist', other: 'Einträge sind' })} wieder da`,
  andWith: (text, what) => `${text}, mit den Verknüpfungen zu ${what}`,
  leftOut: (text, what) => `${text}. Nicht dabei: ${what}`,
  notBack: (title, why) => `„${title}“ ist nicht zurück. ${why}`,
  notBackMany: (number) => `${count(number, { one: 'Eintrag ist', other: 'Einträge sind' })} nicht zurück`,
  wasFirst: (who) => `${who} hatte es schon wiederhergestellt.`,

  more: 'Mehr zeigen',
  failed: 'Der Papierkorb konnte nicht geladen werden',
  empty: 'Nichts wurde gelöscht',
  emptyBody: 'Was jemand löscht, ist 30 Tage lang hier und lässt sich mit allem wiederherstellen, was dazugehörte.',
  noneFits: 'Nichts im Papierkorb passt',
  noneFitsBody:
    'Versuche es mit weniger Buchstaben oder einer anderen Art. Was vor mehr als 30 Tagen gelöscht wurde, ist endgültig weg.',
  showAll: 'Alle zeigen',
  notAllowed: 'Mitglieder stellen Gelöschtes wieder her',
  notAllowedBody: 'Mit der Rolle „Betrachter“ kannst du lesen. Bitte ein Mitglied, etwas zurückzuholen.',
}
