import type { ScreenEntry } from './lib/router/types.ts'
import { texts } from './shell/texts.ts'

/**
 * The list of screens: one line each, see docs/developing/screens.md. A folder below screens/ is the screen. Those of the
 * settings are in screens/settings.ts, which is loaded with the first of them.
 */
export const screens: readonly ScreenEntry[] = [
  {
    path: '/inbox',
    title: () => texts().places.inbox,
    nav: { group: 'day', icon: 'inbox', label: () => texts().places.inbox, key: 'i' },
    hasRail: true,
    load: () => import('./screens/inbox/inbox.tsx'),
  },
  {
    path: '/tasks',
    title: () => texts().places.tasks,
    nav: { group: 'day', icon: 'task', label: () => texts().places.tasks, key: 't' },
    load: () => import('./screens/tasks/tasks.tsx'),
  },
  {
    path: '/deals',
    title: () => texts().places.deals,
    nav: { group: 'records', icon: 'deal', label: () => texts().places.deals, key: 'd' },
    isStyled: true,
    load: () => import('./screens/deals/deals.tsx'),
  },
  { path: '/notices', title: () => texts().notices, load: () => import('./screens/notices/notices.tsx') },
  {
    path: '/contacts',
    title: () => texts().places.contacts,
    nav: { group: 'records', icon: 'person', label: () => texts().places.contacts, key: 'c' },
    load: () => import('./screens/records/contacts.tsx'),
  },
  {
    path: '/companies',
    title: () => texts().places.companies,
    nav: { group: 'records', icon: 'firm', label: () => texts().places.companies, key: 'o' },
    load: () => import('./screens/records/companies.tsx'),
  },
  { path: '/deals/:id', title: () => texts().places.deals, load: () => import('./screens/records/deal.tsx') },
  { path: '/contacts/:id', title: () => texts().places.contacts, load: () => import('./screens/records/contact.tsx') },
  {
    path: '/companies/:id',
    title: () => texts().places.companies,
    load: () => import('./screens/records/company.tsx'),
  },
  {
    path: '/lists',
    title: () => texts().places.lists,
    nav: { group: 'records', icon: 'list', label: () => texts().places.lists, key: 'l' },
    load: () => import('./screens/lists/lists.tsx'),
  },
  { path: '/lists/:id', title: () => texts().places.lists, load: () => import('./screens/lists/list.tsx') },
  {
    path: '/duplicates',
    title: () => texts().places.duplicates,
    load: () => import('./screens/duplicates/duplicates.tsx'),
  },
  {
    path: '/settings/:section',
    title: () => texts().places.settings,
    more: () => import('./screens/settings.ts').then(({ settings }) => settings),
  },
]

/** Addresses that stand for another one. */
export const homes: Readonly<Record<string, string>> = {
  '/':
    screens.find((screen) => screen.path === '/deals')?.path ?? screens.find(({ nav }) => nav)?.path ?? '/settings/me',
  '/settings': '/settings/me',
}
