import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import { client } from './current.ts'
import { draft } from './drafts.ts'
import type { Fields } from './types.ts'

// Forms that were begun and not saved: Esc, Back and a closed tab keep what was typed. One form may stand open in several
// tabs, for a person each, so that each of them is a member of its own in the draft of that form.

export type FormDraft = {
  /** What was typed; undefined if nothing was. */
  values: ReadonlySignal<Fields | undefined>
  /** It was begun earlier, and is back. */
  isBack: ReadonlySignal<boolean>
  set(values: Fields): void
  /** It was saved or thrown away. */
  clear(): void
  /** It is shown no more: the next one that is opened begins with it. */
  close(): void
}

/** Older ones go. */
const MOST = 8

/** Those that are shown, each with what looks again for one to go on with. */
const open = new Map<string, () => void>()
let number = 0

/** `isNew` does not go on with what was begun. */
export function openForm(name: string, isNew = false): FormDraft {
  const { tab, livingTabs } = client()
  const all = draft(`form:${name}`)
  const id = `${tab}.${number++}`
  const isBack = signal(false)
  const entries = (): Record<string, Fields> => (all.body.peek() ?? {}) as Record<string, Fields>
  const values = computed(() => (all.body.value as Record<string, Fields> | undefined)?.[id])
  let isOver = false

  /** Goes on with the newest that nobody has before them. */
  function takeUp(isFree: (id: string) => boolean): void {
    const found = Object.keys(entries()).findLast((each) => !open.has(each) && isFree(each))
    if (isOver || values.peek() !== undefined || found === undefined) return
    const { [found]: begun, ...others } = entries()
    all.set({ ...others, [id]: begun })
    isBack.value = true
  }
  const isOwn = (each: string): boolean => each.startsWith(`${tab}.`)
  async function takeUpOthers(): Promise<void> {
    if (Object.keys(entries()).every(isOwn)) return takeUp(isOwn)
    const living = (await livingTabs?.()) ?? new Set()
    takeUp((each) => isOwn(each) || !living.has(each.slice(0, each.lastIndexOf('.'))))
  }
  let stop = () => {}
  open.set(id, () => isNew || takeUp(isOwn))
  if (!isNew) {
    takeUp(isOwn)
    stop = effect(() => {
      if (all.isLoaded.value) void takeUpOthers()
    })
  }

  return {
    values,
    isBack,
    set(values) {
      const kept = Object.entries(entries()).filter(([each]) => each !== id)
      all.set(Object.fromEntries([...kept.slice(1 - MOST), [id, values]]))
    },
    clear() {
      isBack.value = false
      const { [id]: mine, ...others } = entries()
      if (mine === undefined) return
      if (Object.keys(others).length > 0) all.set(others)
      else all.clear()
    },
    close() {
      isOver = true
      stop()
      open.delete(id)
      // The same form may be drawn anew in another place before it is gone from its own.
      for (const look of open.values()) look()
    },
  }
}
