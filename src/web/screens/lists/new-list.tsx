import { me } from '../../data/boot.ts'
import { create } from '../../data/records.ts'
import type { List } from '../../data/types.ts'
import { navigate } from '../../lib/router.ts'
import { words } from '../../lib/texts/words/texts.ts'
import { Form } from '../../shell/pages/form.tsx'
import { noteList } from '../../tables/lists-of-boot.ts'
import { texts } from '../../tables/texts.ts'

const OBJECTS = ['contact', 'company', 'deal'] as const

/** Makes a list that is filled by hand; a smart one is made where its filter is. */
export function NewList({ onClose }: { onClose: () => void }) {
  const its = texts().lists
  return (
    <Form<Pick<List, 'name' | 'object'>>
      name="lists"
      title={its.create}
      isDialog
      initial={{ object: 'contact' }}
      entries={[
        { key: 'name', label: words().name, type: 'text', is_required: true },
        {
          key: 'object',
          label: its.of,
          type: 'select',
          is_required: true,
          options: OBJECTS.map((value) => ({ value, label: words().objects[value] })),
        },
      ]}
      verb={its.save}
      send={async (given) => {
        const made = await create('lists', { ...given, kind: 'static', owner_id: me.peek().id })
        noteList(made)
        void navigate(`/lists/${made.id}`)
      }}
      onClose={onClose}
    >
      {its.smartHelp}
    </Form>
  )
}
