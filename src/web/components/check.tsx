import type { ComponentChildren } from 'preact'
import './check.css'

type CheckProps = {
  checked: boolean
  /** Some of what it stands for is chosen, not all. */
  some?: boolean | undefined
  onChange: (checked: boolean) => void
  /** Its name, where no word stands beside it. */
  title?: string | undefined
  /** The words beside it, which can be pressed too. */
  children?: ComponentChildren
  /** For "done" of a task. */
  round?: boolean | undefined
  disabled?: boolean | undefined
  id?: string | undefined
  tabIndex?: number | undefined
}

export function Check({ checked, some, onChange, title, children, round, ...rest }: CheckProps) {
  const box = (
    <input
      {...rest}
      type="checkbox"
      class={round ? 'check round' : 'check'}
      checked={checked}
      indeterminate={Boolean(some)}
      title={title}
      aria-label={title}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
  return children ? <Beside box={box}>{children}</Beside> : box
}

/** For a setting that takes effect at once; a choice that is sent with a form is a check. */
export function Switch({ checked, onChange, title, children, ...rest }: Omit<CheckProps, 'some' | 'round'>) {
  const box = (
    <input
      {...rest}
      type="checkbox"
      role="switch"
      aria-checked={checked}
      class="switch"
      checked={checked}
      title={title}
      aria-label={title}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
  return children ? <Beside box={box}>{children}</Beside> : box
}

function Beside({ box, children }: { box: ComponentChildren; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the box is the control
    <label class="checked">
      {box}
      <span>{children}</span>
    </label>
  )
}
