import { useRef, useState } from 'preact/hooks'
import type { PlaceOptions } from '../lib/place.ts'
import { Button, type ButtonProps } from './button.tsx'
import { laterInFocus } from './later.tsx'
import type { MenuGroup } from './menu-items.ts'
import './menu.css'

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
