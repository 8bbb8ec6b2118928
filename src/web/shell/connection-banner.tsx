import { Banner } from '../components/banner.tsx'
import { Button } from '../components/button.tsx'
import { connection } from '../data/connection.ts'
import { client } from '../data/current.ts'
import { format } from '../lib/locale.ts'
import { t } from '../lib/texts/texts.ts'
import { texts } from './texts.ts'

/** A person has to sign in there, or is not let in: nothing to wait for, as there is with a proxy that has lost its server. */
const isGate = (front: number | undefined): boolean =>
  front !== undefined && (front < 400 || [401, 403, 407, 511].includes(front))

/** Since when, what waits, and a way on: to try at once, or to open the page anew where a gate asks who comes. */
export function ConnectionBanner() {
  const now = connection.value
  if (now.state === 'live' || (now.state === 'reconnecting' && !isGate(now.front))) return null
  const { front, since, dataAt, waiting } = now
  const time = (ms: number) => format.value.time(ms)
  return (
    <Banner
      action={
        isGate(front) ? (
          <Button onClick={() => location.reload()}>{texts().openAnew}</Button>
        ) : (
          <Button plain onClick={() => client().wake(true)}>
            {texts().tryNow}
          </Button>
        )
      }
    >
      {front === undefined ? (
        <>
          <b class="mid">{texts().noConnection(location.hostname)}</b> {texts().since(time(since))}
        </>
      ) : (
        <>
          <b class="mid">{t().inFront(front)}</b> {isGate(front) ? texts().gate : texts().proxy}
        </>
      )}{' '}
      {dataAt !== undefined && texts().dataOf(time(dataAt))} {waiting > 0 && `${texts().waiting(waiting)}.`}
    </Banner>
  )
}
