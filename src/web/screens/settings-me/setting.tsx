import type { ComponentChildren } from 'preact'

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
