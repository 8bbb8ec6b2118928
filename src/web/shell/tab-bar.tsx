import { useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from '../components/icon.tsx'
import { Menu } from '../components/menu.tsx'
import type { MenuGroup } from '../components/menu-items.ts'
import { newBuild } from '../data/connection.ts'
import type { ScreenEntry } from '../lib/router/types.ts'
import { navigate, path } from '../lib/router.ts'
import { runCommand } from './commands/listen.ts'
import { countOf } from './counts.ts'
import { newNotices } from './new-notices.ts'
import { orgMenu } from './org-menu.tsx'
import { texts } from './texts.ts'
import { pinnedViews } from './views.ts'
import './tab-bar.css'

/** What a thumb reaches first, in this order, as far as it exists. */
const FIRST = ['/inbox', '/tasks', '/deals', '/contacts']
const PLACES = 3

/** On a phone: three screens, search, and everything else behind "More". */
export function TabBar({ entries }: { entries: readonly ScreenEntry[] }) {
  const shown = FIRST.flatMap((address) => entries.filter((entry) => entry.path === address && entry.nav)).slice(
    0,
    PLACES,
  )
  const rest = entries.filter((entry) => entry.nav && !shown.includes(entry))
  return (
    <nav class="tabbar" aria-label={texts().main}>
      {shown.map(({ path: href, nav }) => {
        const count = countOf(href)
        const isHere = path.value === href || path.value.startsWith(`${href}/`)
        return (
          <a key={href} href={href} aria-current={isHere ? 'page' : undefined}>
            <span class="mark">
              <Icon name={(nav?.icon ?? 'list') as IconName} />
              {count?.isLate && <span class="dot" />}
            </span>
            {nav?.label()}
            {count && <span class="sr">{count.text}</span>}
          </a>
        )
      })}
      <button type="button" onClick={() => runCommand('app.palette')}>
        <span class="mark">
          <Icon name="search" />
        </span>
        {texts().searchShort}
      </button>
      <More entries={rest} />
    </nav>
  )
}

function More({ entries }: { entries: readonly ScreenEntry[] }) {
  const [isOpen, setOpen] = useState(false)
  const ref = useRef<HTMLButtonElement>(null)
  return (
    <>
      <button ref={ref} type="button" aria-haspopup="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="mark">
          <Icon name="more" />
          {newNotices.value > 0 && <span class="dot" />}
        </span>
        {texts().more}
      </button>
      {isOpen && ref.current && (
        <Menu anchor={ref.current} label={texts().more} groups={moreGroups(entries)} onClose={() => setOpen(false)} />
      )}
    </>
  )
}

function moreGroups(entries: readonly ScreenEntry[]): MenuGroup[] {
  const count = newNotices.value
  return [
    {
      items: [
        ...(newBuild.value
          ? [
              {
                label: `${texts().newVersion}, ${texts().reload}`,
                icon: 'undo' as const,
                onPick: () => location.reload(),
              },
            ]
          : []),
        {
          label: texts().notices,
          icon: 'bell' as const,
          end: count > 0 ? String(count) : undefined,
          onPick: () => void navigate('/notices'),
        },
        ...entries.map(({ path: href, nav }) => ({
          label: nav?.label() ?? href,
          icon: (nav?.icon ?? 'list') as IconName,
          end: countOf(href)?.text,
          onPick: () => void navigate(href),
        })),
      ],
    },
    {
      label: pinnedViews.value.length > 0 ? texts().pinned : undefined,
      items: pinnedViews.value.map((view) => ({
        label: view.name,
        icon: view.icon,
        onPick: () => void navigate(view.href),
      })),
    },
    { items: [{ label: texts().settings, icon: 'gear' as const, onPick: () => void navigate('/settings') }] },
    ...orgMenu(),
  ]
}
