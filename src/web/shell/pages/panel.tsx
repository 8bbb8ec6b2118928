import type { ComponentChildren } from 'preact'
import { Avatar } from '../../components/avatar.tsx'
import { IconButton } from '../../components/button.tsx'
import { setQuery } from '../../lib/router.ts'
import { words } from '../../lib/texts/words/texts.ts'

type PanelProps = {
  name: string
  /** What is said below the name. */
  below?: ComponentChildren
  avatar?: { kind: 'member' | 'contact' | 'nobody'; id?: string } | undefined
  /** The name in the address that opened it: closing takes it out. */
  by: string
  children: ComponentChildren
}

/** The row that is open: who or what it is, and its parts. */
export function Panel({ name, below, avatar, by, children }: PanelProps) {
  return (
    <aside class="pn" aria-label={name}>
      <section class="part stack strip">
        <div class="row head">
          {avatar && <Avatar {...avatar} name={name} size={40} />}
          <div class="grow">
            <h2>{name}</h2>
            <p class="dim" dir="auto">
              {below}
            </p>
          </div>
          <IconButton plain icon="x" title={words().closePanel} onClick={() => void setQuery({ [by]: null })} />
        </div>
      </section>
      {children}
    </aside>
  )
}

type PartProps = {
  title?: ComponentChildren
  count?: number | undefined
  actions?: ComponentChildren
  children: ComponentChildren
}

export function Part({ title, count, actions, children }: PartProps) {
  const heading = title !== undefined && (
    <h3 class="grow">
      {title} {count !== undefined && <span class="n mute small">{count}</span>}
    </h3>
  )
  return (
    <section class="part stack strip">
      {actions ? (
        <div class="row">
          {heading}
          {actions}
        </div>
      ) : (
        heading
      )}
      {children}
    </section>
  )
}

type RadiosProps<Value extends string> = {
  label: string
  value: Value
  choices: readonly { value: Value; label: string; note: string }[]
  off?: boolean
  onPick: (value: Value) => void
}

/** One of a few that need a line to be understood. */
export function Radios<Value extends string>({ label, value, choices, off, onPick }: RadiosProps<Value>) {
  return (
    <div role="radiogroup" aria-label={label}>
      {choices.map((each) => (
        <label key={each.value} class={each.value === value ? 'rl on' : 'rl'}>
          <input
            type="radio"
            name={label}
            checked={each.value === value}
            disabled={off}
            onChange={() => onPick(each.value)}
          />
          <span>
            <b class="mid">{each.label}</b>
            <small>{each.note}</small>
          </span>
        </label>
      ))}
    </div>
  )
}
