import { useState } from 'preact/hooks'
import { nounOf } from '../../../lib/pure/nouns.ts'
import { Button } from '../../components/button.tsx'
import type { PageKind } from '../../components/kinds.ts'
import { sayFailed } from '../../components/say-failed.ts'
import { showToast } from '../../components/toast.tsx'
import { draft as draftFor } from '../../data/drafts.ts'
import { record } from '../../data/records.ts'
import type { Deal, Fields } from '../../data/types.ts'
import { logCall } from './call.ts'
import { CallForm, factsOf, momentIn, NO_CALL } from './call-form.tsx'
import { texts } from './texts.ts'

/** Logs a call about the record. What is begun is kept until then. */
export function CallTab({ kind, id }: { kind: PageKind; id: string }) {
  const kept = draftFor(`call:${kind}:${id}`)
  const [isSending, setSending] = useState(false)
  const draft = { ...NO_CALL, ...kept.body.value }
  const words = texts()

  async function send(): Promise<void> {
    if (isSending) return
    setSending(true)
    try {
      const at = momentIn(draft)
      const { step } = await logCall({ text: draft.text, ...factsOf(draft), at, links: linksOf(kind, id) }, words.call)
      if (JSON.stringify({ ...NO_CALL, ...kept.body.peek() }) === JSON.stringify(draft)) kept.clear()
      showToast({ text: words.loggedHere, icon: 'phone', step })
    } catch (error) {
      sayFailed(words.failed, error)
    } finally {
      setSending(false)
    }
  }
  return (
    <>
      <CallForm
        draft={draft}
        onChange={(changed) => {
          const next = { ...draft, ...changed }
          if (JSON.stringify(next) === JSON.stringify(NO_CALL)) kept.clear()
          else kept.set(next)
        }}
        onSend={() => void send()}
      />
      <div class="end-row row">
        <span class="grow" />
        <Button first keys="Enter" working={isSending ? words.adding : undefined} onClick={() => void send()}>
          {words.add}
        </Button>
      </div>
    </>
  )
}

/** A call about a deal is one with its contact, too. */
export function linksOf(kind: PageKind, id: string): Fields {
  const contact = kind === 'deals' ? (record('deals', id).peek() as Deal | null | undefined)?.primary_contact_id : null
  return { [`${nounOf(kind)}_ids`]: [id], ...(contact ? { contact_ids: [contact] } : {}) }
}
