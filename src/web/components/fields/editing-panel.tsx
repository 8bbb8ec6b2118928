import { useId } from 'preact/hooks'
import { t } from '../../texts/texts.ts'
import { Button } from '../button.tsx'
import { Icon } from '../icon.tsx'
import { Popover } from '../popover.tsx'
import type { Field } from './field.ts'
import { kindOf } from './field-types.ts'
import type { Editing } from './use-editing.ts'

type EditingPanelProps = { field: Field; editing: Editing; anchor: HTMLElement; onDone?: (() => void) | undefined }

/** For values of several inputs, such as an address: they open under the field, so that nothing moves. */
export function EditingPanel({ field, editing, anchor, onDone }: EditingPanelProps) {
  const id = useId()
  const { Edit } = kindOf(field.type)
  const save = () => {
    if (editing.save()) onDone?.()
  }
  const drop = () => {
    editing.drop()
    onDone?.()
  }
  return (
    <Popover
      anchor={anchor}
      asWide
      class="editing-panel"
      aria-label={field.label}
      // A press elsewhere saves, as leaving any field does.
      onClose={() => editing.isOpen && save()}
      onKeyDown={(event) => {
        const isInput = (event.target as HTMLElement).tagName === 'INPUT'
        if (event.key === 'Enter' && isInput && !event.isComposing) save()
        else if (event.key === 'Escape') drop()
        else {
          event.stopPropagation()
          return
        }
        event.preventDefault()
        event.stopPropagation()
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
