import { useRef, useState } from 'preact/hooks'
import { Icon } from '../components/icon.tsx'
import { later } from '../components/later.tsx'
import { newNotices } from './new-notices.ts'
import { texts } from './texts.ts'
import './bell.css'

const NoticesPopover = later(() => import('./notices-popover.tsx').then((module) => module.NoticesPopover))

/** The bell: what concerns me. Opening it reads the notices from the server. */
export function Bell() {
  const [isOpen, setOpen] = useState(false)
  const ref = useRef<HTMLButtonElement>(null)
  const count = newNotices.value
  const label = count > 0 ? `${texts().notices}, ${texts().noticesCount(count)}` : texts().notices
  return (
    <>
      <button
        ref={ref}
        type="button"
        class="btn plain icon bell"
        title={label}
        aria-label={label}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="bell" />
        {count > 0 && <span class="count">{count > 99 ? '99+' : count}</span>}
      </button>
      {isOpen && ref.current && <NoticesPopover anchor={ref.current} close={() => setOpen(false)} />}
    </>
  )
}
