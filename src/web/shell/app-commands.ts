import { computed } from '@preact/signals'
import { undoShown } from '../components/toast.tsx'
import { hasRole, mayWrite } from '../data/may.ts'
import { urlOf } from '../lib/router/create.ts'
import type { ScreenEntry } from '../lib/router/types.ts'
import { entries, navigate, path, setQuery } from '../lib/router.ts'
import { openKeysPage, openPalette } from './commands/opened.ts'
import { type Command, register } from './commands/registry.ts'
import { texts } from './commands/texts.ts'
import { setTheme } from './org-menu.tsx'
import { signOut } from './sign-out.ts'
import { texts as shellTexts } from './texts.ts'
import { theme } from './theme.ts'

/** The commands that act everywhere; one goes to each screen that is known. */
export function registerAppCommands(): void {
  const going = computed(() => goCommands(entries.value))
  register(() => going.value)
  register([...MADE.map(makeCommand), ...APP_COMMANDS])
}

const goCommands = (entries: readonly ScreenEntry[]): Command[] =>
  entries
    .flatMap(({ path, title, words, nav, settings }): Command[] => [
      {
        id: `go${path.replaceAll('/', '.')}`,
        title: () => texts().goTo(title()),
        ...(words ? { words } : {}),
        group: 'go',
        where: 'anywhere',
        icon: nav?.icon ?? 'gear',
        ...(nav ? { keys: `g ${nav.key}` } : {}),
        when: () => hasRole(settings?.role),
        run: () => navigate(path),
      },
    ])
    .filter(({ id }) => !id.includes(':'))

/** What is made from anywhere: the letter after "c", and where its form is. */
const MADE = [
  { kind: 'deal', path: '/deals', key: 'd' },
  { kind: 'contact', path: '/contacts', key: 'p' },
  { kind: 'company', path: '/companies', key: 'o' },
  { kind: 'task', path: '/tasks', key: 't' },
] as const

/** Opens the form on its screen, begun with what was typed in the palette. A screen reads it as `new` of the address. */
function makeCommand({ kind, path: place, key }: (typeof MADE)[number]): Command {
  const title = () => shellTexts().make[kind]
  return {
    id: `app.new-${kind}`,
    title,
    titleWith: (text) => texts().make(title(), text),
    makes: place.slice(1),
    group: 'new',
    where: 'anywhere',
    keys: `c ${key}`,
    icon: 'plus',
    when: () => mayWrite(),
    run: ({ text = '' }) =>
      path.peek() === place ? setQuery({ new: text }) : navigate(urlOf(place, new URLSearchParams({ new: text }))),
  }
}

/** What the toast tells of, else my newest step. */
async function undo(): Promise<void> {
  if (!undoShown()) await (await import('./steps/take-back.ts')).takeBackNewest()
}

const APP_COMMANDS: readonly Command[] = [
  {
    id: 'app.new-note',
    title: () => shellTexts().make.note,
    group: 'new',
    where: 'anywhere',
    keys: 'c n',
    icon: 'note',
    isAlias: true,
    when: ({ targets }) => mayWrite() && targets?.ids.length === 1 && targets.kind !== 'tasks',
    run: ({ targets }) => targets && navigate(`/${targets.kind}/${targets.ids[0]}?compose=note`),
  },
  {
    id: 'app.palette',
    title: () => shellTexts().search,
    group: 'app',
    where: 'anywhere',
    keys: 'mod+k',
    icon: 'search',
    isInFields: true,
    isHidden: true,
    run: openPalette,
  },
  {
    id: 'app.keys',
    title: () => texts().keys,
    group: 'app',
    where: 'anywhere',
    keys: '?',
    icon: 'key',
    run: openKeysPage,
  },
  {
    id: 'app.undo',
    title: () => texts().undo,
    group: 'app',
    where: 'anywhere',
    keys: 'z',
    icon: 'undo',
    run: undo,
  },
  {
    id: 'app.undo-mod',
    title: () => texts().undo,
    group: 'app',
    where: 'anywhere',
    keys: 'mod+z',
    icon: 'undo',
    isAlias: true,
    run: undo,
  },
  ...(['light', 'dark', 'system'] as const).map(
    (each): Command => ({
      id: `app.theme-${each}`,
      title: () => texts()[each],
      words: () => shellTexts().theme,
      group: 'app',
      where: 'anywhere',
      icon: 'eye',
      when: () => theme.value !== each,
      run: () => setTheme(each),
    }),
  ),
  {
    id: 'app.sign-out',
    title: () => texts().signOut,
    group: 'app',
    where: 'anywhere',
    icon: 'right',
    run: signOut,
  },
]
