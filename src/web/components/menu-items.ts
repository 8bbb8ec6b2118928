import type { Anchor, PlaceOptions } from '../lib/place.ts'
import type { IconName } from './icon.tsx'

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
