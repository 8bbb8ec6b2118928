import { useId, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Check } from '../../components/check.tsx'
import { Icon } from '../../components/icon.tsx'
import { Popover } from '../../components/popover.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { showToast } from '../../components/toast.tsx'
import { BegunBefore, useBegun } from '../../components/typed/begun.tsx'
import { tooLong } from '../../components/typed/too-long.tsx'
import { ApiProblem } from '../../data/api.ts'
import { mayWrite } from '../../data/may.ts'
import type { Anchor } from '../../lib/place.ts'
import { type ListState, savedQuery } from './list-state.ts'
import { changeView, createView, type View } from './saved-views.ts'
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
  const begun = useBegun(view ? `view.${view.id}` : `view.${object}.${shape}`, {
    name: view?.name ?? '',
    isShared: view?.is_shared ?? false,
    isPinned: view?.is_pinned ?? false,
  })
  const { name, isShared, isPinned } = begun.values
  const [isWorking, setWorking] = useState(false)
  const [refusal, setFault] = useState<string | null>(null)
  const fault = refusal ?? tooLong(name.trim()) ?? null
  const save = async (event: Event) => {
    event.preventDefault()
    const given = { name: name.trim(), is_shared: isShared, is_pinned: isPinned }
    if (given.name === '' || tooLong(given.name)) {
      if (given.name === '') setFault(texts().needsName)
      input.current?.focus()
      return
    }
    setWorking(true)
    try {
      const saved = view
        ? await changeView(view, given)
        : await createView({ ...given, object, shape, query: savedQuery(state) })
      begun.clear()
      onClose()
      onSaved(saved)
      showToast({ text: texts().saved(saved.name) })
    } catch (error) {
      setFault(error instanceof ApiProblem ? sayWhy(error) : texts().failed(given.name))
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
      <form class="stack" onSubmit={(event) => void save(event)} noValidate>
        <BegunBefore form={begun.form} />
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
          placeholder={texts().nameExample}
          aria-invalid={fault !== null}
          aria-describedby={fault ? `${id}-fault` : undefined}
          value={name}
          onInput={(event) => {
            begun.set({ name: event.currentTarget.value })
            setFault(null)
          }}
        />
        {fault && (
          <p class="help late" id={`${id}-fault`} role="alert">
            <Icon name="alert" small />
            {fault}
          </p>
        )}
        {mayWrite() && (
          <>
            <Check checked={isShared} onChange={(isShared) => begun.set({ isShared })}>
              {texts().shared}
            </Check>
            <p class="help">{texts().sharedHelp}</p>
          </>
        )}
        <Check checked={isPinned} onChange={(isPinned) => begun.set({ isPinned })}>
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
