import { useEffect, useState } from 'preact/hooks'
import { type FormDraft, openForm } from '../../data/form-drafts.ts'
import type { Fields } from '../../data/types.ts'
import { t } from '../../lib/texts/texts.ts'
import { showToast } from '../toast.tsx'
import { texts } from './texts.ts'

export type Begun<Values> = {
  values: Values
  set: (part: Partial<Values>) => void
  /** It was saved. */
  clear: () => void
  form: FormDraft
}

/**
 * What is typed into a form, kept as a draft until it is saved: Esc, Back and a closed tab lose nothing. `isNew` begins with
 * what is given, and not with what was begun before.
 */
export function useBegun<Values extends Fields>(name: string, empty: Values, isNew = false): Begun<Values> {
  const [form] = useState(() => openForm(name, isNew))
  useEffect(
    () => () => {
      form.close()
      if (!form.values.peek()) return
      showToast({ text: texts().keptAsDraft, icon: 'note', action: { label: texts().throwAway, run: form.clear } })
    },
    [form],
  )
  return {
    form,
    values: { ...empty, ...form.values.value },
    set(part) {
      const next = { ...empty, ...form.values.peek(), ...part }
      if (JSON.stringify(next) === JSON.stringify(empty)) form.clear()
      else form.set(next)
    },
    clear: form.clear,
  }
}

/** Says in a form that it goes on with what was begun, and begins anew; also that can be taken back. */
export function BegunBefore({ form }: { form: FormDraft }) {
  const [gone, setGone] = useState<Fields | undefined>(undefined)
  const isGone = gone !== undefined && form.values.value === undefined
  if (!form.isBack.value && !isGone) return null
  const anew = () => {
    setGone(form.values.peek())
    form.clear()
  }
  return (
    <p class="help row" role="status">
      <span class="grow">{isGone ? texts().thrownAway : texts().begunBefore}</span>
      <button type="button" class="link" onClick={isGone ? () => form.set(gone) : anew}>
        {isGone ? t().undo : texts().beginAnew}
      </button>
    </p>
  )
}
