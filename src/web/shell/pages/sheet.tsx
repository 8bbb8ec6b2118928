import type { ComponentChildren } from 'preact'
import { SettingsFrame } from '../settings-frame.tsx'

type SheetProps = Parameters<typeof SettingsFrame>[0]

/** A page of settings that are no list: sections under each other. */
export function Sheet({ children, ...frame }: SheetProps) {
  return (
    <SettingsFrame {...frame}>
      <div class="sheet">{children}</div>
    </SettingsFrame>
  )
}

type SectionProps = { title?: string; text?: ComponentChildren; class?: string; children: ComponentChildren }

export function Section({ title, text, children, class: more }: SectionProps) {
  return (
    <section class={more}>
      {title !== undefined && <h2>{title}</h2>}
      {text !== undefined && <p class="dim">{text}</p>}
      {children}
    </section>
  )
}

/** One choice: what it is and does at the left, the control at the right. */
export function Setting({ label, help, children }: { label: string; help?: string; children: ComponentChildren }) {
  return (
    <div class="setting">
      <div>
        <span class="mid">{label}</span>
        {help && <p>{help}</p>}
      </div>
      <div>{children}</div>
    </div>
  )
}
