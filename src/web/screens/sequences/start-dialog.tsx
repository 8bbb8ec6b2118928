import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { CheckList } from './check-list.tsx'
import { texts } from './texts.ts'
import { formOf, type Preview, previewOf, type SequenceShown } from './wire.ts'

type StartDialogProps = {
  sequence: SequenceShown
  /** Steps that have come due while it was paused. */
  due: number
  onClose: () => void
  onStart: () => Promise<void>
}

/** What has to be known before mails go out: what is missing has to be mended first, what is doubtful wants a yes. */
export function StartDialog({ sequence, due, onClose, onStart }: StartDialogProps) {
  const [found, setFound] = useState<Preview | undefined>(undefined)
  const [fault, setFault] = useState<unknown>(undefined)
  const [isWorking, setWorking] = useState(false)
  const words = texts()
  useEffect(() => {
    previewOf(formOf(sequence)).then(setFound, setFault)
  }, [])
  const stops = found?.checks.some(({ level }) => level === 'stop')
  const warns = found?.checks.some(({ level }) => level === 'warn')
  const start = async () => {
    setWorking(true)
    await onStart()
    onClose()
  }
  return (
    <Dialog
      title={words.startTitle(sequence.name)}
      onClose={onClose}
      footer={
        <>
          <Button large autofocus onClick={onClose}>
            {words.stay}
          </Button>
          {found && !stops && (
            <Button first large working={isWorking ? words.start : undefined} onClick={() => void start()}>
              {warns ? words.startAnyway : words.startIt}
            </Button>
          )}
        </>
      }
    >
      {fault !== undefined && <p class="late">{sayWhy(fault)}</p>}
      {found && <CheckList checks={found.checks} />}
      {sequence.status === 'paused' && <p>{words.due(due)}</p>}
    </Dialog>
  )
}
