import type { NavGroup, ScreenEntry, ScreenModule } from './lib/router/types.ts'
import { texts } from './shell/texts.ts'

type Word = keyof ReturnType<typeof texts>['places']

/** A screen whose title is a word of the frame; with a group it stands in the sidebar. Short, since it comes with the first load. */
function at(
  path: string,
  word: Word,
  load: () => Promise<ScreenModule>,
  group?: NavGroup,
  icon = '',
  key = '',
): ScreenEntry {
  const title = () => texts().places[word]
  return { path, title, load, ...(group && { nav: { group, icon, label: title, key } }) }
}

/**
 * The list of screens: one line each, see docs/developing/screens.md. A folder below screens/ is the screen. Those of the
 * settings are in screens/settings.ts, which is loaded with the first of them.
 */
export const screens: readonly ScreenEntry[] = [
  { ...at('/inbox', 'inbox', () => import('./screens/inbox/inbox.tsx'), 'day', 'inbox', 'i'), hasRail: true },
  at('/tasks', 'tasks', () => import('./screens/tasks/tasks.tsx'), 'day', 'task', 't'),
  at('/meetings', 'meetings', () => import('./screens/meetings/meetings.tsx'), 'day', 'cal', 'm'),
  at('/meetings/:id', 'meetings', () => import('./screens/meetings/meeting.tsx')),
  { ...at('/deals', 'deals', () => import('./screens/deals/deals.tsx'), 'records', 'deal', 'd'), isStyled: true },
  { path: '/notices', title: () => texts().notices, load: () => import('./screens/notices/notices.tsx') },
  at('/contacts', 'contacts', () => import('./screens/records/contacts.tsx'), 'records', 'person', 'c'),
  at('/companies', 'companies', () => import('./screens/records/companies.tsx'), 'records', 'firm', 'o'),
  at('/deals/:id', 'deals', () => import('./screens/records/deal.tsx')),
  at('/contacts/:id', 'contacts', () => import('./screens/records/contact.tsx')),
  at('/companies/:id', 'companies', () => import('./screens/records/company.tsx')),
  at('/lists', 'lists', () => import('./screens/lists/lists.tsx'), 'records', 'list', 'l'),
  at('/lists/:id', 'lists', () => import('./screens/lists/list.tsx')),
  at('/duplicates', 'duplicates', () => import('./screens/duplicates/duplicates.tsx')),
  at('/sequences', 'sequences', () => import('./screens/sequences/sequences.tsx'), 'more', 'seq', 's'),
  at('/sequences/:id', 'sequences', () => import('./screens/sequences/sequence.tsx')),
  at('/reports', 'reports', () => import('./screens/reports/reports.tsx'), 'more', 'chart', 'r'),
  at('/reports/:name', 'reports', () => import('./screens/reports/report.tsx')),
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
