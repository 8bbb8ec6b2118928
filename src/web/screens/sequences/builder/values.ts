import { formOf, type SequenceForm, type SequenceShown, type StepSettings } from '../wire.ts'

/** Each step has a name of its own while it is edited, so that the focus stays with it when it moves. */
export type Draft = StepSettings & { own: string }
export type Values = Omit<SequenceForm, 'steps' | 'status'> & { steps: Draft[]; version: number }

export const STOPS = ['reply', 'meeting_booked', 'deal_closed', 'unsubscribe', 'bounce'] as const

export function valuesOf(sequence: SequenceShown): Values {
  const { status, steps, ...form } = formOf(sequence)
  const named = steps.map((step, at) => ({ ...step, own: String(at) }))
  return { ...form, steps: named, version: sequence.version }
}

/** As it is sent: without what is empty. */
export function formFrom({ version, steps, ...form }: Values, status: SequenceForm['status']): SequenceForm {
  return {
    ...form,
    status,
    steps: steps.map(({ own, subject, task_title, body, ...step }) => ({
      ...step,
      ...(subject ? { subject } : {}),
      ...(task_title ? { task_title } : {}),
      ...(body ? { body } : {}),
    })),
  }
}

/** What makes another version of it: its steps and stop rules. */
export const stepsText = ({
  steps,
  stop_on = STOPS,
}: Pick<SequenceForm, 'steps'> & { stop_on?: readonly string[] }): string => JSON.stringify([steps, stop_on])

/** That no other step of the form has. */
export const newName = (steps: readonly Draft[]): string =>
  String(Math.max(-1, ...steps.map(({ own }) => Number(own))) + 1)
