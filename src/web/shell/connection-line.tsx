import { Banner } from '../components/banner.tsx'
import { Button } from '../components/button.tsx'
import { State } from '../components/state.tsx'
import { connection, newBuild } from '../data/connection.ts'
import { client } from '../data/current.ts'
import { writes } from '../data/writes.ts'
import { format } from '../lib/locale.ts'
import { texts } from './texts.ts'
import './connection-line.css'

/** Whether everything is saved and live, in a few quiet words. Screen readers hear changes of it. */
export function ConnectionLine({ isShort }: { isShort: boolean }) {
  const now = connection.value
  const isWriting = writes.value.length > 0
  const kind = now.state === 'live' ? (isWriting ? undefined : 'good') : 'warn'
  const text = sentence()
  return (
    <div class="sync">
      <span role="status" title={isShort ? text : undefined}>
        <State is={kind as 'good' | 'warn'}>{isShort ? <span class="sr">{text}</span> : text}</State>
      </span>
      {!isShort && newBuild.value && !isWriting && (
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

function sentence(): string {
  const now = connection.value
  if (now.state === 'reconnecting') return texts().reconnecting
  if (now.state === 'offline') {
    const waiting = now.waiting > 0 ? ` ${texts().waiting(now.waiting)}.` : ''
    return `${texts().offline}. ${texts().dataOf(format.value.time(now.dataAt))}${waiting}`
  }
  return writes.value.length > 0 ? texts().saving : texts().saved
}

/** Over the screen while there is no connection: since when, what waits, and a way to try at once. */
export function OfflineBanner() {
  const now = connection.value
  if (now.state !== 'offline') return null
  return (
    <Banner
      action={
        <Button plain onClick={() => client().wake(true)}>
          {texts().tryNow}
        </Button>
      }
    >
      <b class="mid">{texts().noConnection(location.hostname)}</b> {texts().since(format.value.time(now.since))}{' '}
      {texts().dataOf(format.value.time(now.dataAt))} {now.waiting > 0 && `${texts().waiting(now.waiting)}.`}
    </Banner>
  )
}
