import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { decideStuck, stuck } from '../../data/writes.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { t } from '../../lib/texts/texts.ts'
import { nameOf } from './name-of.ts'
import { texts } from './texts.ts'

/** Over the screen: each change that may have happened, and that is not sent again unasked. */
export function StuckChanges() {
  return (
    <>
      {stuck.value.map((write) => (
        <StuckChange key={write.key} write={write} />
      ))}
    </>
  )
}

type Stuck = (typeof stuck.value)[number]

function StuckChange({ write }: { write: Stuck }) {
  const { key, verb, parked, at } = write
  return (
    <Banner
      icon="alert"
      action={
        <>
          <Button plain onClick={() => decideStuck(key, false)}>
            {texts().discard}
          </Button>
          <Button onClick={() => decideStuck(key, true)}>{texts().tryAgain}</Button>
        </>
      }
    >
      <b class="mid">{texts().what[verb](nameOf(write))}</b>{' '}
      {parked?.why === 'front'
        ? `${t().inFront(parked.status)} ${texts().alone}`
        : texts().old(format.value.when(at, now.value))}
    </Banner>
  )
}
