import { useState } from 'preact/hooks'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import type { Fields, Meeting } from '../../../data/types.ts'
import { t } from '../../../lib/texts/texts.ts'
import { texts } from '../texts.ts'
import { useMails, WhoIsTold } from './mails.tsx'

type TellDialogProps = {
  meeting: Meeting
  /** What changes; null if it is deleted. */
  given: Fields | null
  title: string
  verb: string
  onClose: () => void
  onDone: (isTold: boolean) => void
}

/** Asks before a meeting is cancelled or deleted, and says who would hear of it. */
export function TellDialog({ meeting, given, title, verb, onClose, onDone }: TellDialogProps) {
  const [isTold, setTold] = useState(meeting.send_invitations)
  const known = useMails(
    meeting.id,
    given === null ? (isTold ? null : { send_invitations: false }) : { ...given, send_invitations: isTold },
  )
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button plain large onClick={onClose}>
            {t().cancel}
          </Button>
          <Button
            first
            danger
            large
            off={known.mails === undefined ? texts().looking : undefined}
            onClick={() => {
              onClose()
              onDone(isTold)
            }}
          >
            {verb}
          </Button>
        </>
      }
    >
      <WhoIsTold known={known} isTold={isTold} onTold={setTold} isThere />
    </Dialog>
  )
}
