import { effect } from '@preact/signals'
import { useId, useState } from 'preact/hooks'
import { keepTyped } from '../../lib/keyboard.ts'
import { t } from '../../lib/texts/texts.ts'
import { Button } from '../button.tsx'
import { Icon } from '../icon.tsx'
import { over } from '../over.tsx'
import { Popover } from '../popover.tsx'
import { dropped } from '../typed/dropped.ts'
import type { Field } from './field.ts'
import { kindOf } from './field-types.ts'
import type { Editing } from './use-editing.ts'

type EditingPanelProps = { field: Field; editing: Editing; anchor: HTMLElement; onDone?: (() => void) | undefined }

/** For values of several inputs, such as an address: they open under the field, so that nothing moves. */
export function EditingPanel({ field, editing, anchor, onDone }: EditingPanelProps) {
  const id = useId()
  const { Edit } = kindOf(field.type)
  const [shown, setShown] = useState(0)
  const save = () => {
    if (editing.save()) onDone?.()
  }
  const drop = () => {
    dropped(editing.drop())
    onDone?.()
  }
  return (
    <Popover
      anchor={anchor}
      asWide
      class="editing-panel"
      aria-label={field.label}
      key={shown}
      // A press elsewhere saves, as leaving any field does. What was refused stays open; a question about it comes first.
      onClose={() => {
        if (!editing.isOpen) return
        if (editing.leave()) onDone?.()
        else onceUncovered(() => setShown((before) => before + 1))
      }}
      onKeyDown={(event) => {
        const isInput = (event.target as HTMLElement).tagName === 'INPUT'
        const act = event.key === 'Enter' && isInput ? save : event.key === 'Escape' ? drop : undefined
        if (act) event.preventDefault()
        act?.()
        keepTyped(event)
      }}
    >
      <Edit
        field={field}
        draft={editing.draft}
        onDraft={editing.put}
        onDone={editing.put}
        id={id}
        where="place"
        autofocus
      />
      {editing.error !== undefined && (
        <p class="help late" role="alert">
          <Icon name="alert" small />
          {editing.error}
        </p>
      )}
      <div class="row">
        <Button plain onClick={drop}>
          {t().cancel}
        </Button>
        <Button first onClick={save}>
          {t().save}
        </Button>
      </div>
    </Popover>
  )
}

/** Runs at once, or when what is open over the screen is closed. */
function onceUncovered(run: () => void): void {
  const stop = effect(() => {
    if (over.value.length > 0) return
    queueMicrotask(() => {
      stop()
      run()
    })
  })
}
