import { useEffect, useState } from 'preact/hooks'
import { IconButton } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { sayWhy } from '../components/say-why.ts'
import { showToast } from '../components/toast.tsx'
import { texts } from './checklist/texts.ts'
import { openedPalette } from './commands/opened.ts'
import { firstSteps, hideSteps, noteSearch, readSample } from './first-steps.ts'
import './checklist.css'

const failed = (error: unknown) => showToast({ kind: 'error', text: sayWhy(error) })

/** Once so many are done, only the next one stands there; the others open. */
const FIRST = 2

/** The first steps of a new organisation, above the foot of the sidebar, until they are done or hidden. */
export function Checklist() {
  const steps = firstSteps.value
  const isShown = steps !== null
  useEffect(() => {
    if (isShown) void readSample().catch(() => undefined)
  }, [isShown])
  // Whoever searches, however they came to it, has tried it.
  const isSearching = openedPalette.value !== null
  useEffect(() => {
    if (isShown && isSearching) noteSearch()
  }, [isShown, isSearching])
  const [isWhole, setWhole] = useState(false)
  if (!steps) return null
  const done = steps.filter(({ isDone }) => isDone).length
  const isSmall = done >= FIRST && !isWhole
  const shown = isSmall ? steps.filter(({ isDone }) => !isDone).slice(0, 1) : steps
  return (
    <section class="steps-card" aria-label={texts().checklist}>
      <header>
        <h2>{texts().checklist}</h2>
        {done < FIRST ? (
          <span class="n">{texts().checklistDone(done, steps.length)}</span>
        ) : (
          <button type="button" class="n" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {texts().checklistDone(done, steps.length)}
            <Icon name={isWhole ? 'down' : 'right'} small />
          </button>
        )}
        <IconButton plain icon="x" title={texts().checklistHide} onClick={() => void hideSteps().catch(failed)} />
      </header>
      <ul>
        {shown.map(({ id, isDone, run }) => (
          <li key={id} class={isDone ? 'done' : undefined}>
            <button type="button" onClick={run}>
              <span class="mark">{isDone && <Icon name="check" small />}</span>
              <span class="cut" dir="auto">
                {texts().steps[id]}
              </span>
              {isDone && <span class="sr">{texts().isDone}</span>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
