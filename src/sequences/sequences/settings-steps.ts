import * as v from 'valibot'
import * as f from '../../lib/fields.ts'
import { same } from '../../lib/merge.ts'
import { type FieldError, field } from '../../lib/problem.ts'
import { templateFaults } from '../../lib/template.ts'
import { MAX_DELAY_S, STEP_TYPES, type Step } from './sequence.ts'
import { isCustomVariable, UNSUBSCRIBE_URL } from './variables.ts'

// The steps of a sequence, which the document nests inside it.

const DELAY = `out_of_range|must be a number of seconds from 0 to ${MAX_DELAY_S}, which is a year`

const TEXTS = ['subject', 'body', 'task_title'] as const

export const StepSettings = f.object({
  type: f.oneOf(STEP_TYPES),
  delay_s: v.pipe(
    v.number(),
    v.integer('invalid_integer|must be a whole number'),
    v.minValue(0, DELAY),
    v.maxValue(MAX_DELAY_S, DELAY),
  ),
  business_days_only: f.optional(f.flag),
  subject: f.optional(f.nullable(f.title)),
  body: f.optional(f.nullable(f.longText())),
  task_title: f.optional(f.nullable(f.title)),
})
export type StepSettings = v.InferOutput<typeof StepSettings>

export function checkSteps(pointer: string, given: readonly StepSettings[]): FieldError[] {
  const firstEmail = given.findIndex(({ type }) => type === 'email')
  return given.flatMap((step, index) => {
    const wrong = (name: (typeof TEXTS)[number], code: string, message: string) =>
      field(`${pointer}/${index}/${name}`, code, message)
    const { type, subject = null, body = null, task_title = null } = step
    const errors: FieldError[] = []
    if (type === 'email') {
      if (body === null) errors.push(wrong('body', 'required', 'is required for an email'))
      if (task_title !== null) errors.push(wrong('task_title', 'not_for_type', 'must be omitted for an email'))
      if (subject === null && index === firstEmail) {
        const message = 'is required for the first email; later emails without a subject continue the thread'
        errors.push(wrong('subject', 'required', message))
      }
    } else {
      if (task_title === null) errors.push(wrong('task_title', 'required', `is required for a ${type}`))
      if (subject !== null) errors.push(wrong('subject', 'not_for_type', `must be omitted for a ${type}`))
    }
    if (body !== null && body.trim() === '') errors.push(wrong('body', 'empty', 'must not be empty'))
    return errors
  })
}

/** The faults in the texts of steps. `stored` are the current steps of the sequence. */
export function textFaults(
  pointer: string,
  given: readonly StepSettings[],
  stored: readonly Step[],
  { known, hasPublicUrl }: { known: readonly string[]; hasPublicUrl: boolean },
): FieldError[] {
  const names = new Set(known)
  return given.flatMap((step, index) =>
    TEXTS.flatMap((name) => {
      const text = step[name] ?? null
      if (text === null) return []
      const at = `${pointer}/${index}/${name}`
      // An unchanged text may use custom fields that no longer exist: they are filled in as empty.
      const isOld = stored.some((old) => old[name] === text)
      const faults = templateFaults(text, (each) => names.has(each) || (isOld && isCustomVariable(each)))
      if (faults.length === 0 && !hasPublicUrl && namesIn(text).has(UNSUBSCRIBE_URL))
        return [field(at, 'no_public_base_url', NO_PUBLIC_URL)]
      return faults.map(({ code, message }) =>
        field(at, code, code === 'unknown_variable' ? `${message}; variables are ${known.join(', ')}` : message),
      )
    }),
  )
}

const NO_PUBLIC_URL =
  'must not have {{unsubscribe_url}} without an address that contacts can reach; set org.public_base_url, too'

/** Whether any of the texts contains the link to the unsubscribe page. */
export const hasUnsubscribeUrl = (steps: readonly Step[]): boolean =>
  steps.some((step) => TEXTS.some((name) => namesIn(step[name] ?? '').has(UNSUBSCRIBE_URL)))

function namesIn(text: string): Set<string> {
  const names = new Set<string>()
  templateFaults(text, (name) => {
    names.add(name)
    return true
  })
  return names
}

/** The steps as the document shows them: without null fields. */
export const shownSteps = (steps: readonly Step[]): StepSettings[] =>
  steps.map(({ type, delay_s, business_days_only, subject, body, task_title }) => ({
    type,
    delay_s,
    business_days_only,
    ...(subject === null ? {} : { subject }),
    ...(task_title === null ? {} : { task_title }),
    ...(body === null ? {} : { body }),
  }))

/**
 * Returns the complete steps. A step equal to a stored one keeps its id, so that its figures continue; equal steps are
 * matched in order.
 */
export function stepsOf(given: readonly StepSettings[], before: readonly Step[], newId: () => string): Step[] {
  const left = [...before]
  return given.map(({ type, delay_s, business_days_only = false, subject, body, task_title }, position) => {
    const says = {
      type,
      delay_s,
      business_days_only,
      subject: subject ?? null,
      body: body ?? null,
      task_title: task_title ?? null,
    }
    const at = left.findIndex(({ id, position, ...old }) => same(old, says))
    const [known] = at < 0 ? [] : left.splice(at, 1)
    return { id: known?.id ?? newId(), position, ...says }
  })
}
