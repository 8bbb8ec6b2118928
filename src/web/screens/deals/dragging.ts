import { signal } from '@preact/signals'

type Drags = typeof import('./drag-and-drop.ts')

/** What makes cards draggable, once a mouse or pen has come over the board: phones and the first page do without. */
export const dragging = signal<Drags | null>(null)

let loading: Promise<void> | undefined

export function armDragging(pointerType: string): void {
  if (pointerType === 'touch' || loading) return
  loading = import('./drag-and-drop.ts').then(
    (module) => {
      dragging.value = module
    },
    () => {
      loading = undefined // the next time tries again
    },
  )
}
