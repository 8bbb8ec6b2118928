import { later, useLater } from '../../components/later.tsx'
import { isPhone } from '../../lib/widths.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import { address, shape } from './deals-address.ts'

const ViewTabs = later(() => import('../../tables/views/view-tabs.tsx').then((module) => module.ViewTabs))

/** The saved views, above the filters as in all tables. Their line is there at once; they come after the deals. */
export function DealsViews() {
  const isLater = useLater()
  if (isPhone.value) return null
  return (
    <div class="views-place">
      {isLater && <ViewTabs object="deals" all={texts().allDeals} address={address.value} shape={shape.value} />}
    </div>
  )
}

export const toViews = (): void => document.querySelector<HTMLElement>('.views .tabs a')?.focus()
