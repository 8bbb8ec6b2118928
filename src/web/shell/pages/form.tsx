import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Check } from '../../components/check.tsx'
import { Dialog } from '../../components/dialog.tsx'
import type { Field, Option } from '../../components/fields/field.ts'
import { FormField } from '../../components/fields/form-field.tsx'
import { draftsOf, useForm } from '../../components/fields/use-form.ts'
import { Icon } from '../../components/icon.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { Segmented } from '../../components/segmented.tsx'
import { BegunBefore, useBegun } from '../../components/typed/begun.tsx'
import { ApiProblem } from '../../data/api.ts'
import { t } from '../../lib/texts/texts.ts'
import './form.css'

/**
 * A field as records have them, or choices that are all in view: `buttons` for one of a few, `checks` for several, which
 * may stand in columns; `presets` choose many at once.
 */
export type Entry = Omit<Field, 'options'> & {
  options?: readonly (Option & { note?: string; column?: number })[]
  as?: 'buttons' | 'checks'
  presets?: readonly { label: string; values: readonly string[] }[]
  /** A password: dots, and never part of the draft. */
  isSecret?: boolean
}

type FormProps<Values> = {
  /** Under which what is typed is kept until it is saved. */
  name: string
  title: string
  entries: readonly Entry[]
  initial?: Partial<Values>
  /** The verb of its button. */
  verb: string
  working?: string
  /** What the server refuses of it is said at its field. */
  send: (values: Values) => Promise<unknown>
  onClose: () => void
  /** Over the page, instead of in it. */
  isDialog?: boolean
  /** Below the fields: a line of help. */
  children?: ComponentChildren
}

/** A form for a new thing. What is typed is kept as a draft; it is checked here first, and then by the server. */
export function Form<Values extends object>(props: FormProps<Values>) {
  const { name, title, entries, initial = {}, verb, working = t().saving, send, onClose, isDialog, children } = props
  const id = useId()
  const box = useRef<HTMLFormElement>(null)
  const kept = entries.filter(({ isSecret }) => !isSecret)
  const [start] = useState(() => draftsOf(kept, initial))
  const begun = useBegun(name, start)
  const form = useForm(kept, initial as Record<string, unknown>, begun)
  const secret = useForm(entries.filter(({ isSecret }) => isSecret))
  const [isWorking, setWorking] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  useEffect(() => {
    // It may come below a long list: as much of it as fits, and its first field in any case.
    if (!isDialog) box.current?.scrollIntoView({ block: 'center' })
    box.current?.querySelector<HTMLElement>('input, select, textarea')?.focus()
  }, [])

  async function save(event: Event): Promise<void> {
    event.preventDefault()
    const [secrets, values] = [secret.check(box.current), form.check(box.current)]
    if (!values || !secrets || isWorking) return
    setWorking(true)
    setFault(null)
    try {
      await send({ ...values, ...secrets } as Values)
      begun.clear()
      onClose()
    } catch (error) {
      setWorking(false)
      const found = errorsAt(error, entries)
      if (Object.keys(found).length > 0) for (const part of [secret, form]) part.setErrors(found, box.current)
      else setFault(sayWhy(error))
    }
  }

  const buttons = (
    <>
      <Button plain large onClick={onClose}>
        {t().cancel}
      </Button>
      <Button first={Boolean(isDialog)} type="submit" form={id} large working={isWorking ? working : undefined}>
        {verb}
      </Button>
    </>
  )
  const fields = (
    <form id={id} ref={box} class="page-form form" noValidate onSubmit={(event) => void save(event)}>
      {!isDialog && <h2>{title}</h2>}
      <div role="alert">
        {fault && (
          <p class="help late">
            <Icon name="alert" small />
            {fault}
          </p>
        )}
      </div>
      <BegunBefore form={begun.form} />
      {entries.map((entry) => {
        if (entry.isSecret) return <Secret key={entry.key} entry={entry} {...secret.of(entry)} />
        const props = form.of(entry)
        if (entry.as === undefined) return <FormField key={entry.key} {...props} />
        return <Choices key={entry.key} entry={entry} draft={props.draft} error={props.error} onDraft={props.onDraft} />
      })}
      {children && <p class="help">{children}</p>}
      {!isDialog && <div class="row ends">{buttons}</div>}
    </form>
  )
  if (!isDialog) return fields
  return (
    <Dialog title={title} onClose={onClose} footer={buttons}>
      {fields}
    </Dialog>
  )
}

type ChoicesProps = { entry: Entry; draft: unknown; error: string | undefined; onDraft: (draft: unknown) => void }

function Secret({ entry: { key, label, help_text }, draft, error, onDraft }: ChoicesProps) {
  const id = useId()
  return (
    <div data-field={key}>
      <label class="label" for={id}>
        {label}
      </label>
      <div class={error ? 'input is-bad' : 'input'}>
        <input
          id={id}
          class="bare"
          type="password"
          autocomplete="current-password"
          value={String(draft ?? '')}
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-note`}
          onInput={(event) => onDraft(event.currentTarget.value)}
        />
      </div>
      <Note id={`${id}-note`} error={error} help={help_text} />
    </div>
  )
}

/** Choices that are all in view, with what they mean. */
function Choices({
  entry: { key, label, as, options = [], presets = [], help_text },
  draft,
  error,
  onDraft,
}: ChoicesProps) {
  const chosen = [draft ?? []].flat() as string[]
  const toggle = (value: string, isOn: boolean) =>
    onDraft(options.map((each) => each.value).filter((each) => (each === value ? isOn : chosen.includes(each))))
  return (
    <div data-field={key}>
      <span class="label row">
        <span class="grow">{label}</span>
        {presets.map((preset) => (
          <button key={preset.label} type="button" class="link small" onClick={() => onDraft(preset.values)}>
            {preset.label}
          </button>
        ))}
      </span>
      {as === 'buttons' ? (
        <Segmented
          label={label}
          value={String(draft ?? '')}
          choices={options.map(({ value, label }) => ({ value, label }))}
          onChange={onDraft}
        />
      ) : (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset has a border of its own
        <div class="checks" role="group" aria-label={label}>
          {options.map(({ value, label, note, column }) => (
            <span key={value} style={{ '--column': column }}>
              <Check checked={chosen.includes(value)} onChange={(isOn) => toggle(value, isOn)}>
                {label} {note && <small>{note}</small>}
              </Check>
            </span>
          ))}
        </div>
      )}
      <Note error={error} help={as === 'buttons' ? options.find(({ value }) => value === draft)?.note : help_text} />
    </div>
  )
}

type NoteProps = { id?: string; error: string | undefined; help: string | null | undefined }

function Note({ id, error, help }: NoteProps) {
  if (!error)
    return help ? (
      <p class="help" id={id}>
        {help}
      </p>
    ) : null
  return (
    <p class="help late" role="alert" id={id}>
      <Icon name="alert" small />
      {error}
    </p>
  )
}

/** What a server refuses, by the key of the field: /email is that of "email", /scopes/0 that of "scopes". */
function errorsAt(error: unknown, entries: readonly Entry[]): Record<string, string> {
  const found = error instanceof ApiProblem ? error.errors : []
  return Object.fromEntries(
    found.flatMap(({ pointer, message }) => {
      const key = pointer.split('/')[1] ?? ''
      return entries.some((entry) => entry.key === key) ? [[key, message]] : []
    }),
  )
}
