import { showOver } from '../../components/over.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { showToast } from '../../components/toast.tsx'
import { patch, remove } from '../../data/records.ts'
import type { Fields, Meeting } from '../../data/types.ts'
import { asStep } from '../../data/writes.ts'
import { path } from '../../lib/router.ts'
import { texts } from './texts.ts'

// What is done with a meeting. What would write to people is asked about first, with who they are.

const sayFault = (error: unknown): void => void showToast({ text: sayWhy(error), kind: 'error' })

/** Changes fields that nobody gets a mail about, such as the outcome. */
export function setFields(meeting: Meeting, fields: Fields, said?: string): void {
  const step = asStep(() => patch('meetings', meeting.id, fields).catch(sayFault))
  if (said !== undefined) showToast({ text: said, step })
}

/** Deletes it, which can be taken back; if others would be told, they are named first. */
export async function removeMeeting(meeting: Meeting, gone?: () => void): Promise<void> {
  if (!meeting.send_invitations) return drop(meeting, gone)
  const { TellDialog } = await import('./form/tell-dialog.tsx')
  showOver((close) => (
    <TellDialog
      meeting={meeting}
      given={null}
      title={texts().removeTitle(meeting.title)}
      verb={texts().remove}
      onClose={close}
      onDone={(isTold: boolean) => drop(meeting, gone, isTold)}
    />
  ))
}

/** Cancels it: it stays, struck through. */
export async function cancelMeeting(meeting: Meeting): Promise<void> {
  const { TellDialog } = await import('./form/tell-dialog.tsx')
  showOver((close) => (
    <TellDialog
      meeting={meeting}
      given={{ status: 'canceled' }}
      title={texts().cancelTitle(meeting.title)}
      verb={texts().cancelMeeting}
      onClose={close}
      onDone={(isTold: boolean) =>
        setFields(meeting, { status: 'canceled', ...(isTold ? {} : { send_invitations: false }) }, texts().isCanceled)
      }
    />
  ))
}

function drop(meeting: Meeting, gone?: () => void, isTold = true): void {
  const wasHere = path.peek() === `/meetings/${meeting.id}`
  const step = asStep(() => {
    // Without the mails first: then nobody is told of what follows.
    if (!isTold) patch('meetings', meeting.id, { send_invitations: false }).catch(sayFault)
    remove('meetings', meeting.id).catch(sayFault)
  })
  showToast({ text: texts().removed(meeting.title), icon: 'trash', step })
  if (wasHere) gone?.()
}
