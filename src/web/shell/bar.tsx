import type { ComponentChildren } from 'preact'
import { IconButton } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { goBack } from '../lib/router.ts'
import { isPhone } from '../lib/widths.ts'
import { texts } from './texts.ts'
import './bar.css'

type BarProps = {
  title: ComponentChildren
  /** Where one comes from: on a phone the last of them is the arrow back. */
  crumbs?: readonly { href: string; label: string }[]
  /** Right of the title: switches of pipeline and shape. */
  children?: ComponentChildren
  /** A few quiet words, such as "5 active, 1 invited". */
  summary?: ComponentChildren
  /** At the right end, the filled button last. */
  actions?: ComponentChildren
}

/** The top line of a screen, with its heading. */
export function Bar({ title, crumbs = [], children, summary, actions }: BarProps) {
  const back = isPhone.value ? crumbs.at(-1) : undefined
  return (
    <header class="bar row strip">
      {back && <IconButton plain icon="left" title={back.label} onClick={() => goBack(back.href)} />}
      {!back && crumbs.length > 0 && (
        <nav class="crumb row" aria-label={texts().path}>
          {crumbs.map(({ href, label }) => (
            <>
              <a href={href}>{label}</a>
              <Icon name="right" small />
            </>
          ))}
        </nav>
      )}
      <div class="title row">
        <h1 class="cut" dir="auto">
          {title}
        </h1>
        {children}
        {summary !== undefined && (
          <span class="summary cut" dir="auto">
            {summary}
          </span>
        )}
      </div>
      <div class="ends row end">{actions}</div>
    </header>
  )
}
