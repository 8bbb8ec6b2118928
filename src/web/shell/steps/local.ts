import { showToast } from '../../components/toast.tsx'
import { client } from '../../data/current.ts'

// Steps that are no changes of records, such as the role of a member: this page alone knows how they are taken back.

type Local = { seq: number; run: () => Promise<void> | void }

const MOST = 20
let steps: Local[] = []

/** Says what was done, with a way back: of the message, and by Z as long as it is my newest step. */
export function offerLocal(text: string, run: () => Promise<void> | void): void {
  const mine = { seq: client().seq(), run }
  steps = [...steps, mine].slice(-MOST)
  showToast({
    text,
    undo: () => {
      steps = steps.filter((each) => each !== mine)
      void run()
    },
  })
}

/** Takes the newest of them back if it was made after the place on the stack. Returns whether it was. */
export async function takeLocal(after: number): Promise<boolean> {
  const newest = steps.at(-1)
  if (!newest || newest.seq < after) return false
  steps = steps.slice(0, -1)
  await newest.run()
  return true
}
