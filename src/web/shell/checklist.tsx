import { useEffect } from 'preact/hooks'
import { Button, IconButton } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Icon } from '../components/icon.tsx'
import { showToast } from '../components/toast.tsx'
import {
  askForSample,
  firstSteps,
  hideSteps,
  isAskingForSample,
  readSample,
  removeSample,
  sample,
} from './first-steps.ts'
import { sayWhy } from './say-why.ts'
import { texts } from './texts.ts'
import './checklist.css'

const failed = (error: unknown) => showToast({ kind: 'error', text: sayWhy(error) })

/** The first steps of a new organisation, above the foot of the sidebar, until they are done or hidden. */
export function Checklist() {
  const steps = firstSteps.value
  const isShown = steps !== null
  useEffect(() => {
    if (isShown) void readSample().catch(() => undefined)
  }, [isShown])
  if (!steps) return null
  const done = steps.filter(({ isDone }) => isDone).length
  return (
    <section class="steps-card" aria-label={texts().checklist}>
      <header>
        <h2>{texts().checklist}</h2>
        <span class="n">{texts().checklistDone(done, steps.length)}</span>
        <IconButton plain icon="x" title={texts().checklistHide} onClick={() => void hideSteps().catch(failed)} />
      </header>
      <ul>
        {steps.map(({ id, isDone, run }) => (
          <li key={id} class={isDone ? 'done' : undefined}>
            <button type="button" onClick={run}>
              <span class="mark">{isDone && <Icon name="check" small />}</span>
              <span class="cut">{texts().steps[id]}</span>
              {isDone && <span class="sr">{texts().isDone}</span>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Asks before the sample data goes, also about what was edited of it. The place of the question, in the app once. */
export function SampleQuestion() {
  if (!isAskingForSample.value || !sample.value) return null
  const { count, edited } = sample.value
  const close = () => askForSample(false)
  const remove = (what: 'keep' | 'remove') => {
    close()
    removeSample(what).then(() => showToast({ text: texts().sampleStarted }), failed)
  }
  return (
    <Dialog
      title={texts().sampleTitle}
      alert
      wide={edited > 0}
      onClose={close}
      footer={
        <>
          <Button plain large autofocus onClick={close}>
            {texts().sampleKeepAll}
          </Button>
          {edited > 0 && (
            <Button large onClick={() => remove('keep')}>
              {texts().sampleRemoveUnedited}
            </Button>
          )}
          <Button first danger large onClick={() => remove('remove')}>
            {edited > 0 ? texts().sampleRemoveAll : texts().sampleRemove}
          </Button>
        </>
      }
    >
      <p class="dim">
        {texts().sampleBody(count)} {edited > 0 && texts().sampleEdited(edited)}
      </p>
    </Dialog>
  )
}
