import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { t } from '../lib/texts/texts.ts'
import { Button, IconButton } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'
import { Spinner } from './spinner.tsx'
import './toast.css'

export type Toast = {
  /** Past tense, and names the thing: "3 contacts deleted". */
  text: string
  icon?: IconName | undefined
  /** Errors stay until they are closed, work until something follows. */
  kind?: 'done' | 'error' | 'working' | undefined
  action?: { label: string; keys?: string | undefined; run: () => void } | undefined
  /** Offers "Undo", also by the key Z. */
  undo?: (() => void) | undefined
  /** The step that it tells of, which "Undo" takes back. With the icon "trash", it is a deletion, and leads to the bin. */
  step?: string | undefined
}

const SECONDS = 10
const shown = signal<(Toast & { number: number }) | undefined>(undefined)
let number = 0

let takeBack: (step: string) => void = () => undefined
let undoKeys: () => string | undefined = () => undefined

/** Says how the steps of toasts are taken back, and by which keys. */
export function takeStepsBackBy(run: typeof takeBack, keys: typeof undoKeys): void {
  takeBack = run
  undoKeys = keys
}

/** Shows one line at the bottom left, in place of the one before. Returns what takes it away. */
export function showToast(toast: Toast): () => void {
  number += 1
  const { step } = toast
  const undo = step === undefined ? toast.undo : () => takeBack(step)
  const mine = { ...toast, undo, number }
  shown.value = mine
  return () => closeToast(mine.number)
}

/** Undoes what the toast tells of. False if there is nothing to undo: for the key Z. */
export function undoShown(): boolean {
  const { undo } = shown.peek() ?? {}
  if (!undo) return false
  shown.value = undefined
  undo()
  return true
}

function closeToast(which: number): void {
  if (shown.peek()?.number === which) shown.value = undefined
}

/** The place of toasts, in the app once. */
export function Toasts() {
  const place = useRef<HTMLElement>(null)
  const toast = shown.value
  useLayoutEffect(() => {
    const element = place.current
    if (!toast || !element) return
    // Opened anew, it stands over a dialog that came after it.
    if (element.matches(':popover-open')) element.hidePopover()
    element.showPopover()
  }, [toast])
  return (
    <>
      <div class="sr" role="status">
        {toast?.text}
      </div>
      <section ref={place} class="toasts" popover="manual" aria-label={t().messages}>
        {toast && <OneToast key={toast.number} toast={toast} />}
      </section>
    </>
  )
}

function OneToast({ toast }: { toast: Toast & { number: number } }) {
  const { text, icon, kind = 'done', action, undo } = toast
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (isHeld || kind !== 'done') return
    const timer = setTimeout(() => closeToast(toast.number), SECONDS * 1000)
    return () => clearTimeout(timer)
  }, [isHeld, kind, toast.number])
  const close = () => closeToast(toast.number)
  const acts = [action, undo && { label: t().undo, keys: undoKeys(), run: undo }]
  return (
    <div
      class={kind === 'error' ? 'toast error' : icon === 'lost' ? 'toast lost' : 'toast'}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
    >
      {kind === 'working' ? <Spinner /> : <Icon name={icon ?? (kind === 'error' ? 'alert' : 'check')} />}
      <span class="grow">{text}</span>
      {toast.step && icon === 'trash' && (
        <a class="btn" href="/settings/bin" onClick={close}>
          {t().bin}
        </a>
      )}
      {acts.map(
        (act) =>
          act && (
            <Button
              key={act.label}
              keys={act.keys}
              onClick={() => {
                close()
                act.run()
              }}
            >
              {act.label}
            </Button>
          ),
      )}
      {kind === 'error' && <IconButton icon="x" title={t().close} onClick={close} />}
    </div>
  )
}
