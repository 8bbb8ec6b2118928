import { useId, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { me } from '../../data/boot.ts'
import { create } from '../../data/records.ts'
import { navigate } from '../../router.ts'
import { sayWhy } from '../../shell/say-why.ts'
import { noteList } from '../tables/lists-of-boot.ts'
import { texts } from '../tables/texts.ts'

const OBJECTS = ['contact', 'company', 'deal'] as const

/** Makes a list that is filled by hand; a smart one is made where its filter is. */
export function NewList({ onClose }: { onClose: () => void }) {
  const id = useId()
  const words = texts().lists
  const [name, setName] = useState('')
  const [object, setObject] = useState<(typeof OBJECTS)[number]>('contact')
  const [fault, setFault] = useState<string | null>(null)
  const save = async (event: Event) => {
    event.preventDefault()
    if (name.trim() === '') return setFault(words.needsName)
    try {
      const made = await create('lists', { name: name.trim(), object, kind: 'static', owner_id: me.peek().id })
      noteList(made)
      onClose()
      void navigate(`/lists/${made.id}`)
    } catch (error) {
      setFault(sayWhy(error))
    }
  }
  return (
    <Dialog
      title={words.create}
      onClose={onClose}
      footer={
        <>
          <Button plain large onClick={onClose}>
            {words.cancel}
          </Button>
          <Button first large type="submit" form={`${id}-form`}>
            {words.save}
          </Button>
        </>
      }
    >
      <form id={`${id}-form`} class="new-record" noValidate onSubmit={(event) => void save(event)}>
        <div class="field">
          <label class="label" for={`${id}-name`}>
            {words.name}
          </label>
          <div class={fault ? 'input is-bad' : 'input'}>
            <input
              id={`${id}-name`}
              class="bare"
              autofocus
              autocomplete="off"
              maxLength={255}
              value={name}
              aria-invalid={fault !== null}
              aria-describedby={fault ? `${id}-fault` : undefined}
              onInput={(event) => {
                setName(event.currentTarget.value)
                setFault(null)
              }}
            />
          </div>
          {fault && (
            <p class="help late" id={`${id}-fault`} role="alert">
              <Icon name="alert" small />
              {fault}
            </p>
          )}
        </div>
        <div class="field">
          <label class="label" for={`${id}-object`}>
            {words.of}
          </label>
          <div class="input">
            <select
              id={`${id}-object`}
              class="bare"
              value={object}
              onChange={(event) => setObject(event.currentTarget.value as typeof object)}
            >
              {OBJECTS.map((each) => (
                <option key={each} value={each}>
                  {words.objects[each]}
                </option>
              ))}
            </select>
            <Icon name="down" small />
          </div>
        </div>
        <p class="help">{words.smartHelp}</p>
      </form>
    </Dialog>
  )
}
