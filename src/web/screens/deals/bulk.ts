import { showToast } from '../../components/toast.tsx'
import { ApiProblem } from '../../data/api.ts'
import { client } from '../../data/current.ts'
import { texts } from './texts/texts.ts'

/** Deletes deals, in one step that can be taken back for 30 days. */
export async function deleteDeals(ids: readonly string[]): Promise<void> {
  const { api } = client()
  try {
    const { body } = await api.request<{ id: string }>('POST', '/app/bulk', {
      body: { kind: 'deals', ids, delete: true },
    })
    const undo = () => {
      api.request('POST', `/app/bulk/${body.id}/undo`, { body: {} }).catch(failed)
    }
    showToast({ text: texts().deleted(ids.length), icon: 'trash', undo })
  } catch (error) {
    failed(error)
  }
}

function failed(error: unknown): void {
  const why = error instanceof ApiProblem ? (error.errors[0]?.message ?? error.message) : ''
  showToast({ text: `${texts().failed}. ${why}`, kind: 'error' })
}
