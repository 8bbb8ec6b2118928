import { useId } from 'preact/hooks'
import { t } from '../../lib/texts/texts.ts'
import { Icon } from '../icon.tsx'
import type { Draft, Field } from './field.ts'
import { kindOf, readAs } from './field-types.ts'
import './form-field.css'
import { fieldTexts } from './texts.ts'

export type FormFieldProps = {
  field: Field
  draft: Draft
  onDraft: (draft: Draft) => void
  onLeave?: (() => void) | undefined
  error?: string | undefined
  class?: string | undefined
}

/** A field of a form: label, control, help, and what is wrong with it. `useForm` makes the props. */
export function FormField({ field, draft, onDraft, onLeave, error, class: more }: FormFieldProps) {
  const id = useId()
  const { Edit, layout } = kindOf(field.type)
  const help = field.help_text
  const read = field.off === undefined ? readAs(draft, field) : undefined
  const describedBy = [error && `${id}-error`, help && `${id}-help`].filter(Boolean).join(' ') || undefined
  const frame = layout === 'panel' ? '' : `${layout === 'block' ? 'area' : 'input'}${error ? ' is-bad' : ''}`
  return (
    <div
      class={more ? `field ${more}` : 'field'}
      data-field={field.key}
      onFocusOut={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) onLeave?.()
      }}
    >
      <label class="label" for={id}>
        {field.label}
        {!field.is_required && (
          <span class="optional">
            <span class="sr">, </span>
            {t().optional}
          </span>
        )}
      </label>
      {field.off === undefined ? (
        <div class={frame}>
          <Edit
            field={field}
            draft={draft}
            onDraft={onDraft}
            onDone={onDraft}
            id={id}
            describedBy={describedBy}
            invalid={error !== undefined}
            where="form"
          />
        </div>
      ) : (
        <div class="input is-off">{field.off}</div>
      )}
      {error && (
        <p class="help late" id={`${id}-error`}>
          <Icon name="alert" small />
          {error}
        </p>
      )}
      {read !== undefined && !error && (
        <p class="help" role="status">
          {fieldTexts().readAs(read)}
        </p>
      )}
      {help && (
        <p class="help" id={`${id}-help`}>
          {help}
        </p>
      )}
    </div>
  )
}
