import { computed } from '@preact/signals'
import type { IconName } from '../components/icon.tsx'
import { boot } from '../data/boot.ts'

const ICONS: Record<string, IconName> = { deals: 'deal', contacts: 'person', companies: 'firm', tasks: 'task' }

/** The saved views that the member pinned, in their order. */
export const pinnedViews = computed(() =>
  boot.value.views
    .filter(({ is_pinned }) => is_pinned)
    .sort((one, other) => one.position - other.position)
    .map((view) => ({ ...view, icon: ICONS[view.object] ?? 'list' })),
)

/** The address of a saved view: its screen reads filters, sort order and columns from it. */
export const addressOf = (view: { id: string; object: string }): string =>
  `/${view.object}?view=${encodeURIComponent(view.id)}`
