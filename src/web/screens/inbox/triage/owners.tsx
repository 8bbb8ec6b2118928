import { Avatar } from '../../../components/avatar.tsx'
import type { Choice } from '../../../components/choices.tsx'
import { boot } from '../../../data/boot.ts'

/** Who can have a conversation: whoever may answer it. */
export const mayOwn = () => boot.value.members.filter(({ status, role }) => status === 'active' && role !== 'viewer')

export const owners = (): Choice[] =>
  mayOwn().map(({ id, name, email }) => ({
    value: id,
    label: name,
    words: email,
    mark: <Avatar key={id} kind="member" id={id} name={name} size={16} />,
  }))
