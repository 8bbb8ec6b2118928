import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../../components/button.tsx'
import { Check } from '../../../components/check.tsx'
import { Icon } from '../../../components/icon.tsx'
import { sayWhy } from '../../../components/say-why.ts'
import { showToast } from '../../../components/toast.tsx'
import { BegunBefore, useBegun } from '../../../components/typed/begun.tsx'
import { ApiProblem } from '../../../data/api.ts'
import { t } from '../../../lib/texts/texts.ts'
import { offerLocal } from '../../../shell/steps/local.ts'
import { texts } from '../texts.ts'
import { changeSequence, formOf, type Listed, type SequenceShown, type StepSettings } from '../wire.ts'
import { Choice, Text } from './fields.tsx'
import { LivePreview } from './preview.tsx'
import { StepEditor } from './step-editor.tsx'
import { type Draft, formFrom, newName, STOPS, stepsText, type Values, valuesOf } from './values.ts'
import './builder.css'

type BuilderProps = { sequence: SequenceShown; known: Listed; again: () => Promise<void>; onClose: () => void }
const TYPES = ['email', 'call', 'task'] as const
const DAY_S = 86_400

/** The steps and rules of a sequence, beside what one contact would get of them, and when. */
export function Builder({ sequence, known, again, onClose }: BuilderProps) {
  const [start] = useState(() => valuesOf(sequence))
  const begun = useBegun<Values>(`sequence:${sequence.id}`, start)
  const { values } = begun
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [fault, setFault] = useState<string | undefined>(undefined)
  const [isBehind, setBehind] = useState(false)
  const [isWorking, setWorking] = useState(false)
  const [told, setTold] = useState('')
  const list = useRef<HTMLOListElement>(null)
  const added = useRef<string | undefined>(undefined)
  const words = texts()
  const form = formFrom(values, sequence.status)
  const isSame = JSON.stringify(form) === JSON.stringify(formFrom(valuesOf(sequence), sequence.status))
  const live = sequence.versions.find(({ number }) => number === sequence.current_version)?.live ?? 0
  const isOther = stepsText(form) !== stepsText(formOf(sequence))

  const setSteps = (steps: Draft[]) => begun.set({ steps })
  useEffect(() => {
    if (added.current === undefined) return
    list.current?.querySelector<HTMLElement>(`[data-step="${added.current}"] :is(input, textarea)`)?.focus()
    added.current = undefined
  })

  function add(type: StepSettings['type']): void {
    const own = newName(values.steps)
    added.current = own
    const isFirstMail = !values.steps.some((step) => step.type === 'email')
    const text = type === 'email' ? { ...(isFirstMail ? { subject: '' } : {}), body: '' } : { task_title: '' }
    const delay_s = values.steps.length === 0 ? 0 : 3 * DAY_S
    setSteps([...values.steps, { own, type, delay_s, business_days_only: true, ...text }])
  }

  function remove(at: number): void {
    const gone = values.steps[at] as Draft
    setSteps(values.steps.toSpliced(at, 1))
    offerLocal(words.removedStep(at + 1), async () => {
      const now = (begun.form.values.peek() as Values | undefined)?.steps ?? start.steps
      setSteps(now.toSpliced(Math.min(at, now.length), 0, gone))
    })
  }

  /** To that place among them; the focus stays at what was pressed. */
  function move(own: string, to: number, focus?: 'up' | 'down'): void {
    const from = values.steps.findIndex((step) => step.own === own)
    const step = values.steps[from]
    if (!step || to < 0 || to >= values.steps.length || from === to) return
    setSteps(values.steps.toSpliced(from, 1).toSpliced(to, 0, step))
    setTold(words.movedTo(to + 1, values.steps.length))
    if (focus)
      requestAnimationFrame(() =>
        list.current?.querySelector<HTMLElement>(`[data-step="${own}"] [data-move=${focus}]`)?.focus(),
      )
  }

  async function save(version: number): Promise<void> {
    if (isWorking) return
    setWorking(true)
    setErrors({})
    setFault(undefined)
    try {
      const { status, ...fields } = form
      await changeSequence(sequence.id, version, fields)
      begun.clear()
      await again()
      showToast({ text: words.saved(form.name) })
      onClose()
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 412) {
        await again()
        setBehind(true)
      } else if (error instanceof ApiProblem && error.errors.length > 0) {
        setErrors(Object.fromEntries(error.errors.map(({ pointer, message }) => [pointer, message])))
        setFault(error.errors[0]?.message)
      } else setFault(sayWhy(error))
    } finally {
      setWorking(false)
    }
  }

  return (
    <div class="seq-build scroll" data-scroll="builder">
      <form
        class="form"
        noValidate
        aria-label={words.builder}
        onSubmit={(event) => {
          event.preventDefault()
          void save(values.version)
        }}
      >
        <BegunBefore form={begun.form} />
        <Text label={words.name} value={values.name} error={errors['/name']} onValue={(name) => begun.set({ name })} />
        <Text
          label={words.description}
          value={values.description ?? ''}
          error={errors['/description']}
          onValue={(text) => begun.set({ description: text || null })}
        />
        <div class="seq-pairs">
          <Choice
            label={words.hours}
            value={values.hours ?? ''}
            error={errors['/hours']}
            choices={[
              { value: '', label: words.anytime },
              ...known.hours.map(({ key, name, timezone }) => ({ value: key, label: `${name} (${timezone})` })),
            ]}
            onValue={(key) => begun.set({ hours: key || null })}
          />
          <Choice
            label={words.mailbox}
            value={values.mailbox ?? ''}
            error={errors['/mailbox']}
            choices={[
              { value: '', label: words.fromSender },
              ...known.mailboxes.map(({ key, name, address }) => ({ value: key, label: `${name} (${address})` })),
            ]}
            onValue={(key) => begun.set({ mailbox: key || null })}
          />
        </div>
        <fieldset>
          <legend class="label">{words.stopOn}</legend>
          {STOPS.map((stop) => (
            <Check
              key={stop}
              checked={values.stop_on?.includes(stop) ?? true}
              onChange={(isOn) =>
                begun.set({
                  stop_on: STOPS.filter((each) => (each === stop ? isOn : (values.stop_on ?? STOPS).includes(each))),
                })
              }
            >
              {words.stopWords[stop]}
            </Check>
          ))}
        </fieldset>
        <p class="small mute">{words.variableHelp}</p>
        <ol ref={list} class="stack">
          {values.steps.map((step, at) => (
            <StepEditor
              key={step.own}
              step={step}
              place={{ at, of: values.steps.length }}
              variables={known.variables}
              errorOf={(field) => errors[`/steps/${at}/${field}`]}
              onChange={(part) => setSteps(values.steps.with(at, { ...step, ...part }))}
              onMove={(to, focus) => move(step.own, to, focus)}
              onDrop={(own) => move(own, at)}
              onRemove={() => remove(at)}
            />
          ))}
        </ol>
        <div class="row seq-add">
          <span class="small mute">{words.addAs}</span>
          {TYPES.map((type) => (
            <Button key={type} icon="plus" onClick={() => add(type)}>
              {words.addStep[type]}
            </Button>
          ))}
        </div>
        {isOther && live > 0 && (
          <p role="status">{words.saveAs(live, sequence.current_version, sequence.current_version + 1)}</p>
        )}
        <div role="alert">
          {fault !== undefined && (
            <p class="help late">
              <Icon name="alert" small />
              {fault}
            </p>
          )}
          {isBehind && (
            <div class="stack boxed seq-behind">
              <p class="late">{words.behind}</p>
              <div class="row">
                <Button onClick={() => void save(sequence.version)}>{words.saveMine}</Button>
                <Button
                  plain
                  onClick={() => {
                    begun.clear()
                    onClose()
                  }}
                >
                  {words.takeTheirs}
                </Button>
              </div>
            </div>
          )}
        </div>
        <div class="row">
          <Button
            first
            large
            type="submit"
            off={isSame ? words.unchanged : undefined}
            working={isWorking ? t().saving : undefined}
          >
            {words.save}
          </Button>
          <Button plain large onClick={onClose}>
            {t().cancel}
          </Button>
        </div>
        <p class="sr" role="status">
          {told}
        </p>
      </form>
      <LivePreview form={form} />
    </div>
  )
}
