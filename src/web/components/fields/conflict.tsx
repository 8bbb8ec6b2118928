import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { differences, type Part } from '../../lib/diff.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { Avatar } from '../avatar.tsx'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { Icon } from '../icon.tsx'
import type { Field, FieldState } from './field.ts'
import { isEmpty } from './field-types.ts'
import { useSources } from './sources.ts'
import { Value } from './value.tsx'
import './conflict.css'
import { fieldTexts } from './texts.ts'

type ConflictState = Extract<FieldState, { state: 'conflict' }>

type ConflictProps = {
  field: Field
  state: ConflictState
  onUseMine?: (() => void) | undefined
  onUseTheirs?: (() => void) | undefined
}

/** Two people set one value: what I typed, who set what, and a button for each. Neither is preselected. */
export function Conflict({ field, state, onUseMine, onUseTheirs }: ConflictProps) {
  const texts = fieldTexts().conflict
  const { full, first, name } = useAuthor(state.by)
  const [isComparing, setComparing] = useState(false)
  const isLong = field.type === 'long_text'
  return (
    <>
      <div class={isLong ? 'inline row is-clash tall' : 'inline row is-clash'}>
        <Value value={state.mine} field={field} />
        <span class="end warn">
          <Icon name="alert" small />
          {texts.notSaved}
        </span>
      </div>
      <div class="clash" role="alert">
        {isLong ? (
          <p>{texts.changed(first)}.</p>
        ) : (
          <p>
            {isEmpty(state.theirs) ? texts.cleared(first) : texts.sets(first)}{' '}
            <Short value={state.theirs} field={field} /> {format.value.ago(state.at, now.value)}.{' '}
            {isEmpty(state.mine) ? texts.typedNothing : texts.typed} <Short value={state.mine} field={field} />.
          </p>
        )}
        <div class="row">
          {isLong ? (
            <Button onClick={() => setComparing(true)}>{texts.compare}</Button>
          ) : (
            <>
              <Button onClick={onUseMine}>{texts.useMine}</Button>
              <Button onClick={onUseTheirs}>{texts.useTheirs(name)}</Button>
            </>
          )}
        </div>
      </div>
      {isComparing && (
        <TextConflict
          label={field.label}
          mine={String(state.mine ?? '')}
          theirs={String(state.theirs ?? '')}
          who={{ id: state.by, name: full, first, known: name }}
          at={state.at}
          onUseMine={onUseMine}
          onUseTheirs={onUseTheirs}
          onClose={() => setComparing(false)}
        />
      )}
    </>
  )
}

function Short({ value, field }: { value: unknown; field: Field }) {
  if (isEmpty(value)) return null
  return (
    <span class="value">
      <Value value={value} field={field} />
    </span>
  )
}

/** `name` is null where it is not known who it was: `first` and `full` have words for that. */
function useAuthor(id: string | null): { full: string; first: string; name: string | null } {
  const member = useSources()
    .members()
    .find((each) => each.id === id)
  const full = member?.name ?? fieldTexts().conflict.someone
  const name = member ? (full.split(' ')[0] ?? full) : null
  return { full, first: name ?? full, name }
}

type TextConflictProps = {
  label: string
  mine: string
  theirs: string
  who: { id: string | null; name: string; first: string; known: string | null }
  at: string
  onUseMine?: (() => void) | undefined
  onUseTheirs?: (() => void) | undefined
  onClose: () => void
}

/** Two long texts side by side, with what differs marked. */
export function TextConflict({ label, mine, theirs, who, at, onUseMine, onUseTheirs, onClose }: TextConflictProps) {
  const texts = fieldTexts().conflict
  const parts = differences(theirs, mine)
  const done = (use: (() => void) | undefined) => () => {
    onClose()
    use?.()
  }
  return (
    <Dialog
      title={texts.changed(who.first)}
      wide
      alert
      onClose={onClose}
      footer={
        <>
          <span class="small mute grow">{texts.whichever}</span>
          <Button plain large keys="Esc" autofocus onClick={onClose}>
            {texts.back}
          </Button>
        </>
      }
    >
      <p>
        {texts.field} <b>{label}</b>. {texts.yourText}
      </p>
      <div class="cmp">
        <Side
          avatar={<Avatar kind={who.id ? 'member' : 'nobody'} id={who.id ?? ''} name={who.name} size={16} />}
          name={who.name}
          when={texts.savedAt(timeOf(at))}
          parts={parts.one}
          button={texts.keepTheirs(who.known)}
          onClick={done(onUseTheirs)}
        />
        <Side
          avatar={<Icon name="pen" small />}
          name={texts.you}
          when={texts.notSavedYet}
          parts={parts.other}
          button={texts.saveMine}
          onClick={done(onUseMine)}
        />
      </div>
    </Dialog>
  )
}

/** The time alone if it was today. */
function timeOf(at: string): string {
  const isToday = format.value.daysAway(at, now.value) === 0
  return isToday ? format.value.time(at) : format.value.when(at, now.value)
}

type SideProps = {
  avatar: ComponentChildren
  name: string
  when: string
  parts: Part[]
  button: string
  onClick: () => void
}

function Side({ avatar, name, when, parts, button, onClick }: SideProps) {
  return (
    <div>
      <div class="who row">
        {avatar}
        {name}
        <time>{when}</time>
      </div>
      <div class="val">
        {parts.map(({ text, same }, index) => (same ? text : <ins key={`${index}${text}`}>{text}</ins>))}
      </div>
      <Button onClick={onClick}>{button}</Button>
    </div>
  )
}
