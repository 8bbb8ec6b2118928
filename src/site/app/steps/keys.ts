// The keys of requests from the screens say which step of a member they belong to: `step.STEP.NUMBER`. What one gesture
// changes is one step, of one request or of many. A request for several records numbers them: `step.STEP.NUMBER.RECORD`. The
// events of an undo name what they take back: `step.undo.SEQ`. A restore from the bin is both: `step.undo.SEQ.STEP` takes a
// deletion back, and can be taken back as a step of its own.

const STEP = /^step\.([\w-]+)\.\d+(?:\.\d+)?$/
const UNDO = /^step\.undo\.(\d+)(?:\.([\w-]+))?$/

/** The step of a request, or of a restore; undefined for other keys, and for those of an undo. */
export function stepOf(key: string): string | undefined {
  const undo = UNDO.exec(key)
  return undo ? undo[2] : STEP.exec(key)?.[1]
}

/** The key of the events that take back another one, in a step or not. */
export const undoKey = (seq: number, step?: string): string => `step.undo.${seq}${step === undefined ? '' : `.${step}`}`

/** The event that the events with this key have taken back; undefined for other keys. */
export function undoneBy(key: string): number | undefined {
  const undo = UNDO.exec(key)
  return undo ? Number(undo[1]) : undefined
}
