import { sayWhy } from '../components/say-why.ts'
import { showToast, takeStepsBackBy } from '../components/toast.tsx'
import type { SignedIn } from '../data/types.ts'
import { keepTitle } from '../lib/router.ts'
import { type Above, giveAbove } from './above.ts'
import { registerAppCommands } from './app-commands.ts'
import { commandHints, listenForKeys } from './commands/listen.ts'
import { newNotices } from './new-notices.ts'
import { applyPreferences } from './preferences.ts'
import { texts } from './texts.ts'

/** Everything of the frame that is no component. */
export async function startShell({ me }: SignedIn, given: Above): Promise<void> {
  giveAbove(given)
  await applyPreferences(me)
  registerAppCommands()
  const failed = (error: unknown) => {
    console.error(error)
    showToast({ kind: 'error', text: sayWhy(error) })
  }
  listenForKeys(failed)
  takeStepsBackBy(
    (step) => {
      import('./steps/take-back.ts').then((steps) => steps.takeBackStep(step)).catch(failed)
    },
    () => commandHints('app.undo').keys,
  )
  keepTitle(
    () => newNotices.value,
    () => texts().missing,
  )
}
