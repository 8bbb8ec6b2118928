import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { IconButton } from '../../../components/button.tsx'
import { PickerPopover } from '../../../components/picker.tsx'
import { texts } from '../texts.ts'
import { Field } from './fields.tsx'
import { withVariable } from './variables.ts'

type VariableTextProps = {
  label: string
  help?: string
  value: string
  error: string | undefined
  variables: readonly string[]
  isLong?: boolean
  onValue: (value: string) => void
}

/** A text with variables: two braces, or the button, open the list of them. */
export function VariableText({ label, help, value, error, variables, isLong, onValue }: VariableTextProps) {
  const box = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const caret = useRef<{ from: number; to: number } | undefined>(undefined)
  const caretTo = useRef<number | undefined>(undefined)
  const words = texts()
  const field = () => box.current?.querySelector<HTMLInputElement | HTMLTextAreaElement>('input, textarea') ?? null

  useLayoutEffect(() => {
    const wanted = caretTo.current
    if (wanted === undefined) return
    caretTo.current = undefined
    const element = field()
    element?.focus()
    element?.setSelectionRange(wanted, wanted)
  })

  function typed(text: string, at: number): void {
    onValue(text)
    if (text.slice(0, at).endsWith('{{')) {
      caret.current = { from: at - 2, to: at }
      setOpen(true)
    }
  }

  function insert(name: string): void {
    const { from, to } = caret.current ?? { from: value.length, to: value.length }
    const put = withVariable(name)
    setOpen(false)
    caretTo.current = from + put.caret
    onValue(value.slice(0, from) + put.text + value.slice(to))
  }

  const common = {
    class: 'bare',
    dir: 'auto' as const,
    value,
    'aria-invalid': error ? true : undefined,
    onInput: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      typed(event.currentTarget.value, event.currentTarget.selectionStart ?? 0),
  }
  return (
    <Field label={label} error={error} {...(help ? { help } : {})}>
      {(id) => (
        <>
          <div ref={box} class={`${isLong ? 'area' : 'input'}${error ? ' is-bad' : ''}`}>
            {isLong ? <textarea id={id} rows={5} {...common} /> : <input id={id} {...common} />}
            <IconButton
              plain
              icon="plus"
              title={`${words.variables}: ${label}`}
              aria-haspopup="dialog"
              onClick={() => {
                const element = field()
                caret.current = {
                  from: element?.selectionStart ?? value.length,
                  to: element?.selectionEnd ?? value.length,
                }
                setOpen(true)
              }}
            />
          </div>
          {isOpen && box.current && (
            <PickerPopover
              anchor={box.current}
              label={words.variable}
              choices={variables.map((name) => ({ value: name, label: name }))}
              chosen={[]}
              onPick={({ value: name }) => insert(name)}
              onClose={() => setOpen(false)}
            />
          )}
        </>
      )}
    </Field>
  )
}
