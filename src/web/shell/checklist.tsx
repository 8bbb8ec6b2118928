import { useEffect } from 'preact/hooks'
import { IconButton } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { showToast } from '../components/toast.tsx'
import { firstSteps, hideSteps, readSample } from './first-steps.ts'
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
