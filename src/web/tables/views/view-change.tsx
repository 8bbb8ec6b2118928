import { useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { MenuButton } from '../../components/menu.tsx'
import { showToast } from '../../components/toast.tsx'
import { savedQuery } from './list-state.ts'
import { SaveView } from './save-view.tsx'
import { changeView, mayChange, type View } from './saved-views.ts'
import { texts } from './texts.ts'
import type { ListAddress } from './use-list-state.ts'
import { viewActions } from './view-actions.ts'
import './views.css'

type ViewChangeProps = { object: View['object']; address: ListAddress; shape: View['shape'] }

/** "View changed", with Reset and Save; and what else can be done with the view that is open. */
export function ViewChange({ object, address, shape }: ViewChangeProps) {
  const { view, isChanged, state } = address
  const [open, setOpen] = useState<'new' | 'edit' | null>(null)
  const place = useRef<HTMLSpanElement>(null)
  if (!view) return null
  const isMine = mayChange(view)
  const failed = () => showToast({ text: texts().failed(view.name), kind: 'error' })
  const save = () =>
    changeView(view, { query: savedQuery(state), shape })
      .then(() => address.choose(view.id))
      .then(() => showToast({ text: texts().saved(view.name) }), failed)
  const groups = () =>
    viewActions(view, address, () => setOpen('edit'), [
      { label: texts().saveAsNew, icon: 'plus', onPick: () => setOpen('new') },
    ])
  return (
    <span ref={place} class="row view-change">
      {isChanged && (
        <>
          <span class="small mute" role="status">
            {texts().changed}
          </span>
          <Button plain onClick={() => void address.reset()}>
            {texts().reset}
          </Button>
          {isMine ? (
            <Button onClick={() => void save()}>{texts().save}</Button>
          ) : (
            <Button onClick={() => setOpen('new')}>{texts().saveAs}</Button>
          )}
        </>
      )}
      <MenuButton
        plain
        class="icon"
        menuLabel={texts().options(view.name)}
        aria-label={texts().options(view.name)}
        title={texts().options(view.name)}
        align="end"
        groups={groups}
      >
        <Icon name="dots" />
      </MenuButton>
      {open && place.current && (
        <SaveView
          anchor={place.current}
          object={object}
          shape={shape}
          state={state}
          view={open === 'edit' ? view : undefined}
          onClose={() => setOpen(null)}
          onSaved={({ id }) => void address.choose(id)}
        />
      )}
    </span>
  )
}
