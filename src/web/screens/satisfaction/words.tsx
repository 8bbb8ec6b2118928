import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import type { Field } from '../../components/fields/field.ts'
import { FormField } from '../../components/fields/form-field.tsx'
import { draftsOf, useForm } from '../../components/fields/use-form.ts'
import { sayWhy } from '../../components/say-why.ts'
import { BegunBefore, useBegun } from '../../components/typed/begun.tsx'
import { ApiProblem } from '../../data/api.ts'
import { Section } from '../../shell/pages/sheet.tsx'
import type { Kept, Settings } from './kept.ts'
import { texts } from './texts.ts'

type WordFormProps = { kept: Kept; save: (part: Partial<Settings>) => Promise<unknown> }

/** What is typed has a button, unlike the choices around it. */
export function WordForm({ kept, save }: WordFormProps) {
  const words = texts()
  const text = (key: 'question' | 'good' | 'not_good'): Field => ({ key, label: words[key], type: 'text' })
  const fields: Field[] = [
    text('question'),
    text('good'),
    text('not_good'),
    { key: 'pause_days', label: words.pause_days, type: 'number', help_text: words.pauseHelp, is_required: true },
  ]
  const { question, good, not_good, pause_days = 0 } = kept
  const initial = { question, good, not_good, pause_days }
  const [start] = useState(() => draftsOf(fields, initial))
  const begun = useBegun('satisfaction', start)
  const form = useForm(fields, initial, begun)
  const [fault, setFault] = useState<string | null>(null)

  async function send(event: Event): Promise<void> {
    event.preventDefault()
    const box = event.currentTarget as HTMLFormElement
    const values = form.check(box)
    if (!values) return
    const given = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value ?? undefined]))
    setFault(null)
    const error = await save(given)
    if (error === undefined) return begun.clear()
    const errors = error instanceof ApiProblem ? error.errors : []
    const atFields = errors.map(({ pointer, message }) => [pointer.split('/').at(-1) as string, message] as const)
    const known = atFields.filter(([key]) => fields.some((field) => field.key === key))
    form.setErrors(Object.fromEntries(known), box)
    if (known.length === 0) setFault(sayWhy(error))
  }

  return (
    <Section title={words.words} text={words.wordsHelp}>
      <form class="form wordings" noValidate onSubmit={(event) => void send(event)}>
        <BegunBefore form={begun.form} />
        {fields.map((field) => (
          <FormField key={field.key} {...form.of(field)} />
        ))}
        {fault && (
          <p class="help late" role="alert">
            {fault}
          </p>
        )}
        <div>
          <Button type="submit" first>
            {words.save}
          </Button>
        </div>
      </form>
    </Section>
  )
}
