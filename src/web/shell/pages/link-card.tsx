import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { showToast } from '../../components/toast.tsx'
import { copyText } from '../../lib/clipboard.ts'
import { words } from '../../lib/texts/words/texts.ts'
import './link-card.css'

type LinkCardProps = {
  /** What it is, and of whom: "Invitation", "mira@…, Member". */
  title: string
  note?: string
  /** What to do with it, and what it is good for. */
  heading: string
  text: string
  /** What the value is called: "Link", "Token". */
  label: string
  value: string
  /** An SVG of the value for the camera of a phone, with what it is and what it is for. */
  code?: { svg: string; alt: string; help: string }
  /** Below the value. */
  children?: ComponentChildren
  actions?: ComponentChildren
}

/** A secret that is shown this once, to be copied or photographed. */
export function LinkCard({ title, note, heading, text, label, value, code, children, actions }: LinkCardProps) {
  const input = useRef<HTMLInputElement>(null)
  // It may come below a long list, and is shown this once.
  useEffect(() => input.current?.scrollIntoView({ block: 'center' }), [value])
  const id = useId()

  async function copy(): Promise<void> {
    try {
      await copyText(value)
      showToast({ text: words().copied(label) })
    } catch {
      input.current?.select()
      showToast({ kind: 'error', text: words().notCopied(label) })
    }
  }

  return (
    <>
      <div class="once-head row">
        <h2>{title}</h2>
        {note && <span class="n">{note}</span>}
      </div>
      <div class={code ? 'once stack boxed with-code' : 'once stack boxed'} role="status">
        <div>
          <h3>{heading}</h3>
          <p class="dim">{text}</p>
          <div class="lk">
            <label class="sr" for={id}>
              {label}
            </label>
            <input
              ref={input}
              id={id}
              type="text"
              readOnly
              value={value}
              onFocus={(event) => event.currentTarget.select()}
            />
            <Button large icon="copy" onClick={() => void copy()}>
              {words().copy}
            </Button>
          </div>
          {children}
          {actions && <div class="row acts">{actions}</div>}
        </div>
        {code && (
          <figure>
            <img class="qr" src={svgUrl(code.svg)} width="148" height="148" alt={code.alt} />
            <figcaption class="small mute">{code.help}</figcaption>
          </figure>
        )}
      </div>
    </>
  )
}

export const svgUrl = (svg: string): string => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
