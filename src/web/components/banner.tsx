import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'
import './banner.css'

type BannerProps = { icon?: IconName; late?: boolean; action?: ComponentChildren; children: ComponentChildren }

/** A line under the top bar: since when, what waits, and what can be tried. `late` when work may be lost. */
export function Banner({ icon = 'off', late, action, children }: BannerProps) {
  return (
    <div class={late ? 'banner late' : 'banner'} role="status">
      <Icon name={icon} />
      <span class="grow">{children}</span>
      {action}
    </div>
  )
}
