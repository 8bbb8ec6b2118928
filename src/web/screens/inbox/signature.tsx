import { Button, IconButton } from '../../components/button.tsx'
import { me } from '../../data/boot.ts'
import { texts } from './texts.ts'

/** The line above a signature, by which mail programs know it (RFC 3676, section 4.3). */
const MARK = '\n\n-- \n'

const mine = (): string => me.value.signature.trim()

/** One that is there already is not put there twice. */
const isThere = (text: string): boolean => /(?:^|\n)-- ?(?:\n|$)/.test(text)

/** As the mail leaves. */
export const signed = (text: string, isUnsigned: unknown): string =>
  isUnsigned === true || mine() === '' || isThere(text) ? text : text + MARK + mine()

/** As it was typed: a draft again, it has the signature below it, or none. */
export function unsigned(text: string): { text: string; isUnsigned?: true } {
  if (mine() === '') return { text }
  return text.endsWith(MARK + mine()) ? { text: text.slice(0, -(MARK + mine()).length) } : { text, isUnsigned: true }
}

type SignatureProps = { text: string; isUnsigned: boolean; onChange: (isUnsigned: boolean) => void }

/** What stands under the mail, folded, and the way to do without it for this one. */
export function Signature({ text, isUnsigned, onChange }: SignatureProps) {
  const words = texts().signature
  if (mine() === '' || isThere(text)) return null
  if (isUnsigned)
    return (
      <div class="signature row">
        <Button plain onClick={() => onChange(false)}>
          {words.add}
        </Button>
      </div>
    )
  return (
    <div class="signature row">
      <details class="quoted grow">
        <summary class="small mute">{words.mine}</summary>
        <p class="said" dir="auto">
          {mine()}
        </p>
      </details>
      <IconButton plain icon="x" title={words.leave} onClick={() => onChange(true)} />
    </div>
  )
}
