import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { Empty } from '../../../components/empty.tsx'
import { showOver } from '../../../components/over.tsx'
import { sayWhy } from '../../../components/say-why.ts'
import { Bar as Grey } from '../../../components/skeleton.tsx'
import { base } from '../../../lib/base.ts'
import { format } from '../../../lib/locale.ts'
import { sizeText } from '../../../lib/sizes.ts'
import { words as common } from '../../../lib/texts/words/texts.ts'
import { copyText } from '../../../shell/copy.ts'
import { useAsk } from '../../../shell/pages/ask.ts'
import { texts } from './texts.ts'
import './original.css'

type Original = { size_bytes: number; kept_bytes: number; is_head_cut: boolean; header: string }
type Answer = { original: Original | null; kept: { days: number; mib: number } }

const MIB = 1_048_576

export async function showOriginal(message: string): Promise<void> {
  await texts.ready()
  showOver((close) => <ShownOriginal message={message} onClose={close} />)
}

/** The header of a mail as it came in or left, and the whole of it to be saved. */
function ShownOriginal({ message, onClose }: { message: string; onClose: () => void }) {
  const words = texts()
  const { value, error, again } = useAsk<Answer>(`/app/mail-original?message=${message}`)
  const original = value?.original
  const header = original?.header.replaceAll('\r\n', '\n') ?? ''
  return (
    <Dialog
      wide
      title={words.title}
      onClose={onClose}
      footer={
        <>
          {original && (
            <>
              <Button icon="copy" onClick={() => void copyText(header, words.copied)}>
                {words.copy}
              </Button>
              <a class="btn" href={`${base}/app/mail-original.eml?message=${message}`} download>
                {words.save}
              </a>
            </>
          )}
          <Button onClick={onClose}>{words.close}</Button>
        </>
      }
    >
      {value === undefined && error === undefined && [0, 1, 2].map((row) => <Grey key={row} row={row} />)}
      {value === undefined && error !== undefined && (
        <Empty
          icon="alert"
          title={words.failed}
          actions={<Button onClick={() => void again()}>{common().again}</Button>}
        >
          {sayWhy(error)}
        </Empty>
      )}
      {value?.original === null && (
        <Empty icon="mail" title={words.none}>
          {words.noneBody(value.kept.days, format.value.number(value.kept.days), sizeText(value.kept.mib * MIB))}
        </Empty>
      )}
      {original && (
        <div class="stack">
          <p class="small mute">
            {original.kept_bytes < original.size_bytes
              ? words.cut(sizeText(original.kept_bytes), sizeText(original.size_bytes))
              : words.size(sizeText(original.size_bytes))}
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard */}
          <section class="original" aria-label={words.header} tabIndex={0} dir="ltr">
            <pre class="mono small">{header}</pre>
          </section>
          {original.is_head_cut && <p class="small mute">{words.headCut}</p>}
        </div>
      )}
    </Dialog>
  )
}
