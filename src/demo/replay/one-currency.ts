import type { Step } from '../story/steps.ts'
import { COUNTRIES } from '../words/names.ts'

/** Units per euro, as the story has them. */
const RATES = new Map(COUNTRIES.map(({ currency, rate }) => [currency, rate]))
const MAX_AMOUNT = 9e12

type Priced = { currency: string | null }

/**
 * The same story with all amounts in one currency: sums of an organisation that begins with sample data are in its own. A
 * currency of which the story knows no rate counts as the euro.
 */
export function* inOneCurrency(steps: Iterable<Step>, currency: string): Generator<Step, void> {
  const rate = RATES.get(currency) ?? 1
  const converted = (amount: number | null, { currency: from }: Priced): number | null => {
    if (amount === null || from === null || from === currency) return amount
    return Math.min(MAX_AMOUNT, rounded((amount * rate) / (RATES.get(from) ?? 1)))
  }
  for (const step of steps) {
    if (step.do === 'company') {
      const { given } = step
      const annual_revenue = converted(given.annual_revenue, given)
      yield { ...step, given: { ...given, annual_revenue, currency } }
    } else if (step.do === 'deal' && step.given.currency !== null) {
      yield { ...step, given: { ...step.given, amount: converted(step.given.amount, step.given), currency } }
    } else if (step.do === 'change' && 'amount' in step.given) {
      yield { ...step, given: { amount: converted(step.given.amount, step.given) as number, currency } }
    } else yield step
  }
}

/** Three digits, as prices are. */
const rounded = (amount: number): number => Number(amount.toPrecision(3))
