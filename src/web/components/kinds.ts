import type { IconName } from './icon.tsx'

/** The kinds of records that have a page of their own. */
export type PageKind = 'deals' | 'contacts' | 'companies'

export const ICONS: Readonly<Record<PageKind, IconName>> = { deals: 'deal', contacts: 'person', companies: 'firm' }

export const isPageKind = (kind: string): kind is PageKind => kind in ICONS

/** Those that can be merged. */
export const isMergeable = (kind: PageKind): kind is 'contacts' | 'companies' => kind !== 'deals'
