import { Button } from '../../components/button.tsx'
import { showToast } from '../../components/toast.tsx'
import { useBegun } from '../../components/typed/begun.tsx'
import { me, page } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { Section } from '../../shell/pages/sheet.tsx'
import { texts } from './texts.ts'

/** What stands under replies by mail. It is typed over several lines, so it has a button, unlike the choices around it. */
export function Signature() {
  const words = texts()
  const kept = me.value.signature
  const begun = useBegun('signature', { signature: kept })
  const { signature } = begun.values

  async function save(event: Event): Promise<void> {
    event.preventDefault()
    try {
      await client().api.request('PATCH', '/app/preferences', { body: { signature: signature.trim() } })
      const now = page.peek()
      if (now?.signed_in) page.value = { ...now, me: { ...now.me, signature: signature.trim() } }
      begun.clear()
    } catch {
      showToast({ kind: 'error', text: words.notSaved })
    }
  }

  return (
    <Section title={words.signature} text={words.signatureHelp}>
      <form class="form" onSubmit={(event) => void save(event)}>
        <div class="area">
          <textarea
            class="bare"
            dir="auto"
            rows={4}
            aria-label={words.signature}
            value={signature}
            onInput={({ currentTarget }) => begun.set({ signature: currentTarget.value })}
          />
        </div>
        {signature.trim() !== kept && (
          <div>
            <Button type="submit" first>
              {words.saveSignature}
            </Button>
          </div>
        )}
      </form>
    </Section>
  )
}
