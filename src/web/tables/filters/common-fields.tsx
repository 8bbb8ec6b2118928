import { Avatar } from '../../components/avatar.tsx'
import type { Choice } from '../../components/choices.tsx'
import { awayNote } from '../../data/away.ts'
import { boot, me } from '../../data/boot.ts'
import { t } from '../../lib/texts/texts.ts'
import { sources } from '../../shell/sources.ts'
import { type FieldKind, ME } from './conditions.ts'
import type { FilterField } from './filter-field.ts'

// What the filters of the board and those of tables have in common. All of it reads signals.

type Member = (typeof boot.value.members)[number]

const choicesOf = (members: readonly Member[]): Choice[] =>
  members.map(({ id, name, email }) => ({
    value: id,
    label: name,
    note: awayNote(id),
    words: email,
    mark: <Avatar key={id} kind="member" id={id} name={name} size={16} />,
  }))

/** Whoever looks, then all members: a record may still be that of one who is disabled. */
export function memberChoices(): Choice[] {
  const { id, name, email } = me.value
  const mark = <Avatar key={ME} kind="member" id={id} name={name} size={16} />
  return [{ value: ME, label: t().me, note: name, words: `${name} ${email}`, mark }, ...choicesOf(boot.value.members)]
}

/** Whom records can be given to. */
export const ownerChoices = (): Choice[] => choicesOf(boot.value.members.filter(({ status }) => status === 'active'))

export const tagChoices = (): Choice[] =>
  sources.tags().map(({ id, name, color }) => ({
    value: id,
    label: name,
    mark: <span key={id} class="tag" style={color ? { '--c': color } : undefined} />,
  }))

/** A field that names a record, which is searched for. */
export const linked = (kind: 'company' | 'contact') => ({
  search: sources.search(kind),
  choiceOf: (id: string): Choice | undefined => {
    const label = sources.nameOf(kind, id)
    return label === undefined ? undefined : { value: id, label }
  },
})

/** How the values of custom fields compare, by type: as on the server. */
const KINDS: Record<string, FieldKind> = {
  text: 'text',
  url: 'text',
  email: 'text',
  phone: 'text',
  number: 'number',
  boolean: 'flag',
  date: 'date',
  datetime: 'time',
  select: 'choice',
  multi_select: 'choices',
  member: 'id',
}

/** The custom fields of an object, such as `deal`, under the heading `group`. */
export const customFields = (object: string, group: string): FilterField[] =>
  boot.value.custom_fields
    .filter((field) => field.object === object && !field.is_archived)
    .map(({ key, label, type, options }) => ({
      name: `custom_fields.${key}`,
      label,
      kind: KINDS[type] ?? 'text',
      icon: 'list',
      group,
      ...(type === 'member'
        ? { choices: memberChoices }
        : options
          ? { choices: () => options.map((option) => ({ value: option.value, label: option.label })) }
          : {}),
    }))
