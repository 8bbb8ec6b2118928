import { ApiProblem } from '../../data/api.ts'
import type { Kind } from '../../data/types.ts'
import type { Refused } from './dialog.tsx'

/** Offers what can be done with it instead. False for an error of another kind. */
export function offerDuplicate(error: unknown, kind: Kind, refused: Omit<Refused, 'kind'>): boolean {
  const other = error instanceof ApiProblem && error.code === 'duplicate' ? error.body.duplicate_id : undefined
  const isOurs = 'emails' in refused.body || 'domains' in refused.body
  if (typeof other !== 'string' || !isOurs || (kind !== 'contacts' && kind !== 'companies')) return false
  void import('./dialog.tsx').then(({ showDuplicate }) => showDuplicate(other, { ...refused, kind }))
  return true
}
