import { opening } from '../../lib/typed-ahead.ts'
import type { DealWith } from '../new-deal/new-deal.tsx'

/** Asks for a deal with a contact or a company; the code for it comes with the first use. */
export const askForDeal = async (given: DealWith): Promise<void> =>
  (await opening(import('../new-deal/new-deal.tsx'))).openNewDeal(given)
