import type { Like } from '../../texts/texts.ts'
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
  tryAgain: 'Noch einmal versuchen',
  discard: 'Verwerfen',
}
