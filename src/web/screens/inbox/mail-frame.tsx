import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { Found } from '../../components/marked.tsx'
import { base } from '../../lib/base.ts'
import { markIn } from './search/marks.ts'
import { texts } from './texts.ts'

type MailFrameProps = { id: string; name: string; hasImages: boolean }

/** Rights of the frame: none to run anything. It has our origin, so that its height can be read. */
const SANDBOX = 'allow-same-origin allow-popups allow-popups-to-escape-sandbox'

/** A mail as it was written, in a frame that is as high as the mail. */
export function MailFrame({ id, name, hasImages }: MailFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(120)
  const sizes = useRef<ResizeObserver>(undefined)
  const words = useContext(Found)
  useEffect(() => () => sizes.current?.disconnect(), [])
  const [isHere, setHere] = useState(false)
  useEffect(() => {
    const page = frame.current?.contentDocument
    if (isHere && page?.body) markIn(page, words)
  }, [isHere, words])

  function follow(): void {
    const page = frame.current?.contentDocument
    if (!page?.body) return
    sizes.current?.disconnect()
    // With what lies below the end of its body, as floats and wide tables with their scroll bar do.
    const look = () =>
      setHeight(Math.ceil(Math.max(page.body.scrollHeight, page.body.getBoundingClientRect().height)) + 2)
    sizes.current = new ResizeObserver(look)
    sizes.current.observe(page.body)
    look()
    // The keys of the inbox work after a click into the mail.
    page.addEventListener('keydown', (event) => {
      const { key, code, ctrlKey, metaKey, shiftKey, altKey } = event
      const isPalette = (ctrlKey || metaKey) && key === 'k'
      if (altKey || ((ctrlKey || metaKey) && !isPalette)) return
      // A link of the mail is opened by its own key.
      if ((key === 'Enter' || key === ' ') && (event.target as Element).closest('a[href]')) return
      const same = new KeyboardEvent('keydown', {
        key,
        code,
        ctrlKey,
        metaKey,
        shiftKey,
        bubbles: true,
        cancelable: true,
      })
      if (!(frame.current ?? document).dispatchEvent(same)) event.preventDefault()
    })
  }

  return (
    <iframe
      ref={frame}
      class="mail-frame"
      sandbox={SANDBOX}
      title={texts().mailOf(name)}
      src={`${base}/app/mail-body?message=${id}${hasImages ? '&images=1' : ''}`}
      style={{ height: `${height}px` }}
      onLoad={() => {
        follow()
        setHere(true)
      }}
    />
  )
}
