import { Banner } from '../components/banner.tsx'
import { Button } from '../components/button.tsx'
import { client } from '../data/current.ts'
import { decideInFront, stuck } from '../data/writes.ts'
import { texts } from './stuck/texts.ts'
import { texts as frameTexts } from './texts.ts'

/** Over the screen: each change that something in front of the server refuses, while it lets others pass. */
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
  const { key, verb, parked } = write
  if (parked?.why !== 'front') return null
  const { status } = parked
  return (
    <Banner
      icon="alert"
      action={
        <>
          <Button plain onClick={() => decideInFront(key, false)}>
            {texts().discard}
          </Button>
          <Button onClick={() => decideInFront(key, true)}>{texts().tryAgain}</Button>
        </>
      }
    >
      <b class="mid">{texts().what[verb](nameOf(write))}</b> {frameTexts().inFront(status)} {texts().alone}
    </Banner>
  )
}

/** What the change is about, in the words of its author where there are some. */
function nameOf({ kind, id, body }: Stuck): string {
  const record = id === '' ? body : client().store.find(kind, id)?.view.value
  const { title, name, subject, body: text, last_name } = record ?? {}
  const found = [title, name, subject, text, last_name].find((each) => typeof each === 'string' && each.trim() !== '')
  return String(found ?? '').slice(0, 60)
}
