import type { IconName } from './icon.tsx'

/** The kinds of records that have a page of their own. */
export type PageKind = 'deals' | 'contacts' | 'companies'

export type PageObject = 'deal' | 'contact' | 'company'

export const OBJECTS: Readonly<Record<PageKind, PageObject>> = {
  deals: 'deal',
  contacts: 'contact',
  companies: 'company',
}

export const ICONS: Readonly<Record<PageKind, IconName>> = { deals: 'deal', contacts: 'person', companies: 'firm' }

export const isPageKind = (kind: string): kind is PageKind => kind in OBJECTS
