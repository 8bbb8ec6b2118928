import type { Like } from '../../lib/texts/like.ts'
import type { en } from './en.ts'

export const de: Like<typeof en> = {
  keys: 'Tastenkürzel',
  make: (title, text) => `${title} „${text}“`,
  goTo: (place) => `Gehe zu ${place}`,
  undo: 'Letzte Änderung rückgängig machen',
  signOut: 'Abmelden',
  light: 'Helle Darstellung',
  dark: 'Dunkle Darstellung',
  system: 'Darstellung wie das System',
  reload: 'Seite neu laden',
}
