import type { Like } from '../../../lib/texts/like.ts'
import { pluralOf } from '../../../lib/texts/plural.ts'
import type { en } from './en.ts'

const { form } = pluralOf('de')

export const de: Like<typeof en> = {
  title: 'Textbausteine',
  insert: 'Textbaustein, ;',
  search: 'Textbausteine nach Titel und Text',
  edit: 'Textbausteine bearbeiten …',
  none: 'Noch ist keiner gespeichert. Speichere eine Antwort, die du oft gibst, und tippe ; in einer Antwort, um sie einzusetzen.',
  failed: 'Die Textbausteine konnten nicht geladen werden',
  add: 'Neuer Textbaustein',
  change: (title) => `„${title}“ ändern`,
  remove: (title) => `„${title}“ löschen`,
  removed: (title) => `„${title}“ ist gelöscht.`,
  name: 'Titel',
  text: 'Text',
  textHelp:
    'Variablen wie {{contact.first_name}} werden ersetzt. Was zwischen {{^contact.first_name}} und {{/contact.first_name}} steht, gilt, wo es keinen gibt.',
  whose: 'Wer ihn hat',
  everyone: 'Alle',
  onlyMe: 'Nur ich',
  create: 'Textbaustein speichern',
  save: 'Speichern',
  unfilled: (names, count) =>
    form(count, {
      one: `Nicht gesendet: Zu ${names} ist nichts bekannt. Schreib es selbst, oder nimm es heraus.`,
      other: `Nicht gesendet: Zu ${names} ist nichts bekannt. Schreib sie selbst, oder nimm sie heraus.`,
    }),
  close: 'Schließen',
}
