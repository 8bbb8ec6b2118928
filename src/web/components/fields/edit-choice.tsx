import { t } from '../../lib/texts/texts.ts'
import { Avatar } from '../avatar.tsx'
import { type Choice, Combobox, MultiCombobox } from '../combobox.tsx'
import { Icon } from '../icon.tsx'
import type { EditProps, Option } from './field.ts'
import { type Linked, useSources } from './sources.ts'
import { fieldTexts } from './texts.ts'

/** More choices than this always get typing. */
const FEW = 8

/** Of a few choices in a form the select of the browser, else a combobox. */
export function EditSelect(props: EditProps) {
  return <OneOf {...props} options={props.field.options ?? []} />
}

export function EditBoolean(props: EditProps) {
  const draft = props.draft === true ? 'true' : props.draft === false ? 'false' : null
  const options = [
    { value: 'true', label: t().yes },
    { value: 'false', label: t().no },
  ]
  const read = (value: unknown) => (value === null ? null : value === 'true')
  return (
    <OneOf
      {...props}
      draft={draft}
      options={options}
      onDraft={(value) => props.onDraft(read(value))}
      onDone={(value) => props.onDone(read(value))}
    />
  )
}

function OneOf({ options, ...props }: EditProps & { options: readonly Option[] }) {
  const { field, draft, onDraft, id, describedBy, invalid, where } = props
  if (where === 'place' || options.length > FEW) return <PickOne {...props} choices={options.map(choiceOf)} />
  return (
    <>
      <select
        id={id}
        class="bare"
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
        required={field.is_required ? true : undefined}
        value={String(draft ?? '')}
        onChange={(event) => onDraft(event.currentTarget.value || null)}
      >
        {(!field.is_required || draft === null) && (
          <option value="">{field.is_required ? fieldTexts().choose : t().none}</option>
        )}
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <Icon name="down" small />
    </>
  )
}

const choiceOf = ({ value, label, color }: Option): Choice => ({
  value,
  label,
  mark: color && <Square color={color} />,
})
const Square = ({ color }: { color: string }) => <i class="square" style={{ '--c': color }} aria-hidden="true" />

type PickOneProps = EditProps & { choices: readonly Choice[] }

function PickOne({ field, draft, onDraft, onDone, choices, id, describedBy, invalid, autofocus }: PickOneProps) {
  return (
    <Combobox
      id={id}
      label={field.label}
      value={choices.find(({ value }) => value === draft) ?? null}
      choices={choices}
      clearable={!field.is_required}
      placeholder={field.example}
      describedBy={describedBy}
      invalid={invalid}
      autofocus={autofocus}
      open={autofocus}
      // An emptied input is saved when it is left, a choice at once.
      onPick={(choice) => (choice ? onDone(choice.value) : onDraft(null))}
    />
  )
}

export function EditMember(props: EditProps) {
  const { members: all, memberNote } = useSources()
  const members = all()
  // Deactivated members are only offered where one is set already.
  const offered = members.filter(({ id, status }) => status !== 'deactivated' || id === props.draft)
  return (
    <PickOne {...props} choices={offered.map((each) => ({ ...memberChoice(each), note: memberNote?.(each.id) }))} />
  )
}

const memberChoice = ({ id, name, email }: { id: string; name: string; email?: string }): Choice => ({
  value: id,
  label: name,
  words: email,
  mark: <Avatar kind="member" id={id} name={name} />,
})

/** Picks a record by searching for it; what is not found can be created. */
export const editLinked = (kind: Linked) =>
  function EditLinked({ field, draft, onDraft, onDone, id, describedBy, invalid, autofocus }: EditProps) {
    const sources = useSources()
    const current = typeof draft === 'string' ? { value: draft, label: sources.nameOf(kind, draft) ?? '' } : null
    return (
      <Combobox
        id={id}
        label={field.label}
        value={current}
        search={sources.search(kind)}
        create={sources.create && ((name) => sources.create?.(kind, name) ?? Promise.resolve(null))}
        clearable={!field.is_required}
        placeholder={field.example}
        describedBy={describedBy}
        invalid={invalid}
        autofocus={autofocus}
        open={autofocus}
        onPick={(choice) => (choice ? onDone(choice.value) : onDraft(null))}
      />
    )
  }

export const editSeveralLinked = (kind: Linked) =>
  function EditSeveralLinked(props: EditProps) {
    const sources = useSources()
    const ids = listOf(props.draft)
    return (
      <PickSeveral
        {...props}
        value={ids.map((value) => ({ value, label: sources.nameOf(kind, value) ?? '…' }))}
        search={sources.search(kind)}
        create={sources.create && ((name) => sources.create?.(kind, name) ?? Promise.resolve(null))}
      />
    )
  }

export function EditOptions(props: EditProps) {
  const choices = (props.field.options ?? []).map(choiceOf)
  const chosen = listOf(props.draft).map(
    (value) => choices.find((each) => each.value === value) ?? { value, label: value },
  )
  return <PickSeveral {...props} value={chosen} choices={choices} />
}

export function EditTags(props: EditProps) {
  const sources = useSources()
  const choices = sources.tags().map(({ id, name, color }) => choiceOf({ value: id, label: name, color }))
  const chosen = listOf(props.draft).flatMap((id) => choices.find(({ value }) => value === id) ?? [])
  const create = sources.create
  return <PickSeveral {...props} value={chosen} choices={choices} create={create && ((name) => create('tag', name))} />
}

type PickSeveralProps = EditProps & Pick<Parameters<typeof MultiCombobox>[0], 'value' | 'choices' | 'search' | 'create'>

function PickSeveral({
  field,
  onDraft,
  value,
  choices,
  search,
  create,
  id,
  describedBy,
  invalid,
  autofocus,
}: PickSeveralProps) {
  return (
    <MultiCombobox
      id={id}
      label={field.label}
      value={value}
      choices={choices}
      search={search}
      create={create}
      placeholder={value.length === 0 ? field.example : undefined}
      describedBy={describedBy}
      invalid={invalid}
      autofocus={autofocus}
      open={autofocus}
      onChange={(next) => onDraft(next.map((each) => each.value))}
    />
  )
}

const listOf = (draft: unknown): string[] => (Array.isArray(draft) ? draft : [])
