import { createElement } from 'preact'
import { Avatar } from '../../components/avatar.tsx'
import type { Choice } from '../../components/choices.tsx'
import { texts } from '../../tables/deals/texts/texts.ts'
import { ownerChoices as members } from '../../tables/filters/common-fields.tsx'

/** Whom a deal can be assigned to; the empty value is nobody. */
export const ownerChoices = (): Choice[] => [
  ...members(),
  { value: '', label: texts().noOwner, mark: createElement(Avatar, { kind: 'nobody', size: 16 }) },
]
