import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { t } from '../lib/texts/texts.ts'
import { byHand } from './curl.ts'
import { texts } from './texts.ts'

/** A text for copying by hand, where the browser does not let the page do it. */
export function ByHand() {
  const text = byHand.value
  if (text === null) return null
  const close = () => {
    byHand.value = null
  }
  return (
    <Dialog
      title={texts().copyByHand}
      wide
      onClose={close}
      footer={
        <Button large onClick={close}>
          {t().close}
        </Button>
      }
    >
      <textarea
        class="area mono by-hand"
        readOnly
        aria-label={texts().copyByHand}
        rows={text.split('\n').length + 1}
        value={text}
        ref={(element) => element?.select()}
      />
    </Dialog>
  )
}
