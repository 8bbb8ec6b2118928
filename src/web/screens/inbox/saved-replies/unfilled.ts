import { showToast } from '../../../components/toast.tsx'
import { format } from '../../../lib/locale.ts'
import { unfilledIn } from './reply.ts'
import { texts } from './texts.ts'

/** Says which variables still stand in a text, and marks the first of them. False if there are none. */
export function showUnfilled(text: string, area: HTMLTextAreaElement | null | undefined): boolean {
  const [first, ...others] = unfilledIn(text)
  if (first === undefined) return false
  showToast({ kind: 'error', text: texts().unfilled(format.peek().list([first, ...others]), others.length + 1) })
  const at = text.indexOf(first)
  area?.focus()
  area?.setSelectionRange(at, at + first.length)
  return true
}
