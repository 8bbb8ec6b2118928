import type { Kind } from '../data/records.ts'

/** The records that tables show: as their resource is called, and as lists, custom fields and merges call one of them. */
export const OBJECTS = { contacts: 'contact', companies: 'company', deals: 'deal' } as const
export type TableKind = keyof typeof OBJECTS & Kind
export type TableObject = (typeof OBJECTS)[TableKind]

export const kindOfObject = (object: TableObject): TableKind =>
  ({ contact: 'contacts', company: 'companies', deal: 'deals' })[object] as TableKind

/** Those that can be merged. */
export const isMergeable = (kind: TableKind): kind is 'contacts' | 'companies' => kind !== 'deals'
