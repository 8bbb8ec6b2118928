import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { texts } from './texts.ts'
import './fields.css'

// Plain fields of forms that are sent at once. The browser's password manager fills and keeps them.

type FieldProps = {
  label: string
  name: string
  type?: 'text' | 'email' | 'password'
  autocomplete: 'username' | 'current-password' | 'new-password' | 'one-time-code' | 'name' | 'organization' | 'off'
  autofocus?: boolean
  readOnly?: boolean
  onKey?: (event: KeyboardEvent) => void
  onLeave?: () => void
  value: string
  onValue: (value: string) => void
  /** What is wrong with it. */
  error?: ComponentChildren
  help?: ComponentChildren
  /** At the right end of the label. */
  aside?: ComponentChildren
  /** Inside the box, after the text. */
  end?: ComponentChildren
}

export function TextField({
  label,
  value,
  onValue,
  error,
  help,
  aside,
  end,
  onKey,
  onLeave,
  type = 'text',
  ...rest
}: FieldProps) {
  const id = useId()
  const hasNote = error !== undefined || (help !== undefined && help !== null)
  // The types of Preact part inputs by their type, and this one may have several.
  const input = {
    ...rest,
    type,
    id,
    value,
    autocapitalize: type === 'text' && rest.autocomplete !== 'one-time-code' ? undefined : 'none',
    spellcheck: false,
    'aria-invalid': error !== undefined || undefined,
    'aria-describedby': hasNote ? `${id}-note` : undefined,
    onInput: (event: { currentTarget: HTMLInputElement }) => onValue(event.currentTarget.value),
    onKeyDown: onKey,
    onKeyUp: onKey,
    onBlur: onLeave,
  } as InputHTMLAttributes<HTMLInputElement>
  return (
    <div class="form-field">
      <div class="line">
        <label for={id}>{label}</label>
        {aside}
      </div>
      <div class={error === undefined ? 'input holds' : 'input holds is-bad'}>
        <input {...input} />
        {end}
      </div>
      <div id={`${id}-note`} aria-live="polite">
        {error !== undefined && (
          <p class="help late">
            <Icon name="alert" small />
            {error}
          </p>
        )}
        {error === undefined && help && <p class="help">{help}</p>}
      </div>
    </div>
  )
}

/** Can be shown, and says when Caps Lock is on. */
export function PasswordField({ help, ...rest }: Omit<FieldProps, 'type' | 'end'>) {
  const [isShown, setShown] = useState(false)
  const [isCaps, setCaps] = useState(false)
  const watch = (event: KeyboardEvent) => setCaps(event.getModifierState?.('CapsLock') ?? false)
  return (
    <TextField
      {...rest}
      type={isShown ? 'text' : 'password'}
      help={isCaps ? texts().capsLock : help}
      onKey={watch}
      onLeave={() => setCaps(false)}
      end={
        <button
          type="button"
          title={isShown ? texts().hide : texts().show}
          aria-label={texts().show}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        >
          <Icon name={isShown ? 'hide' : 'eye'} />
        </button>
      }
    />
  )
}
