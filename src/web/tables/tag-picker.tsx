import type { Choice } from '../components/choices.tsx'
import { PickerPopover } from '../components/picker.tsx'
import { create, record } from '../data/records.ts'
import type { Kind, Rec } from '../data/types.ts'
import type { Change } from './bulk.ts'
import { tagChoices } from './filters/common-fields.tsx'
import { texts } from './texts.ts'

type TagPickerProps = {
  kind: Kind
  /** None, if they are more than are known here. */
  ids: readonly string[]
  anchor: HTMLElement
  onClose: () => void
  onPick: (change: Change) => void
}

/** A tag that all of the records have is taken away, any other is added. */
export function TagPicker({ kind, ids, anchor, onClose, onPick }: TagPickerProps) {
  const tagsOf = (id: string) =>
    ((record(kind, id).value as Rec | null | undefined)?.tag_ids as string[] | undefined) ?? []
  const chosen =
    ids.length === 0 ? [] : tagsOf(ids[0] as string).filter((tag) => ids.every((id) => tagsOf(id).includes(tag)))
  const pick = ({ value }: Choice) =>
    onPick(chosen.includes(value) ? { remove_tag_ids: [value] } : { add_tag_ids: [value] })
  return (
    <PickerPopover
      anchor={anchor}
      label={texts().bulk.addTag}
      choices={tagChoices()}
      chosen={chosen}
      create={async (name) => {
        const made = await create('tags', { name })
        return { value: made.id, label: name }
      }}
      onClose={onClose}
      onPick={pick}
    />
  )
}
