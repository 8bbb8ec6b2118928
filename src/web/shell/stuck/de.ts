import type { Like } from '../../lib/texts/like.ts'
import type { en } from './en.ts'

const named = (what: string, name: string) => (name === '' ? `${what}.` : `${what}: „${name}“.`)

export const de: Like<typeof en> = {
  what: {
    create: (name) => named('Nicht angelegt', name),
    patch: (name) => named('Eine Änderung ist nicht gespeichert', name),
    act: (name) => named('Eine Änderung ist nicht gespeichert', name),
    remove: (name) => named('Nicht gelöscht', name),
  },
  alone: 'Andere Änderungen kommen durch. Warum diese nicht, weiß, wer diesen Server betreibt.',
  old: (when) =>
    `Es wurde gesendet (${when}), doch es kam keine Antwort: Vielleicht ist es schon da. Sieh nach, bevor du es noch einmal versuchst.`,
  tryAgain: 'Noch einmal versuchen',
  discard: 'Verwerfen',
  draft: (name) => named('Ein angefangener Text', name),
  leave: {
    title: 'Abmelden und das hier verlieren?',
    body: 'Es konnte nicht gespeichert werden. Wenn du dich abmeldest, bleibt in diesem Browser nichts von dir.',
    more: (count) => `und ${count} mehr`,
    stay: 'Bleiben',
    verb: 'Abmelden und verlieren',
  },
}
