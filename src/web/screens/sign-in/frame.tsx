import type { ComponentChildren } from 'preact'
import { State } from '../../components/state.tsx'
import { page } from '../../data/boot.ts'
import { Logo } from '../../shell/logo.tsx'
import { texts } from './texts.ts'
import './frame.css'

/** The frame of the pages without a session: the server at the left, the form at the right. */
export function Frame({ steps, children }: { steps?: ComponentChildren; children: ComponentChildren }) {
  return (
    <div class="lg">
      <aside aria-label={texts().aside}>
        <div class="top">
          <Logo />
          <b>Dealbox</b>
        </div>
        {steps}
        <div class="up">
          <dl>
            <dt>{texts().server}</dt>
            <dd class="cut" dir="auto">
              {location.host}
            </dd>
            <dt>{texts().version}</dt>
            <dd>{page.value?.version}</dd>
            <dt>{texts().state}</dt>
            <dd>
              <State is="good">{texts().running}</State>
            </dd>
          </dl>
        </div>
      </aside>
      <main>{children}</main>
    </div>
  )
}
