import { createElement } from 'preact'
import { Avatar } from '../../components/avatar.tsx'
import type { Choice } from '../../components/choices.tsx'
import { boot } from '../../data/boot.ts'
import { sources } from '../../data/sources.ts'
import { texts } from './texts/texts.ts'

/** Whom a deal can be assigned to; the empty value is nobody. */
export const ownerChoices = (): Choice[] => [
  ...boot.value.members
    .filter(({ status }) => status === 'active')
    .map(({ id, name, email }) => ({
      value: id,
      label: name,
      words: email,
      mark: createElement(Avatar, { kind: 'member', id, name, size: 16 }),
    })),
  { value: '', label: texts().noOwner, mark: createElement(Avatar, { kind: 'nobody', size: 16 }) },
]

export const tagChoices = (): Choice[] =>
  sources.tags().map(({ id, name, color }) => ({
    value: id,
    label: name,
    mark: createElement('span', { key: id, class: 'tag', style: color ? { '--c': color } : undefined }),
  }))
