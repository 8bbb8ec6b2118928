import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon, type IconName } from '../components/icon.tsx'
import { hasRole } from '../data/may.ts'
import { entries, path } from '../lib/router.ts'
import { Bar } from './bar.tsx'
import { texts as groupTexts } from './settings/texts.ts'
import { texts } from './texts.ts'
import './settings-frame.css'

const GROUPS = ['you', 'organisation', 'mail', 'machine'] as const

type SettingsFrameProps = {
  title: string
  summary?: ComponentChildren
  actions?: ComponentChildren
  /** One section a view: `sheet` gives the usual column. */
  children: ComponentChildren
}

/** The frame of every settings screen: the index at the left, one section in view. */
export function SettingsFrame({ title, summary, actions, children }: SettingsFrameProps) {
  const index = useRef<HTMLElement>(null)
  // On a phone the index is a line that is scrolled sideways.
  useEffect(() => {
    const line = index.current
    const here = line?.querySelector<HTMLElement>('[aria-current]')
    if (line && here) line.scrollLeft = here.offsetLeft - line.offsetLeft - (line.clientWidth - here.offsetWidth) / 2
  }, [])
  const shown = entries.value.filter(({ settings }) => settings && hasRole(settings.role))
  return (
    <>
      <Bar
        title={title}
        crumbs={[{ href: '/settings', label: texts().settings }]}
        summary={summary}
        actions={actions}
      />
      <div class="sx">
        <nav ref={index} class="sn" aria-label={texts().settings}>
          {GROUPS.map((group) => {
            const inGroup = shown.filter(({ settings }) => settings?.group === group)
            if (inGroup.length === 0) return null
            return (
              <>
                <h2 class="caption">{groupTexts().groups[group]}</h2>
                <div class="nav">
                  {inGroup.map((entry) => (
                    <a key={entry.path} href={entry.path} aria-current={path.value === entry.path ? 'page' : undefined}>
                      <Icon name={(entry.settings?.icon ?? 'gear') as IconName} />
                      {entry.title()}
                    </a>
                  ))}
                </div>
              </>
            )
          })}
        </nav>
        <div class="sv" data-scroll="settings">
          {children}
        </div>
      </div>
    </>
  )
}
