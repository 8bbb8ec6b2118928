import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import './dialog.css'

type DialogProps = {
  /** A question or a fact. */
  title: string
  /** Esc: the one who shows it takes it away. */
  onClose: () => void
  /** 620 px instead of 400. */
  wide?: boolean | undefined
  /** It interrupts: a conflict, or something that cannot be undone. */
  alert?: boolean | undefined
  children: ComponentChildren
  /** The safe way left of the final one, each named by its verb. */
  footer: ComponentChildren
}

/**
 * For what cannot be undone and for conflicts; a form belongs into a panel. There while it is rendered: the focus goes in (to
 * the element with `autofocus`, else the first control), stays, and returns.
 */
export function Dialog({ title, onClose, wide, alert, children, footer }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={ref}
      class={wide ? 'dialog wide' : 'dialog'}
      role={alert ? 'alertdialog' : undefined}
      aria-labelledby={`${id}-title`}
      aria-describedby={alert ? `${id}-body` : undefined}
      onCancel={(event) => {
        // Those of file inputs inside bubble up to here.
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        onClose()
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <header>
        <h2 id={`${id}-title`}>{title}</h2>
      </header>
      <div class="body" id={`${id}-body`}>
        {children}
      </div>
      <footer>{footer}</footer>
    </dialog>
  )
}
