import { showToast } from '../toast.tsx'
import { texts } from './texts.ts'

/** Says that Esc has dropped a text or a group of fields, and takes that back: an editor in place has no other draft. */
export function dropped(reopen: (() => void) | undefined): void {
  if (reopen) showToast({ text: texts().thrownAway, icon: 'trash', undo: reopen })
}
