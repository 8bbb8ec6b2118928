import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { confirmFinal } from '../../../components/confirm.tsx'
import { sayFailed } from '../../../components/say-failed.ts'
import { showToast } from '../../../components/toast.tsx'
import { ApiProblem } from '../../../data/api.ts'
import { client } from '../../../data/current.ts'
import { asStep } from '../../../data/writes.ts'
import { useAsk } from '../../../shell/pages/ask.ts'
import { texts } from './texts.ts'

export type SpamSender = {
  email: string
  listed_by: string | null
  listed_at: string
  held: number
  last_at: string | null
}
export type Spam = { senders: SpamSender[]; conversation_ids: string[] }

/** The newest of the conversations that are spam, for their rows to say so. */
export const spamIds = signal<ReadonlySet<string>>(new Set())

export function useSpam(): Spam | undefined {
  const spam = useAsk<Spam>('/app/inbox/spam', ['conversations']).value
  useEffect(() => {
    spamIds.value = new Set(spam?.conversation_ids)
  }, [spam])
  return spam
}

/** Asks first where the server does: a contact with an open deal, and our own domain. */
export async function markSpam(id: string, isSure = false): Promise<void> {
  const { api, newKey } = client()
  let key = ''
  const step = asStep(() => {
    key = newKey()
  })
  try {
    await api.request('POST', `/app/conversations/${id}/spam`, { body: isSure ? { confirm: true } : {}, key })
    showToast({ text: texts().said.spam, icon: 'check', step })
  } catch (error) {
    const why =
      error instanceof ApiProblem && texts().spam.asks[error.code as keyof ReturnType<typeof texts>['spam']['asks']]
    if (!why) sayFailed(texts().spam.notMarked, error)
    else if (await confirmFinal({ title: texts().spam.ask, text: why, ...texts().spam.answers, isHarmless: true }))
      await markSpam(id, true)
  }
}

export async function release(email: string): Promise<void> {
  const { api } = client()
  try {
    for (let more = true; more; ) {
      const { body } = await api.request<{ has_more: boolean }>('POST', '/app/inbox/spam/release', { body: { email } })
      more = body.has_more
    }
    showToast({ text: texts().said.released(email), icon: 'check' })
  } catch (error) {
    sayFailed(texts().spam.notReleased, error)
  }
}
