import { ApiProblem, LetGo } from '../data/api.ts'
import { sayWhy } from './say-why.ts'
import { showToast } from './toast.tsx'

/** Says what did not happen and why. Conflicts are answered at their field. */
export function sayFailed(what: string, error: unknown): void {
  if ((error instanceof ApiProblem && error.status === 412) || error instanceof LetGo) return
  showToast({ text: `${what}. ${sayWhy(error)}`, kind: 'error' })
}
