import type { Like } from '../../../lib/texts/like.ts'
import type { en } from './held-en.ts'

const outcomes = { won: 'gewonnen', lost: 'verloren' }

export const de: Like<typeof en> = {
  someone: 'Jemand',
  company: 'Firma',
  none: 'keine',
  moved: (who, from, to) => `${who} hat ihn von ${from} nach ${to} verschoben`,
  changed: (who, field, from, to) => `${who} hat ${field} geändert: ${from} → ${to}`,
  closed: (who, outcome) => `${who} hat ihn als ${outcomes[outcome]} abgeschlossen`,
  deleted: (who) => `${who} hat ihn gelöscht`,
  of: (title, line) => `${title}: ${line}`,
  more: (number) => `und ${number} weitere`,
  title: (title) => `„${title}“ hat sich inzwischen geändert`,
  titleMany: (number) => `${number} dieser Deals haben sich inzwischen geändert`,
  yours: (target) => `Du hast ${target} gewählt.`,
  keep: 'So lassen',
  move: (stage) => `Nach ${stage} verschieben`,
  close: (outcome) => `Als ${outcomes[outcome]} abschließen`,
  refused: (title, line) => `${title} bleibt, wie er ist. ${line}.`,
}
