import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

export type Question = {
  /** "Delete the sequence “After the demo”?" */
  title: string
  /** What happens, and what stays. */
  text: ComponentChildren
  /** The safe way: "Keep it". */
  keep: string
  /** The final one, with the verb of the title: "Delete sequence". */
  verb: string
  /** It can be undone. */
  isHarmless?: boolean
}

const asked = signal<(Question & { answer: (isSure: boolean) => void }) | undefined>(undefined)

/** Asks before what undo cannot bring back, and where somebody else has acted meanwhile; before nothing else. True if it is to be done. */
export function confirmFinal(question: Question): Promise<boolean> {
  asked.value?.answer(false)
  return new Promise((resolve) => {
    asked.value = {
      ...question,
      answer(isSure) {
        asked.value = undefined
        resolve(isSure)
      },
    }
  })
}

/** The place of the question, in the app once. */
export function Confirm() {
  if (!asked.value) return null
  const { title, text, keep, verb, isHarmless, answer } = asked.value
  return (
    <Dialog
      key={title}
      title={title}
      alert
      onClose={() => answer(false)}
      footer={
        <>
          <Button plain large autofocus onClick={() => answer(false)}>
            {keep}
          </Button>
          <Button first danger={!isHarmless} large onClick={() => answer(true)}>
            {verb}
          </Button>
        </>
      }
    >
      {text}
    </Dialog>
  )
}
