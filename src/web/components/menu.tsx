import { useRef, useState } from 'preact/hooks'
import type { Anchor, PlaceOptions } from '../lib/place.ts'
import { Button, type ButtonProps } from './button.tsx'
import type { IconName } from './icon.tsx'
import { laterInFocus } from './later.tsx'
import './menu.css'

export type MenuItem = {
  label: string
  icon?: IconName | undefined
  /** The key that does the same without the menu. */
  keys?: string | undefined
  /** What stands at the end instead, such as the value that is set. */
  end?: string | undefined
  danger?: boolean | undefined
  /** Why it cannot be done now. */
  off?: string | undefined
  /** Makes it one of several that can be chosen. */
  checked?: boolean | undefined
  onPick: () => void
}

/** Groups are parted by a hairline. What deletes comes last. */
export type MenuGroup = { label?: string | undefined; items: MenuItem[] }

export type MenuProps = PlaceOptions & { anchor: Anchor; label: string; groups: MenuGroup[]; onClose: () => void }

/** A menu at a button or at a point: arrows, the first letters of a row, Enter, Esc. */
export const Menu = laterInFocus(() => import('./open-menu.tsx').then((module) => module.OpenMenu))

type MenuButtonProps = Omit<ButtonProps, 'onClick'> & { menuLabel: string; groups: () => MenuGroup[] } & PlaceOptions

/** A button that opens a menu under itself. */
export function MenuButton({ menuLabel, groups, align, asWide, children, ...rest }: MenuButtonProps) {
  const [open, setOpen] = useState(false)
  const ref = useRef<HTMLButtonElement>(null)
  return (
    <>
      <Button
        {...rest}
        ref={ref}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          setOpen(true)
        }}
      >
        {children}
      </Button>
      {open && ref.current && (
        <Menu
          anchor={ref.current}
          label={menuLabel}
          groups={groups()}
          align={align}
          asWide={asWide}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
