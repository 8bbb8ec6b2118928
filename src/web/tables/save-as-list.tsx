import { useId, useRef, useState } from 'preact/hooks'
import { nounOf } from '../../lib/pure/nouns.ts'
import { Button } from '../components/button.tsx'
import { Popover } from '../components/popover.tsx'
import { sayWhy } from '../components/say-why.ts'
import { showToast } from '../components/toast.tsx'
import { BegunBefore, useBegun } from '../components/typed/begun.tsx'
import { tooLong } from '../components/typed/too-long.tsx'
import { create } from '../data/records.ts'
import { navigate } from '../lib/router.ts'
import { toFilter } from './filters/conditions.ts'
import { useList } from './list-context.ts'
import { noteList } from './lists-of-boot.ts'
import { texts } from './texts.ts'

/** Makes a smart list of the filter. */
export function SaveAsList() {
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        plain
        ref={button}
        icon="list"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {texts().saveAsList}
      </Button>
      {isOpen && button.current && <NameList anchor={button.current} onClose={() => setOpen(false)} />}
    </>
  )
}

function NameList({ anchor, onClose }: { anchor: HTMLElement; onClose: () => void }) {
  const { kind, address } = useList()
  const id = useId()
  const begun = useBegun(`list.${kind}`, { name: '' })
  const { name } = begun.values
  const [refusal, setFault] = useState<string | null>(null)
  const fault = refusal ?? tooLong(name.trim()) ?? null
  const save = async (event: Event) => {
    event.preventDefault()
    if (name.trim() === '') return setFault(texts().lists.needsName)
    if (tooLong(name.trim())) return
    try {
      const filter = toFilter(address.peek().state.conditions)
      const made = await create('lists', { name: name.trim(), object: nounOf(kind), kind: 'smart', filter })
      noteList(made)
      begun.clear()
      onClose()
      showToast({
        text: texts().listSaved(made.name),
        icon: 'list',
        action: { label: texts().add.open, run: () => void navigate(`/lists/${made.id}`) },
      })
    } catch (error) {
      setFault(sayWhy(error))
    }
  }
  return (
    <Popover
      anchor={anchor}
      align="end"
      onClose={onClose}
      class="save-view"
      role="dialog"
      aria-label={texts().saveAsList}
    >
      <form class="stack" onSubmit={(event) => void save(event)} noValidate>
        <BegunBefore form={begun.form} />
        <label class="label" for={id}>
          {texts().listName}
        </label>
        <input
          id={id}
          class={fault ? 'input is-bad' : 'input'}
          autocomplete="off"
          autofocus
          value={name}
          aria-invalid={fault !== null}
          aria-describedby={fault ? `${id}-fault` : undefined}
          onInput={(event) => {
            begun.set({ name: event.currentTarget.value })
            setFault(null)
          }}
        />
        {fault && (
          <p class="help late" id={`${id}-fault`} role="alert">
            {fault}
          </p>
        )}
        <div class="row">
          <Button plain large onClick={onClose}>
            {texts().add.cancel}
          </Button>
          <Button first large type="submit">
            {texts().saveAsList}
          </Button>
        </div>
      </form>
    </Popover>
  )
}
