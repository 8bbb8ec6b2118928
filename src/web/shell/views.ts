import { computed } from '@preact/signals'
import type { IconName } from '../components/icon.tsx'
import { boot } from '../data/boot.ts'
import type { View } from '../data/types.ts'

const ICONS: Record<View['object'], IconName> = {
  deals: 'deal',
  contacts: 'person',
  companies: 'firm',
  tasks: 'task',
  conversations: 'inbox',
}

/** The saved views that the member pinned, in their order. Their screen reads filters, sort order and columns from the address. */
export const pinnedViews = computed(() =>
  boot.value.views
    .filter(({ is_pinned }) => is_pinned)
    .sort((one, other) => one.position - other.position)
    .map((view) => ({
      ...view,
      icon: ICONS[view.object],
      href: `/${view.object === 'conversations' ? 'inbox' : view.object}?view=${view.id}`,
    })),
)
