import type { PageKind } from '../components/kinds.ts'
import { look } from '../data/presence.ts'

/** Colleagues see that I look at the record, and which field I edit. */
export const lookAt = (kind: PageKind, id: string): void => look({ viewing: { kind, id } })

export const lookAway = (): void => look({ viewing: null })

export const editField = (kind: PageKind, id: string, field: string | null): void =>
  look({ viewing: { kind, id }, editing: field === null ? null : { kind, id, field } })
