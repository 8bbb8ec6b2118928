import { useEffect, useRef, useState } from 'preact/hooks'
import { IconButton } from '../../../components/button.tsx'
import { Check } from '../../../components/check.tsx'
import { Icon } from '../../../components/icon.tsx'
import { UNITS, type Unit, unitOf } from '../delays.ts'
import { texts } from '../texts.ts'
import { Choice, Field } from './fields.tsx'
import type { Draft } from './values.ts'
import { VariableText } from './variable-text.tsx'

type StepEditorProps = {
  step: Draft
  /** Which one it is, from 0. */
  place: { at: number; of: number }
  variables: readonly string[]
  errorOf: (field: string) => string | undefined
  onChange: (part: Partial<Draft>) => void
  onMove: (to: number, focus: 'up' | 'down') => void
  /** Another step is dropped at its place. */
  onDrop: (own: string) => void
  onRemove: () => void
}

const YEAR_S = 365 * UNITS.d
const ICONS = { email: 'mail', task: 'task', call: 'phone' } as const

/** One step: when it is done, and what it says. */
export function StepEditor(props: StepEditorProps) {
  const { step, place, variables, errorOf, onChange, onMove, onRemove } = props
  const card = useRef<HTMLLIElement>(null)
  const isOver = useDragging(card, step.own, props.onDrop)
  const words = texts()
  const number = place.at + 1
  return (
    <li ref={card} class={isOver ? 'boxed seq-edit is-over' : 'boxed seq-edit'} data-step={step.own}>
      <div class="row">
        <span class="handle mute" title={words.drag}>
          <Icon name="drag" />
        </span>
        <Icon name={ICONS[step.type]} small />
        <h2 class="grow">
          {words.stepOf(number)} <span class="mute">{words.types[step.type]}</span>
        </h2>
        <IconButton
          plain
          icon="up"
          data-move="up"
          title={words.up(number)}
          off={place.at === 0 ? words.isFirst : undefined}
          onClick={() => onMove(place.at - 1, 'up')}
        />
        <IconButton
          plain
          icon="down"
          data-move="down"
          title={words.down(number)}
          off={place.at === place.of - 1 ? words.isLast : undefined}
          onClick={() => onMove(place.at + 1, 'down')}
        />
        <IconButton plain danger icon="trash" title={words.removeStep(number)} onClick={onRemove} />
      </div>
      <div class="row seq-delay">
        <Delay step={step} isFirst={place.at === 0} error={errorOf('delay_s')} onChange={onChange} />
        <Check
          checked={step.business_days_only ?? false}
          onChange={(business_days_only) => onChange({ business_days_only })}
        >
          {words.business}
        </Check>
      </div>
      {step.type === 'email' ? (
        <VariableText
          label={words.subject}
          help={words.subjectHelp}
          value={step.subject ?? ''}
          error={errorOf('subject')}
          variables={variables}
          onValue={(subject) => onChange({ subject })}
        />
      ) : (
        <VariableText
          label={words.taskTitle}
          value={step.task_title ?? ''}
          error={errorOf('task_title')}
          variables={variables}
          onValue={(task_title) => onChange({ task_title })}
        />
      )}
      <VariableText
        label={words.body}
        isLong
        value={step.body ?? ''}
        error={errorOf('body')}
        variables={variables}
        onValue={(body) => onChange({ body })}
      />
    </li>
  )
}

type DelayProps = Pick<StepEditorProps, 'step' | 'onChange'> & { isFirst: boolean; error: string | undefined }

/** A number and its unit. What is no number yet stays as it was typed. */
function Delay({ step, isFirst, error, onChange }: DelayProps) {
  const [unit, setUnit] = useState<Unit>(() => unitOf(step.delay_s))
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const words = texts()
  const take = (text: string, as: Unit) => {
    const delay_s = Number(text) * UNITS[as]
    const isFit = /^\d+$/.test(text.trim()) && delay_s <= YEAR_S
    setTyped(isFit ? undefined : text)
    if (isFit) onChange({ delay_s })
  }
  const shown = typed ?? String(Math.round(step.delay_s / UNITS[unit]))
  return (
    <>
      <Field label={words.delay(isFirst)} error={typed === undefined ? error : words.whole(words.number)}>
        {(id) => (
          <div class={typed === undefined ? 'input' : 'input is-bad'}>
            <input
              id={id}
              class="bare"
              inputMode="numeric"
              value={shown}
              aria-invalid={typed === undefined ? undefined : true}
              onInput={(event) => take(event.currentTarget.value, unit)}
            />
          </div>
        )}
      </Field>
      <Choice
        label={words.unit}
        value={unit}
        choices={(['min', 'h', 'd'] as const).map((value) => ({ value, label: words.units[value] }))}
        onValue={(next) => {
          setUnit(next as Unit)
          take(shown, next as Unit)
        }}
      />
    </>
  )
}

/** By its handle, onto another one. */
function useDragging(card: { current: HTMLElement | null }, own: string, onDrop: (own: string) => void): boolean {
  const [isOver, setOver] = useState(false)
  const latest = useRef(onDrop)
  latest.current = onDrop
  useEffect(() => {
    let stops: (() => void)[] = []
    let isGone = false
    void import('../../deals/drag-and-drop.ts').then(({ draggable, dropTargetForElements }) => {
      const element = card.current
      const handle = element?.querySelector('.handle')
      if (isGone || !element || !handle) return
      stops = [
        draggable({ element, dragHandle: handle, getInitialData: () => ({ step: own }) }),
        dropTargetForElements({
          element,
          canDrop: ({ source }) => typeof source.data.step === 'string' && source.data.step !== own,
          onDragEnter: () => setOver(true),
          onDragLeave: () => setOver(false),
          onDrop({ source }) {
            setOver(false)
            latest.current(String(source.data.step))
          },
        }),
      ]
    })
    return () => {
      isGone = true
      for (const stop of stops) stop()
    }
  }, [own])
  return isOver
}
