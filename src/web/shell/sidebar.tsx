import { Avatar } from '../components/avatar.tsx'
import { Icon, type IconName } from '../components/icon.tsx'
import { Kbd } from '../components/kbd.tsx'
import { later, useLater } from '../components/later.tsx'
import { boot, me } from '../data/boot.ts'
import type { View } from '../data/types.ts'
import { format } from '../lib/locale.ts'
import type { NavGroup, ScreenEntry } from '../lib/router/types.ts'
import { path, query } from '../lib/router.ts'
import { Bell } from './bell.tsx'
import { commandHints, runCommand } from './commands/listen.ts'
import { ConnectionLine } from './connection-line.tsx'
import { type Count, countOf } from './counts.ts'
import { Logo } from './logo.tsx'
import { OrgMenu } from './org-menu.tsx'
import { texts } from './texts.ts'
import { useCounted } from './use-counted.ts'
import { viewCounts } from './view-counts.ts'
import { pinnedViews } from './views.ts'
import './sidebar.css'

/** Few ever see it, so that its file is not among the first. */
const Checklist = later(() => import('./checklist.tsx').then(({ Checklist }) => Checklist), { ahead: false })

const GROUPS: readonly NavGroup[] = ['day', 'records', 'more']

type SidebarProps = { entries: readonly ScreenEntry[]; isRail: boolean }

export function Sidebar({ entries, isRail }: SidebarProps) {
  const hints = commandHints('app.palette')
  const views = pinnedViews.value
  // The first steps come with all that opens later: the records that one came for are first.
  const isLater = useLater()
  useCounted(isLater && !isRail ? views : NONE)
  return (
    <nav class="side" aria-label={texts().main}>
      <OrgMenu>
        <Logo />
        {!isRail && (
          <span class="cut" dir="auto">
            {boot.value.org.name}
          </span>
        )}
        {!isRail && <Icon name="down" small class="mute" />}
      </OrgMenu>
      {isRail ? (
        <div class="nav">
          <button type="button" title={texts().search} aria-keyshortcuts={hints.aria} onClick={openPalette}>
            <Icon name="search" title={texts().search} />
          </button>
        </div>
      ) : (
        <button type="button" class="find" aria-keyshortcuts={hints.aria} onClick={openPalette}>
          <Icon name="search" small />
          <span class="grow cut">{texts().search}</span>
          {hints.keys && <Kbd keys={hints.keys} />}
        </button>
      )}
      <div class="places" data-scroll="places">
        {GROUPS.map((group) => (
          <NavLinks key={group} entries={entries.filter(({ nav }) => nav?.group === group)} isRail={isRail} />
        ))}
        {!isRail && views.length > 0 && (
          <>
            <h2>{texts().pinned}</h2>
            <div class="nav">
              {views.map((view) => (
                <NavLink
                  key={view.id}
                  href={view.href}
                  icon={view.icon}
                  label={view.name}
                  count={textOf(viewCounts.value.get(view.id))}
                  isHere={isViewHere(view.id)}
                />
              ))}
            </div>
          </>
        )}
      </div>
      {isLater && !isRail && boot.value.checklist !== null && me.value.role === 'owner' && <Checklist />}
      <div class="foot">
        <div class="nav">
          <NavLink
            href="/settings"
            icon="gear"
            label={texts().settings}
            isHere={path.value.startsWith('/settings')}
            isRail={isRail}
          />
        </div>
        <ConnectionLine isShort={isRail} />
        <div class="me">
          <a href="/settings/me" title={me.value.name}>
            <Avatar kind="member" id={me.value.id} name={me.value.name} />
            {isRail ? (
              <span class="sr">{me.value.name}</span>
            ) : (
              <span class="cut" dir="auto">
                {me.value.name}
              </span>
            )}
          </a>
          <Bell />
        </div>
      </div>
    </nav>
  )
}

const NONE: readonly View[] = []
const textOf = (count: number | undefined): Count | undefined =>
  count === undefined ? undefined : { text: format.value.number(count), isLate: false }

const openPalette = () => runCommand('app.palette')

const isViewHere = (id: string): boolean => query.value.get('view') === id

function NavLinks({ entries, isRail }: { entries: readonly ScreenEntry[]; isRail: boolean }) {
  if (entries.length === 0) return null
  return (
    <div class="nav">
      {entries.map(({ path: href, nav }) =>
        nav ? (
          <NavLink
            key={href}
            href={href}
            icon={nav.icon as IconName}
            label={nav.label()}
            count={countOf(href)}
            isHere={isWithin(path.value, href) && !query.value.has('view')}
            isRail={isRail}
          />
        ) : null,
      )}
    </div>
  )
}

/** A record belongs to the place of its list: `/deals/42` to Deals. */
const isWithin = (here: string, place: string): boolean => here === place || here.startsWith(`${place}/`)

type NavLinkProps = {
  href: string
  icon: IconName
  label: string
  isHere: boolean
  count?: Count | undefined
  isRail?: boolean
}

function NavLink({ href, icon, label, isHere, count, isRail = false }: NavLinkProps) {
  return (
    <a href={href} aria-current={isHere ? 'page' : undefined} title={isRail ? label : undefined}>
      <Icon name={icon} />
      <span class={isRail ? 'sr' : 'cut'}>{label}</span>
      {count && isRail && count.isLate && <span class="dot" />}
      {count && <span class={isRail ? 'sr' : count.isLate ? 'n late' : 'n'}>{count.text}</span>}
    </a>
  )
}
