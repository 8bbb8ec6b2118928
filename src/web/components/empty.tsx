import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'
import './empty.css'

type EmptyProps = {
  icon?: IconName | undefined
  /** One line: "No contacts yet". */
  title: string
  /** One sentence or two on where things come from, or what to do. */
  children?: ComponentChildren
  actions?: ComponentChildren
  /** Small print, such as the number of the request that failed. */
  note?: ComponentChildren
}

/** What stands at the place of the first row when there is nothing to show: also for errors, "not found" and "not allowed". */
export function Empty({ icon, title, children, actions, note }: EmptyProps) {
  return (
    <div class="empty">
      {icon && <Icon name={icon} />}
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {actions && <div class="row">{actions}</div>}
      {note && <span class="small mute">{note}</span>}
    </div>
  )
}
