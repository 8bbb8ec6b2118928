import { de as checks } from '../../../lib/pure/checks/de.ts'
import type { Like } from '../../lib/texts/like.ts'
import { pluralOf } from '../../lib/texts/plural.ts'
import type { en } from './en.ts'

const { count } = pluralOf('de')

export const de: Like<typeof en> = {
  notAllowed: 'Wie es dem Server geht, sehen Inhaber',
  notAllowedBody: 'Prüfungen, Sicherungen und wer Bescheid bekommt sind für die Inhaber der Organisation.',
  failed: 'Wie es dem Server geht, konnte nicht geladen werden',
  again: 'Erneut versuchen',

  well: 'Alles ist gut',
  needs: (number) => (number === 1 ? '1 Sache braucht jemanden' : `${number} Sachen brauchen jemanden`),

  checksTitle: 'Prüfungen',
  checksBody: 'Der Server prüft sich jede Minute. Was er findet, steht auch in /readyz und in den Metriken.',
  checks,
  states: { pass: 'Gut', warn: 'Bitte ansehen', fail: 'Geht nicht', unknown: 'Nicht geprüft' },
  since: (when) => `seit ${when}`,
  unknownBody: 'Das wird geprüft, sobald wieder geht, was nicht geht.',
  passing: (number) => `${count(number, { one: 'Prüfung fand', other: 'Prüfungen fanden' })} nichts`,
  help: 'Was der Server sagt, ist englisch, wie in seinem Log und in den Befehlen, die er nennt.',

  backupsTitle: 'Sicherungen',
  at: (time, zone) => `Jede Nacht um ${time} (${zone}), mit einer Probe der Wiederherstellung jede Woche.`,
  off: 'Dieser Server macht keine Sicherungen: Er wurde mit --backup-at off gestartet.',
  reader: 'Dieser Server liest eine Kopie. Sicherungen macht sein Primärserver.',
  several:
    'Eine Sicherung umfasst alle Organisationen dieses Servers. Wer ihn betreibt, macht sie mit „dealbox backup“.',
  last: 'Letzte gute Sicherung',
  drill: 'Letzte Probe',
  none: 'noch keine',
  passed: 'bestanden',
  notPassed: 'misslungen',
  backupNow: 'Jetzt sichern',
  drillNow: 'Probe machen',
  drillHelp:
    'Die Probe stellt die neueste Sicherung in einem Ordner auf Zeit wieder her und öffnet sie. Kann dieser Server sie nicht entschlüsseln, macht er eine neue und probiert diese.',
  atWork: { backup: 'Sicherung läuft …', copy: 'Sicherung wird kopiert …', drill: 'Sicherung wird geprobt …' },
  doneBackup: 'Die Sicherung ist gemacht und geprüft',
  doneDrill: 'Die Probe ist bestanden: Die Sicherung lässt sich wiederherstellen',
  notDone: (why) => `Es ist misslungen. ${why}`,
  seeLog: 'Der Grund steht im Log des Servers.',

  toldTitle: 'Wer Bescheid bekommt',
  toldBody:
    'Wenn etwas jemanden braucht, höchstens einmal am Tag, solange es dauert, und einmal, wenn es wieder gut ist.',
  screen: 'Hinweis an Inhaber',
  mail: 'Mail',
  url: 'Aufruf einer URL',
  mailTo: {
    owners: 'an die Inhaber, über ein Postfach der Organisation',
    addresses: 'an die Adressen von --notify-mail',
    off: 'aus: Der Server wurde mit --notify-mail off gestartet',
    paused: 'nicht, solange diese wiederhergestellte Kopie nichts sendet',
  },
  urlIs: {
    on: (host) => `an ${host}`,
    off: 'keine gesetzt: siehe --notify-url',
    paused: 'nicht, solange diese wiederhergestellte Kopie nichts sendet',
  },
  urlHidden: 'eine ist gesetzt',
  never: 'noch war nichts zu melden',
  nobody: 'niemand bekam Bescheid: Es gibt kein Postfach',
  toldAt: (when) => `zuletzt gemeldet ${when}`,
  notTold: (when) => `misslungen ${when}, wird wieder versucht`,

  runsTitle: 'Die letzten fünfzig Läufe',
  kinds: { backup: 'Sicherung', copy: 'Kopie', drill: 'Probe' },
  copyTo: (place) => `Kopie nach ${place}`,
  byServer: 'vom Server',
  byCommand: 'mit „dealbox backup“',
  byMember: (who) => `von ${who}`,
  times: (number, since) => `${number}-mal seit ${since}`,
  good: 'Fertig',
  bad: 'Misslungen',
  noRuns: 'Noch ist kein Lauf bekannt',
  fewRuns: (number) =>
    `${count(number, { one: 'Lauf ist', other: 'Läufe sind' })} bekannt. Läufe von vor dieser Version oder von vor einer Wiederherstellung sind es nicht.`,
  what: 'Was',
  when: 'Wann',
  how: 'Ergebnis',
  took: 'Dauer',
  size: 'Größe',

  workTitle: 'Was der Server wiederholt',
  workBody: 'Wie es zuletzt ging. Die Namen sind die des Logs.',
  next: 'Nächstes Mal',
  noWork: 'Noch ist nichts gelaufen',
  failures: (number) => (number < 2 ? 'Misslungen' : `${number}-mal nacheinander misslungen`),
}
