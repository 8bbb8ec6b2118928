import type { ScreenEntry } from '../lib/router/types.ts'
import { texts } from '../shell/settings/texts.ts'

/** The sections of the settings, in the order of their index. */
export const settings: readonly ScreenEntry[] = [
  {
    path: '/settings/me',
    title: () => texts().me,
    settings: { group: 'you', icon: 'person' },
    load: () => import('./settings-me/settings-me.tsx'),
  },
  {
    path: '/settings/sign-in',
    title: () => texts().signIn,
    settings: { group: 'you', icon: 'key' },
    load: () => import('./settings-me/sign-in-settings.tsx'),
  },
  {
    path: '/settings/sessions',
    title: () => texts().sessions,
    settings: { group: 'you', icon: 'screen' },
    load: () => import('./settings-me/sessions.tsx'),
  },
  {
    path: '/settings/changes',
    title: () => texts().changes,
    settings: { group: 'you', icon: 'undo', role: 'member' },
    load: () => import('./changes/changes.tsx'),
  },
  {
    path: '/settings/members',
    title: () => texts().members,
    settings: { group: 'organisation', icon: 'useradd' },
    load: () => import('./members/members.tsx'),
  },
  {
    path: '/settings/bin',
    title: () => texts().bin,
    words: () => texts().binWords,
    settings: { group: 'organisation', icon: 'trash', role: 'member' },
    load: () => import('./bin/bin.tsx'),
  },
  {
    path: '/settings/rules',
    title: () => texts().rules,
    words: () => texts().rulesWords,
    settings: { group: 'mail', icon: 'filter' },
    load: () => import('./rules/rules.tsx'),
  },
  {
    path: '/settings/satisfaction',
    title: () => texts().satisfaction,
    settings: { group: 'mail', icon: 'flag' },
    load: () => import('./satisfaction/satisfaction.tsx'),
  },
  {
    path: '/settings/operation',
    title: () => texts().operation,
    settings: { group: 'machine', icon: 'server', role: 'owner' },
    load: () => import('./operation/operation.tsx'),
  },
  {
    path: '/settings/tokens',
    title: () => texts().tokens,
    settings: { group: 'machine', icon: 'plug', role: 'admin' },
    load: () => import('./tokens/tokens.tsx'),
  },
]
