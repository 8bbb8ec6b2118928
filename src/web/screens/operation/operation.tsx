import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { Bar as Grey } from '../../components/skeleton.tsx'
import { showToast } from '../../components/toast.tsx'
import { me } from '../../data/boot.ts'
import { texts as settingsTexts } from '../../shell/settings/texts.ts'
import { SettingsFrame } from '../../shell/settings-frame.tsx'
import { Backups } from './backups.tsx'
import { Checks } from './checks.tsx'
import { Runs, WorkTable } from './runs.tsx'
import { TellsWhom } from './tells-whom.tsx'
import { texts } from './texts.ts'
import { type Operation, readOperation, start } from './wire.ts'
import './operation.css'

/** While something is at work, and otherwise. */
const SOON_MS = 1000
const LATER_MS = 30_000

/** How the server is, who is told, its backups, and what ran last. */
export default function OperationScreen() {
  const isOwner = me.value.role === 'owner'
  return isOwner ? <Shown /> : <NotAllowed />
}

function NotAllowed() {
  return (
    <SettingsFrame title={settingsTexts().operation}>
      <Empty icon="server" title={texts().notAllowed}>
        {texts().notAllowedBody}
      </Empty>
    </SettingsFrame>
  )
}

function Shown() {
  const [operation, setOperation] = useState<Operation | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  /** What this page has started, until it is done. */
  const mine = useRef<'backup' | 'drill' | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isGone = useRef(false)

  async function read(): Promise<void> {
    clearTimeout(timer.current)
    let next: Operation | undefined
    try {
      next = await readOperation()
      if (isGone.current) return
      setOperation(next)
      setFailure(null)
      if (!next.backups.at_work) say(next)
    } catch (error) {
      if (!isGone.current) setFailure(sayWhy(error))
    }
    // An old answer and the next timer would make two of them.
    clearTimeout(timer.current)
    if (!isGone.current) timer.current = setTimeout(() => void read(), next?.backups.at_work ? SOON_MS : LATER_MS)
  }

  function say({ runs }: Operation): void {
    const what = mine.current
    mine.current = null
    const run = what && runs.find(({ kind }) => kind === what)
    if (!run) return
    if (!run.is_good) showToast({ kind: 'error', text: texts().notDone(run.error ?? texts().seeLog) })
    else showToast({ text: what === 'drill' ? texts().doneDrill : texts().doneBackup })
  }

  async function begin(what: 'backup' | 'drill'): Promise<void> {
    try {
      await start(what)
      mine.current = what
    } catch (error) {
      showToast({ kind: 'error', text: sayWhy(error) })
    }
    await read()
  }

  useEffect(() => {
    void read()
    return () => {
      isGone.current = true
      clearTimeout(timer.current)
    }
  }, [])

  const bad = operation?.checks.filter(({ status }) => status === 'warn' || status === 'fail').length
  return (
    <SettingsFrame
      title={settingsTexts().operation}
      summary={bad === undefined ? undefined : bad === 0 ? texts().well : texts().needs(bad)}
    >
      {operation === null && failure === null && [0, 1, 2, 3].map((row) => <Grey key={row} row={row} />)}
      {operation === null && failure !== null && (
        <Empty
          icon="alert"
          title={texts().failed}
          actions={<Button onClick={() => void read()}>{texts().again}</Button>}
        >
          {failure}
        </Empty>
      )}
      {operation && (
        <div class="sheet op">
          <Checks checks={operation.checks} />
          <Backups backups={operation.backups} onStart={(what) => void begin(what)} />
          <TellsWhom told={operation.told} />
          <Runs runs={operation.runs} />
          <WorkTable work={operation.work} />
        </div>
      )}
    </SettingsFrame>
  )
}
