import { useMemo, useRef } from 'preact/hooks'
import { Avatar } from '../components/avatar.tsx'
import { offerDuplicate } from '../components/duplicate/offer.ts'
import { InlineEdit } from '../components/fields/inline-edit.tsx'
import { Icon } from '../components/icon.tsx'
import type { PageKind } from '../components/kinds.ts'
import { type Property, patchOf, shownValue } from '../components/properties/properties.ts'
import { memberName } from '../data/boot.ts'
import { mayWrite } from '../data/may.ts'
import { editorOf } from '../data/presence.ts'
import { patch, type Rec } from '../data/records.ts'
import { propertyState, takeMine, takeTheirs } from './field-state.ts'
import { editField } from './looking.ts'
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
  /** As it was when I began to type: what somebody else has set since is a conflict. */
  const opened = useRef(record)
  const value = shownValue(record, property)
  const isFree = mayWrite(kind)
  const field = isFree ? property.field : { ...property.field, off: texts().readOnly }
  const save = (mine: unknown) => {
    // What was refused stays open at the field, with the reason.
    const body = patchOf(opened.current, property, mine)
    patch(kind, id, body, opened.current).catch((error) => void offerDuplicate(error, kind, { id, body }))
  }
  const name = editor && (memberName(editor.member_id) ?? '')
  return (
    <>
      <InlineEdit
        field={field}
        value={value}
        state={state}
        onSave={save}
        onUseMine={() => takeMine(kind, id, property)}
        onUseTheirs={() => takeTheirs(kind, id, property)}
        onEditing={(isEditing) => {
          if (isEditing) opened.current = record
          editField(kind, id, isEditing ? path : null)
        }}
        note={editor && texts().editsToo(name ?? '')}
      />
      {editor && (
        <span class="edits row" title={texts().edits(name ?? '')}>
          <Avatar kind="member" id={editor.member_id} name={name} size={16} />
          <Icon name="pen" small />
          <span class="sr">{texts().edits(name ?? '')}</span>
        </span>
      )}
    </>
  )
}
