import type { ButtonHTMLAttributes, ComponentChildren, Ref } from 'preact'
import { Icon, type IconName } from './icon.tsx'
import { Spinner } from './spinner.tsx'
import './button.css'

export type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'disabled' | 'class' | 'ref'> & {
  /** The filled one, at most one in a view. */
  first?: boolean | undefined
  plain?: boolean | undefined
  /** Red; together with `first` filled, as the last word in a dialog only. */
  danger?: boolean | undefined
  /** 32 px high, for dialogs and forms. */
  large?: boolean | undefined
  wide?: boolean | undefined
  icon?: IconName | undefined
  /** The key that does the same, as it is shown: "N", "Ctrl K". */
  keys?: string | undefined
  /** What it is doing, such as "Saving…": stands in place of the label, and nothing can be pressed. */
  working?: string | undefined
  /** Why it cannot be pressed. It stays readable and says so on hover. */
  off?: string | undefined
  class?: string | undefined
  children?: ComponentChildren
  ref?: Ref<HTMLButtonElement>
}

export function Button(props: ButtonProps) {
  const { first, plain, danger, large, wide, icon, keys, working, off, class: more, children, ...rest } = props
  const isOff = off !== undefined || working !== undefined
  const names = ['btn', first && 'first', plain && 'plain', danger && 'danger', large && 'l', wide && 'wide', more]
  const label = (
    <>
      {icon && <Icon name={icon} small={plain || danger} />}
      {children}
      {keys && <span class="k">{keys}</span>}
    </>
  )
  return (
    <button
      type="button"
      {...rest}
      class={names.filter(Boolean).join(' ')}
      aria-disabled={isOff || undefined}
      aria-busy={working !== undefined || undefined}
      title={off ?? rest.title}
      onClick={isOff ? (event) => event.preventDefault() : rest.onClick}
    >
      {working === undefined ? label : <Working label={label} text={working} />}
    </button>
  )
}

function Working({ label, text }: { label: ComponentChildren; text: string }) {
  return (
    <span class="keeps">
      <span class="was" aria-hidden="true">
        {label}
      </span>
      <span class="working">
        <Spinner />
        {text}
      </span>
    </span>
  )
}

/** A button that is an icon alone, for meanings that every user meets daily: its title is its name. */
export function IconButton(
  props: Omit<ButtonProps, 'icon' | 'title' | 'children'> & { icon: IconName; title: string },
) {
  const { icon, title, class: more = '', ...rest } = props
  return (
    <Button {...rest} title={title} aria-label={title} class={`icon ${more}`}>
      <Icon name={icon} />
    </Button>
  )
}
