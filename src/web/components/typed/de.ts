import type { Like } from '../../lib/texts/like.ts'
import type { en } from './en.ts'

export const de: Like<typeof en> = {
  begunBefore: 'Das hattest du angefangen.',
  beginAnew: 'Neu anfangen',
  keptAsDraft: 'Als Entwurf aufgehoben',
  throwAway: 'Verwerfen',
  thrownAway: 'Entwurf verworfen',
  tooLong: (letters, fit, over) => `${letters} Zeichen, und ${fit} passen: nimm ${over} weg`,
}
