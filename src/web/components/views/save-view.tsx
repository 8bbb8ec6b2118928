import { useId, useRef, useState } from 'preact/hooks'
import { ApiProblem } from '../../data/api.ts'
import type { Anchor } from '../../lib/place.ts'
import { Button } from '../button.tsx'
import { Check } from '../check.tsx'
import { Icon } from '../icon.tsx'
import { Popover } from '../popover.tsx'
import { showToast } from '../toast.tsx'
import { type ListState, savedQuery } from './list-state.ts'
import { changeView, createView, mayShare, type View } from './saved-views.ts'
import { texts } from './texts.ts'

type SaveViewProps = {
  anchor: Anchor
  object: View['object']
  shape: View['shape']
  state: ListState
  /** The view to rename or share; undefined for a new one. */
  view?: View | undefined
  onClose: () => void
  onSaved: (view: View) => void
}

/** Names what the list shows. */
export function SaveView({ anchor, object, shape, state, view, onClose, onSaved }: SaveViewProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [name, setName] = useState(view?.name ?? '')
  const [isShared, setShared] = useState(view?.is_shared ?? false)
  const [isPinned, setPinned] = useState(view?.is_pinned ?? false)
  const [isWorking, setWorking] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  const save = async (event: Event) => {
    event.preventDefault()
    const given = { name: name.trim(), is_shared: isShared, is_pinned: isPinned }
    if (given.name === '') {
      setFault(texts().needsName)
      input.current?.focus()
      return
    }
    setWorking(true)
    try {
      const saved = view
        ? await changeView(view, given)
        : await createView({ ...given, object, shape, query: savedQuery(state) })
      onClose()
      onSaved(saved)
      showToast({ text: texts().saved(saved.name) })
    } catch (error) {
      setFault(error instanceof ApiProblem ? (error.errors[0]?.message ?? error.message) : texts().failed(given.name))
    } finally {
      setWorking(false)
    }
  }
  return (
    <Popover
      anchor={anchor}
      onClose={onClose}
      align="end"
      class="save-view"
      role="dialog"
      aria-label={view ? texts().rename : texts().saveAs}
    >
      <form onSubmit={(event) => void save(event)} noValidate>
        <label class="label" for={id}>
          {texts().name}
        </label>
        <input
          ref={input}
          id={id}
          class={fault ? 'input is-bad' : 'input'}
          type="text"
          autocomplete="off"
          autofocus
          maxLength={255}
          placeholder={texts().nameExample}
          aria-invalid={fault !== null}
          aria-describedby={fault ? `${id}-fault` : undefined}
          value={name}
          onInput={(event) => {
            setName(event.currentTarget.value)
            setFault(null)
          }}
        />
        {fault && (
          <p class="help late" id={`${id}-fault`} role="alert">
            <Icon name="alert" small />
            {fault}
          </p>
        )}
        {mayShare() && (
          <>
            <Check checked={isShared} onChange={setShared}>
              {texts().shared}
            </Check>
            <p class="help">{texts().sharedHelp}</p>
          </>
        )}
        <Check checked={isPinned} onChange={setPinned}>
          {texts().pinned}
        </Check>
        <div class="row">
          <Button plain large onClick={onClose}>
            {texts().cancel}
          </Button>
          <Button first large type="submit" working={isWorking ? '…' : undefined}>
            {texts().save}
          </Button>
        </div>
      </form>
    </Popover>
  )
}
