import { useRef, useState } from 'preact/hooks'
import type { Begun } from '../typed/begun.tsx'
import type { Draft, Field } from './field.ts'
import { kindOf, overlong, valueOfDraft } from './field-types.ts'

type Values = Record<string, unknown>

/**
 * The state of a form. A field is checked when it is left, and on each key once it was wrong; `check` checks all, and gives
 * the focus to the first wrong one. `begun` keeps what is typed, with `draftsOf` as what it begins with.
 */
export function useForm(fields: readonly Field[], initial: Values = {}, begun?: Begun<Values>) {
  const [own, setOwn] = useState<Record<string, Draft>>(() => draftsOf(fields, initial))
  const drafts = begun ? begun.values : own
  const setDraft = (key: string, draft: Draft) =>
    begun ? begun.set({ [key]: draft }) : setOwn((before) => ({ ...before, [key]: draft }))
  const [shown, setShown] = useState<Record<string, string | undefined>>({})
  const first = useRef(JSON.stringify(drafts))
  /** What the server has refused, by key: leaving the field says nothing new of it. */
  const refused = useRef<Record<string, string>>({})

  const draftOf = (field: Field): Draft =>
    field.key in drafts ? drafts[field.key] : kindOf(field.type).toDraft((initial[field.key] ?? null) as never, field)
  const errorOf = (field: Field, draft: Draft): string | undefined => {
    const parsed = valueOfDraft(draft, field)
    return 'error' in parsed ? parsed.error : undefined
  }
  const say = (key: string, error: string | undefined) => setShown((before) => ({ ...before, [key]: error }))

  return {
    /** The props of a FormField. */
    of: (field: Field) => ({
      field,
      draft: draftOf(field),
      error: shown[field.key],
      onDraft(draft: Draft) {
        setDraft(field.key, draft)
        say(field.key, shown[field.key] === undefined ? overlong(draft, field) : errorOf(field, draft))
      },
      onLeave() {
        // An untouched empty field is not wrong yet: the form may be left without it.
        const draft = draftOf(field)
        if (refused.current[field.key] === JSON.stringify(draft)) return
        const isUntouched = JSON.stringify(draft) === JSON.stringify(kindOf(field.type).toDraft(null as never, field))
        if (!isUntouched) say(field.key, errorOf(field, draft))
      },
    }),
    /** The values of all fields, or undefined if one is wrong. */
    check(form?: ParentNode | null): Values | undefined {
      const values: Values = {}
      const errors: Record<string, string> = {}
      for (const field of fields) {
        if (field.off !== undefined) continue
        const parsed = valueOfDraft(draftOf(field), field)
        if ('error' in parsed) errors[field.key] = parsed.error
        else values[field.key] = parsed.value
      }
      setShown(errors)
      const wrong = fields.find(({ key }) => errors[key] !== undefined)
      if (!wrong) return values
      focusField(form ?? document, wrong.key)
      return undefined
    },
    /** Errors of the server, by key: shown at their fields. */
    setErrors(errors: Record<string, string>, form?: ParentNode | null): void {
      setShown(errors)
      refused.current = Object.fromEntries(Object.keys(errors).map((key) => [key, JSON.stringify(drafts[key])]))
      const wrong = fields.find(({ key }) => errors[key] !== undefined)
      if (wrong) focusField(form ?? document, wrong.key)
    },
    wrong: Object.values(shown).filter((error) => error !== undefined).length,
    isDirty: JSON.stringify(drafts) !== first.current,
    reset(values: Values = {}): void {
      const next = draftsOf(fields, values)
      first.current = JSON.stringify(next)
      setOwn(next)
      setShown({})
    },
  }
}

export function draftsOf(fields: readonly Field[], values: Values): Record<string, Draft> {
  return Object.fromEntries(
    fields.map((field) => [field.key, kindOf(field.type).toDraft((values[field.key] ?? null) as never, field)]),
  )
}

function focusField(form: ParentNode, key: string): void {
  const field = form.querySelector(`[data-field="${CSS.escape(key)}"]`)
  field?.querySelector<HTMLElement>('input, select, textarea, button')?.focus()
}
