import { useMemo, useRef } from 'preact/hooks'
import type { Typed } from '../../lib/written/people/name-fields.ts'
import { withFigures } from '../components/fields/figures.ts'
import { InlineEdit } from '../components/fields/inline-edit.tsx'
import type { PageKind } from '../components/kinds.ts'
import type { Property } from '../components/properties/properties.ts'
import { texts as propertyTexts } from '../components/properties/texts.ts'
import { mayWrite } from '../data/may.ts'
import { patch, type Rec } from '../data/records.ts'
import { format } from '../lib/locale.ts'
import { propertyState, takeMine, takeTheirs } from './field-state.ts'
import { editField } from './looking.ts'
import { texts } from './texts.ts'

/** What a record is called. A contact's name follows from its parts, also before the server has answered. */
export function titleOf(kind: PageKind, record: Rec): string {
  if (kind === 'deals') return String(record.title ?? '')
  if (kind === 'companies') return String(record.name ?? '')
  const parts = [record.first_name, record.last_name].filter(Boolean).join(' ')
  return parts || String(record.name ?? '')
}

const propertyOf = (kind: PageKind): Property => {
  const key = kind === 'deals' ? 'title' : 'name'
  const label = kind === 'deals' ? propertyTexts().title : propertyTexts().name
  return {
    field: { key, label, type: 'text', is_required: kind !== 'contacts' },
    paths: kind === 'contacts' ? ['first_name', 'last_name'] : [key],
  }
}

/** The heading, edited in place. */
export function Title({ kind, record, isPeek }: { kind: PageKind; record: Rec; isPeek: boolean }) {
  const { id } = record
  const property = propertyOf(kind)
  const [path = ''] = property.paths
  const state = useMemo(() => propertyState(kind, id, property), [kind, id])
  /** As it was when I began to type: what somebody else has set since is a conflict. */
  const opened = useRef(record)
  const title = titleOf(kind, record)
  const field = mayWrite(kind) ? property.field : { ...property.field, off: texts().readOnly }
  return (
    <div class="name wraps">
      {/* What stands beside it is edited: a heading is read out without the words of a button. */}
      {!isPeek && <h1 class="sr">{title}</h1>}
      <InlineEdit
        field={field}
        value={title}
        // The parts of a contact's name say for themselves what is wrong with them.
        state={kind === 'contacts' ? undefined : state}
        onSave={(value) => {
          const from = opened.current
          const former = from as unknown as Typed
          const save = (fields: Record<string, unknown>) => void patch(kind, id, fields, from).catch(() => undefined)
          if (kind !== 'contacts') return save({ [path]: value })
          withFigures(({ typedNames }) => save(typedNames(String(value ?? ''), format.value.tag, former)))
        }}
        onUseMine={() => takeMine(kind, id, property)}
        onUseTheirs={() => takeTheirs(kind, id, property)}
        onEditing={(isEditing) => {
          if (isEditing) opened.current = record
          editField(kind, id, isEditing ? path : null)
        }}
      />
    </div>
  )
}
