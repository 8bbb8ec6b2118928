import { useState } from 'preact/hooks'
import { sayFailed } from '../../components/say-failed.ts'
import { showToast } from '../../components/toast.tsx'
import type { draft as draftFor } from '../../data/drafts.ts'
import type { Fields } from '../../data/types.ts'
import { type BoxFiles, NotArrived } from './box-files.ts'
import type { People } from './recipients.tsx'
import { texts } from './texts.ts'

/** What a draft of a letter has, besides what is of its kind. */
export type LetterBody = { text?: string; people?: People; from?: string }

export const NOBODY: People = { to: [], cc: [], bcc: [] }

type Letter<Body> = {
  kept: ReturnType<typeof draftFor>
  box: BoxFiles
  people: People
  /** Whether something keeps it from leaving, which is then said. */
  isStopped: () => boolean
  /** The text, and what is of its kind, as the draft is once all files have arrived. */
  fieldsOf: (body: Body) => Fields
  failed: string
  /** Hands it to the server; `isNow` leaves no time to take it back. */
  post: (fields: Fields, isNow: boolean) => Promise<unknown>
}

/**
 * Sends what is no reply, such as a forward or a new mail: to the people who were shown, with the files of its box, once.
 */
export function useLetter<Body extends LetterBody>(
  letter: Letter<Body>,
): { isSending: boolean; send: (isNow?: boolean) => Promise<void> } {
  const { kept, box, people, isStopped, fieldsOf, failed, post } = letter
  const [isSending, setSending] = useState(false)

  async function send(isNow = false): Promise<void> {
    if (isSending) return
    const words = texts()
    if (people.to.length === 0) return void showToast({ kind: 'error', text: words.needsRecipient })
    if (isStopped()) return
    setSending(true)
    try {
      // Who sends before all files have arrived waits for them, and may write on.
      const ids = await box.arrived()
      const now = (kept.body.peek() ?? {}) as Body
      const fields = {
        ...{ direction: 'outbound', ...fieldsOf(now) },
        ...(now.people ?? people),
        ...(now.from ? { from: { email: now.from } } : {}),
        ...(ids.length > 0 ? { draft_files: { key: box.key, ids } } : {}),
      }
      await post(fields, isNow)
    } catch (error) {
      if (error instanceof NotArrived) showToast({ kind: 'error', text: words.attached.notArrived(error.message) })
      else sayFailed(failed, error)
    } finally {
      setSending(false)
    }
  }

  return { isSending, send }
}
