import { signal } from '@preact/signals'
import { useMemo, useRef, useState } from 'preact/hooks'
import { memberName } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { editorOf } from '../../data/presence.ts'
import { patch, type Rec } from '../../data/records.ts'
import { Avatar } from '../avatar.tsx'
import type { FieldState } from '../fields/field.ts'
import { InlineEdit } from '../fields/inline-edit.tsx'
import { propertyState, takeMine, takeTheirs } from './field-state.ts'
import { type Property, patchOf, shownValue } from './fields.ts'
import type { PageKind } from './kinds.ts'
import { editField } from './looking.ts'
import { mayWrite } from './may-write.ts'
import { texts } from './texts.ts'

type PropertyProps = { kind: PageKind; record: Rec; property: Property }

/** A property that is edited where it is read. What the server refuses, and what others changed, is said at it. */
export function PropertyRow(props: PropertyProps) {
  return (
    <div data-property={props.property.field.key}>
      <dt>{props.property.field.label}</dt>
      <dd>
        <PropertyValue {...props} />
      </dd>
    </div>
  )
}

export function PropertyValue({ kind, record, property }: PropertyProps) {
  const { id } = record
  const [path = ''] = property.paths
  const state = useMemo(() => propertyState(kind, id, property), [kind, id, property.paths.join()])
  const editor = useMemo(() => editorOf(kind, id, path), [kind, id, path]).value
  // What I saw when I began, and what I typed while somebody else set the field.
  const opened = useRef<unknown>(undefined)
  const [late, setLate] = useState<{ mine: unknown } | undefined>(undefined)
  const value = shownValue(record, property)
  const isFree = mayWrite(kind)
  const field = isFree ? property.field : { ...property.field, off: texts().readOnly }
  const save = (mine: unknown) => {
    // What was refused stays open at the field, with the reason.
    patch(kind, id, patchOf(record, property, mine)).catch(() => undefined)
  }
  const name = editor && (memberName(editor.member_id) ?? '')
  return (
    <>
      <InlineEdit
        field={field}
        value={value}
        state={late ? signal<FieldState>(clashOf(kind, id, path, record, late.mine, value)) : state}
        onSave={(mine) => {
          if (JSON.stringify(opened.current) !== JSON.stringify(value)) setLate({ mine })
          else save(mine)
        }}
        onUseMine={() => {
          setLate(undefined)
          if (late) save(late.mine)
          else takeMine(kind, id, property)
        }}
        onUseTheirs={() => {
          setLate(undefined)
          if (!late) takeTheirs(kind, id, property)
        }}
        onEditing={(isEditing) => {
          if (isEditing) opened.current = value
          editField(kind, id, isEditing ? path : null)
        }}
        note={editor && texts().editsToo(name ?? '')}
      />
      {editor && (
        <span class="edits small mute">
          <Avatar kind="member" id={editor.member_id} name={name} size={16} /> {texts().edits(name ?? '')}
        </span>
      )}
    </>
  )
}

/** Somebody set the field while it was typed in: both values, for a decision. */
function clashOf(kind: PageKind, id: string, path: string, record: Rec, mine: unknown, theirs: unknown) {
  const author = client().store.find(kind, id)?.authors.get(path)
  const { by, at } = author ?? { by: null, at: String(record.updated_at) }
  return { state: 'conflict' as const, mine, theirs, by, at }
}
