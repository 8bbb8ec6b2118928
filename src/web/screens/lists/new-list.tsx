import { useId, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { BegunBefore, useBegun } from '../../components/typed/begun.tsx'
import { tooLong } from '../../components/typed/too-long.tsx'
import { me } from '../../data/boot.ts'
import { create } from '../../data/records.ts'
import { navigate } from '../../lib/router.ts'
import { noteList } from '../../tables/lists-of-boot.ts'
import { texts } from '../../tables/texts.ts'

const OBJECTS = ['contact', 'company', 'deal'] as const

/** Makes a list that is filled by hand; a smart one is made where its filter is. */
export function NewList({ onClose }: { onClose: () => void }) {
  const id = useId()
  const words = texts().lists
  const begun = useBegun('lists', { name: '', object: 'contact' as (typeof OBJECTS)[number] })
  const { name, object } = begun.values
  const [refusal, setFault] = useState<string | null>(null)
  const fault = refusal ?? tooLong(name.trim()) ?? null
  const save = async (event: Event) => {
    event.preventDefault()
    if (name.trim() === '') return setFault(words.needsName)
    if (tooLong(name.trim())) return
    try {
      const made = await create('lists', { name: name.trim(), object, kind: 'static', owner_id: me.peek().id })
      noteList(made)
      begun.clear()
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
        <BegunBefore form={begun.form} />
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
              value={name}
              aria-invalid={fault !== null}
              aria-describedby={fault ? `${id}-fault` : undefined}
              onInput={(event) => {
                begun.set({ name: event.currentTarget.value })
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
              onChange={(event) => begun.set({ object: event.currentTarget.value as typeof object })}
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
