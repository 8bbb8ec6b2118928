import type { Like } from '../../../lib/texts/like.ts'
import type { en } from './refused-en.ts'

export const de: Like<typeof en> = {
  conflictStage: (who, theirs, mine) => `${who} hat ihn nach ${theirs} verschoben. Du hast ${mine} gewählt.`,
  conflictOther: (who, field) => `${who} hat inzwischen das Feld ${field} geändert.`,
  notSaved: 'Nicht gespeichert.',
  useMine: 'Meins nehmen',
  useTheirs: (who) => `Das von ${who} nehmen`,
  someone: 'Jemand anderes',
}
