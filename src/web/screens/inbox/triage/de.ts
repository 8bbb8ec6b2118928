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
  moved: (count: number, number: string) => `${conversations(count, number)} verschoben`,
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
    spam: 'Als Spam markiert. Weitere Mails dieses Absenders kommen zu Spam.',
    released: (email) => `${email} ist kein Spam mehr`,
    mailbox: (name: string) => `Nach ${name} verschoben`,
    merged: (number) => `Mit Nr. ${number} zusammengeführt`,
    split: (number) => `Als Nr. ${number} abgetrennt`,
  },
  more: 'Mehr',
  merge: 'Mit einer anderen Unterhaltung zusammenführen',
  mergeLabel: 'Unterhaltung suchen, die bleibt',
  split: 'Als eigene Unterhaltung abtrennen',
  mailbox: 'In ein anderes Postfach verschieben',
  mailboxLabel: 'Verschieben nach',
  notMoved: 'Nichts wurde verschoben',
  movedTo: (name: string, by: string) => `Nach ${name} verschoben${by ? ` von ${by}` : ''}`,
  movedLines: {
    merged: (number, by) => `Mit Nr. ${number} zusammengeführt${by ? ` von ${by}` : ''}`,
    merged_in: (number, by) => `Nr. ${number} kam hinzu, zusammengeführt${by ? ` von ${by}` : ''}`,
    split_off: (number, by) => `Eine Nachricht wurde als Nr. ${number} abgetrennt${by ? ` von ${by}` : ''}`,
    split_from: (number, by) => `Abgetrennt von Nr. ${number}${by ? ` von ${by}` : ''}`,
  },
  spam: {
    mark: 'Als Spam markieren',
    senders: 'Wessen Mails hierher kommen',
    listed: (time, by) => `eingetragen ${time}${by ? ` von ${by}` : ''}`,
    held: (count, number, last) =>
      count === 0
        ? 'keine Mail seither'
        : form(count, { one: `1 Mail seither, ${last}`, other: `${number} Mails seither, die letzte ${last}` }),
    release: 'Kein Spam',
    releaseOne: (email) => `Kein Spam: ${email}`,
    notMarked: 'Das wurde nicht als Spam markiert',
    notReleased: 'Der Absender ist noch eingetragen',
    ask: 'Diesen Absender als Spam markieren?',
    asks: {
      confirm_open_deal:
        'Mit diesem Kontakt gibt es einen offenen Deal. Seine weiteren Mails kämen ohne Meldung zu Spam.',
      confirm_own_domain: 'Diese Adresse ist von der eigenen Domain. Ihre weiteren Mails kämen ohne Meldung zu Spam.',
    },
    answers: { keep: 'Abbrechen', verb: 'Als Spam markieren' },
  },
  openOther: (number) => `Nr. ${number} öffnen`,
}
