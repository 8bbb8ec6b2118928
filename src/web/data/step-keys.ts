// The keys of writes say which step they belong to, `step.TAB-STEP.NUMBER`: the server finds by them what there is to take
// back, see docs/decisions/050-one-undo.md. A gesture is one step, however many records it changes.

const PREFIX = 'step.'

/** Keys of the steps of one tab. */
export function stepKeys(tab: string) {
  let steps = 0
  let keys = 0
  let isInStep = false
  let goesOn: string | undefined

  /** The key of the next write; of a write that goes on with another one, in the same step. */
  function newKey(of?: string): string {
    const step = of?.startsWith(PREFIX)
      ? of.slice(0, of.lastIndexOf('.'))
      : `${PREFIX}${goesOn ?? `${tab}-${isInStep ? steps : ++steps}`}`
    return `${step}.${++keys}`
  }

  /** All keys that are made while it runs are of one step, whose name it returns. */
  function asStep(run: () => void): string {
    if (!isInStep) steps++
    const wasInStep = isInStep
    isInStep = true
    try {
      run()
    } finally {
      isInStep = wasInStep
    }
    return `${tab}-${steps}`
  }

  /** All keys that are made while it runs are of a step that was begun before. */
  function inStep(step: string, run: () => void): void {
    goesOn = step
    try {
      run()
    } finally {
      goesOn = undefined
    }
  }

  return { newKey, asStep, inStep, isMine: (key: string): boolean => key.startsWith(`${PREFIX}${tab}-`) }
}

export const isOfStep = (key: string, step: string): boolean => key.startsWith(`${PREFIX}${step}.`)

/** The step of a key; undefined for a key of another kind. */
export const stepOf = (key: string): string | undefined =>
  key.startsWith(PREFIX) ? key.slice(PREFIX.length, key.lastIndexOf('.')) : undefined

/** Whether the events of a key take something back. */
export const isUndo = (key: string): boolean => key.startsWith(`${PREFIX}undo.`)
