import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { setQuery } from '../../lib/router.ts'
import { texts } from './texts.ts'

const PAUSE_MS = 200
const MOST = 255

/** Narrows the bin to what is typed, a moment after the last letter. */
export function SearchBin({ q }: { q: string }) {
  const [typed, setTyped] = useState<string | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const put = (text: string, ms: number) => {
    setTyped(text)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void setQuery({ q: text.trim().slice(0, MOST) || null }, { replace: true }), ms)
  }
  return (
    <label class="search bin-search">
      <Icon name="search" small />
      <input
        type="search"
        dir="auto"
        aria-label={texts().search}
        placeholder={texts().search}
        value={typed ?? q}
        onInput={(event) => put(event.currentTarget.value, PAUSE_MS)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          put('', 0)
          event.currentTarget.blur()
        }}
      />
    </label>
  )
}
