import { showToast } from '../components/toast.tsx'
import { texts } from './texts.ts'

/** Copies a text, and says so. Pages without TLS have no clipboard of their own: there the old command does it. */
export async function copyText(text: string, said: string): Promise<void> {
  const isCopied = navigator.clipboard ? await navigator.clipboard.writeText(text).then(yes, no) : byCommand(text)
  showToast(isCopied ? { text: said, icon: 'copy' } : { text: texts().notCopied(text), kind: 'error' })
}

const yes = () => true
const no = () => false

function byCommand(text: string): boolean {
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.setAttribute('readonly', '')
  area.className = 'sr'
  // In a dialog, what stands outside of it cannot be selected.
  const place = focused?.closest('dialog') ?? document.body
  place.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}
