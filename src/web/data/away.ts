import { format } from '../lib/locale.ts'
import { now } from '../lib/now.ts'
import { t } from '../lib/texts/texts.ts'
import { boot } from './boot.ts'

/** "away until 3 Dec", where somebody is picked; undefined for who is here. */
export function awayNote(id: string): string | undefined {
  const date = boot.value.away[id]
  return date && t().awayUntil(format.value.day(date, now.value))
}
