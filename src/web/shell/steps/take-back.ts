import { sayWhy } from '../../components/say-why.ts'
import { showToast } from '../../components/toast.tsx'
import { ApiProblem } from '../../data/api.ts'
import { client } from '../../data/current.ts'
import { mayWrite } from '../../data/may.ts'
import { type LeftOut, type Step, stepsOf, takeBack, unansweredStep, waitingStep } from '../../data/take-back.ts'
import { format } from '../../lib/locale.ts'
import { serverNow } from '../../lib/server-time.ts'
import { t } from '../../lib/texts/texts.ts'
import { takeLocal } from './local.ts'
import { texts } from './texts.ts'
import { describe, describeLeft, describeRefusal } from './words.ts'

// Taking back what I did, and saying what came back.

/** Z takes back without a question what was done in this time: what is older, its author may not have in mind. */
const FRESH_MS = 4 * 60 * 60 * 1000
/** Of the newest steps, those that were taken back already are passed over. */
const LOOKED_AT = 50

/** Steps that were refused: the next Z goes on with the one before. */
const refused = new Set<string>()

/** Takes the newest of my steps back, wherever I made it. */
export async function takeBackNewest(): Promise<void> {
  // Viewers have no steps.
  if (!mayWrite()) return void showToast({ icon: 'undo', text: texts().nothing })
  try {
    const waiting = unansweredStep(client()) ?? waitingStep(client())
    if (waiting !== undefined && !refused.has(waiting)) return void (await takeBackStep(waiting))
    const steps = await stepsOf(client(), LOOKED_AT)
    const newest = steps.find(({ id, is_undone }) => !is_undone && !refused.has(id))
    if (await takeLocal(newest?.seq ?? 0)) return
    if (!newest) return void showToast({ icon: 'undo', text: texts().nothing })
    const what = describe(newest)
    if (newest.bulk?.is_running) return void showToast({ icon: 'clock', text: texts().running(what) })
    const take = () => void takeBackStep(newest.id, newest)
    if (serverNow() - Date.parse(newest.at) > FRESH_MS)
      showToast({ icon: 'undo', text: texts().ago(what, format.peek().when(newest.at, serverNow())), undo: take })
    else take()
  } catch (error) {
    showToast({ kind: 'error', text: sayWhy(error) })
  }
}

/** Takes a step back, or does it anew, and says so. Returns why not, if nothing of it could be. */
export async function takeBackStep(id: string, known?: Step, again = false): Promise<string | undefined> {
  const words = texts()
  const stopWaiting = sayIfItWaits(id)
  try {
    const { step = known, left } = await takeBack(client(), id, again)
    if (!step) {
      showToast({ icon: 'undo', text: words.unsent })
      return undefined
    }
    const said = (again ? words.doneAgain : words.takenBack)(describe(step))
    const text = left.length > 0 ? words.part(said, left.length, describeLeft(left)) : said
    const canRedo = !again && !step.bulk && !step.merged_into
    const action = canRedo ? { label: t().redo, run: () => void takeBackStep(id, step, true) } : undefined
    showToast({ icon: 'undo', text, kind: left.length > 0 ? 'error' : 'done', action })
    return undefined
  } catch (error) {
    if (error instanceof ApiProblem) refused.add(id)
    const [first] = (error instanceof ApiProblem && (error.body.left as LeftOut[] | undefined)) || []
    const why = first ? describeRefusal(known, first, sayWhy(error)) : sayWhy(error)
    showToast({ kind: 'error', text: why })
    return why
  } finally {
    stopWaiting()
  }
}

const WAITS_MS = 800

/** What has not arrived yet is taken back when it has: without a network, that may be long. */
function sayIfItWaits(id: string): () => void {
  const timer = setTimeout(() => {
    const waits = client()
      .queue.writes.peek()
      .some(({ key }) => key.startsWith(`step.${id}.`))
    if (waits) showToast({ kind: 'working', text: texts().waits })
  }, WAITS_MS)
  return () => clearTimeout(timer)
}
