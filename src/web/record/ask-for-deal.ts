import type { DealWith } from '../components/new-deal/new-deal.tsx'
import { opening } from '../lib/typed-ahead.ts'

/** Asks for a deal with a contact or a company; the code for it comes with the first use. */
export const askForDeal = async (given: DealWith): Promise<void> =>
  (await opening(import('../components/new-deal/new-deal.tsx'))).openNewDeal(given)
