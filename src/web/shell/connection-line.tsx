import { State } from '../components/state.tsx'
import { connection, newBuild } from '../data/connection.ts'
import { writes } from '../data/writes.ts'
import { format } from '../lib/locale.ts'
import { t } from '../lib/texts/texts.ts'
import { texts } from './texts.ts'
import './connection-line.css'

/** Whether everything is saved and live, in a few quiet words. Screen readers hear changes of it. */
export function ConnectionLine({ isShort }: { isShort: boolean }) {
  const now = connection.value
  const isWriting = writes.value.length > 0
  const kind = now.state !== 'live' || waits() > 0 ? 'warn' : isWriting ? undefined : 'good'
  const text = sentence()
  return (
    <div class="sync">
      <span role="status" title={isShort ? text : undefined}>
        <State is={kind as 'good' | 'warn'}>{isShort ? <span class="sr">{text}</span> : text}</State>
      </span>
      {!isShort && newBuild.value && (
        <span>
          {texts().newVersion}{' '}
          <button type="button" onClick={() => location.reload()}>
            {texts().reload}
          </button>
        </span>
      )}
    </div>
  )
}

/** Changes that wait for a decision, once nothing else is on its way. */
const waits = (): number => (writes.value.every(({ parked }) => parked) ? writes.value.length : 0)

function sentence(): string {
  const now = connection.value
  if (now.state === 'live') {
    if (waits() > 0) return texts().waiting(waits())
    return writes.value.length > 0 ? texts().saving : texts().saved
  }
  const { front, dataAt, waiting } = now
  if (front === undefined && now.state === 'reconnecting') return texts().reconnecting
  return [
    front === undefined ? `${texts().offline}.` : t().inFront(front),
    dataAt && texts().dataOf(format.value.time(dataAt)),
    waiting > 0 && `${texts().waiting(waiting)}.`,
  ]
    .filter(Boolean)
    .join(' ')
}
