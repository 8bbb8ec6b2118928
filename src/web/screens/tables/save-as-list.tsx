import { useId, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { toFilter } from '../../components/filters/conditions.ts'
import { Popover } from '../../components/popover.tsx'
import { showToast } from '../../components/toast.tsx'
import { create } from '../../data/records.ts'
import { navigate } from '../../router.ts'
import { sayWhy } from '../../shell/say-why.ts'
import { useList } from './list-context.ts'
import { noteList } from './lists-of-boot.ts'
import { OBJECTS } from './objects.ts'
import { texts } from './texts.ts'

/** Makes a smart list of the filter. */
export function SaveAsList() {
  const { kind, address } = useList()
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [fault, setFault] = useState<string | null>(null)
  const save = async (event: Event) => {
    event.preventDefault()
    if (name.trim() === '') return setFault(texts().lists.needsName)
    try {
      const filter = toFilter(address.peek().state.conditions)
      const made = await create('lists', { name: name.trim(), object: OBJECTS[kind], kind: 'smart', filter })
      noteList(made)
      setOpen(false)
      setName('')
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
      {isOpen && button.current && (
        <Popover
          anchor={button.current}
          align="end"
          onClose={() => setOpen(false)}
          class="save-view"
          role="dialog"
          aria-label={texts().saveAsList}
        >
          <form onSubmit={(event) => void save(event)} noValidate>
            <label class="label" for={id}>
              {texts().listName}
            </label>
            <input
              id={id}
              class={fault ? 'input is-bad' : 'input'}
              autocomplete="off"
              autofocus
              maxLength={255}
              value={name}
              aria-invalid={fault !== null}
              aria-describedby={fault ? `${id}-fault` : undefined}
              onInput={(event) => {
                setName(event.currentTarget.value)
                setFault(null)
              }}
            />
            {fault && (
              <p class="help late" id={`${id}-fault`} role="alert">
                {fault}
              </p>
            )}
            <div class="row">
              <Button plain large onClick={() => setOpen(false)}>
                {texts().add.cancel}
              </Button>
              <Button first large type="submit">
                {texts().saveAsList}
              </Button>
            </div>
          </form>
        </Popover>
      )}
    </>
  )
}
