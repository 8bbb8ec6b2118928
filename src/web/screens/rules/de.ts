import type { Like } from '../../lib/texts/like.ts'
import { pluralOf } from '../../lib/texts/plural.ts'
import type { en } from './en.ts'

const { form } = pluralOf('de')

export const de: Like<typeof en> = {
  summary: 'Was mit Mails geschieht, die eintreffen',
  intro:
    'Alle werden bei jeder Mail von oben nach unten versucht; die erste, die etwas über Besitzer, Priorität oder Antwort sagt, entscheidet. Sie stehen im Einstellungsdokument: Wer den Server betreut, ändert sie mit „dealbox settings“.',
  none: 'Noch keine Regeln',
  noneBody:
    'Eine Regel gibt Mails an jemanden, taggt sie, setzt ihre Priorität, beantwortet oder schließt sie. Regeln stehen im Einstellungsdokument und gelten nach „dealbox settings apply“.',
  failed: 'Die Regeln konnten nicht geladen werden',
  off: 'aus',
  when: {
    any: 'Jede Mail',
    mail: 'Eine Mail',
    mailbox: (key) => `an ${key}`,
    from: (who) => `von ${who}`,
    subject: (words) => `mit „${words}“ im Betreff`,
    text: (words) => `mit „${words}“ im Text`,
    new: 'von einem neuen Absender',
    known: 'von einem bekannten Absender',
  },
  does: {
    assign: (name) => `geht an ${name}`,
    tags: (names) => `bekommt die Tags ${names}`,
    priority: (name) => `bekommt die Priorität ${name}`,
    answer: 'wird mit dem Text unten beantwortet',
    close: 'wird geschlossen',
  },
  sentence: (when, does) => `${when} ${does}.`,
  fits: (count, looked) =>
    form(count, {
      one: `Passt auf 1 der letzten ${looked} Mails`,
      other: `Passt auf ${count} der letzten ${looked} Mails`,
    }),
  fitsNone: (looked) => `Passt auf keine der letzten ${looked} Mails`,
  silences: {
    no_contact: 'ohne Antwort: kein Absender',
    automatic: 'ohne Antwort: von einer Maschine',
    list: 'ohne Antwort: von einer Liste',
    ours: 'ohne Antwort: einer von uns',
    no_reply: 'ohne Antwort: die Adresse liest niemand',
    no_return_path: 'ohne Antwort: kein Rückweg',
    doubtful: 'ohne Antwort: Absender vielleicht gefälscht',
    often: 'ohne Antwort: hatte schon eine',
  },
}
