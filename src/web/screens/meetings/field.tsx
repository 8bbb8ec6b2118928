import { useRef } from 'preact/hooks'
import type { Field } from '../../components/fields/field.ts'
import { InlineEdit } from '../../components/fields/inline-edit.tsx'
import { fieldState, patch, useMine, useTheirs } from '../../data/records.ts'
import type { Meeting } from '../../data/types.ts'
import { mayWriteMeetings } from './state.ts'
import { texts } from './texts.ts'

/** A field that nobody gets a mail about, edited where it is read. A meeting has one deal: the last one that is chosen. */
export function MeetingField({ meeting, field: given }: { meeting: Meeting; field: Field }) {
  const { id } = meeting
  const { key, type } = given
  const field = mayWriteMeetings() ? given : { ...given, off: texts().readOnly }
  /** As it was when I began to type: what somebody else has set since is a conflict. */
  const opened = useRef(meeting)
  const value = (meeting as unknown as Record<string, unknown>)[key]
  const isOne = type === 'deals'
  const save = (mine: unknown) => {
    const next = isOne ? ((mine as string[]).at(-1) ?? null) : mine
    void patch('meetings', id, { [key]: next }, opened.current as unknown as Record<string, unknown>).catch(
      () => undefined,
    )
  }
  return (
    <InlineEdit
      field={field}
      value={isOne ? (value === null ? [] : [value]) : value}
      state={fieldState('meetings', id, key)}
      onSave={save}
      onUseMine={() => void useMine('meetings', id, key)}
      onUseTheirs={() => useTheirs('meetings', id, key)}
      onEditing={(isEditing) => {
        if (isEditing) opened.current = meeting
      }}
    />
  )
}
