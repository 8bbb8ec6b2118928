import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Menu } from '../components/menu.tsx'
import type { MenuGroup } from '../components/menu-items.ts'
import { showToast } from '../components/toast.tsx'
import { boot } from '../data/boot.ts'
import { base } from '../lib/base.ts'
import { navigate } from '../lib/router.ts'
import { isPhone } from '../lib/widths.ts'
import { commandMenu } from './commands/command-menu.ts'
import { savePreferences } from './preferences.ts'
import { texts } from './texts.ts'
import { type Theme, theme } from './theme.ts'

/** The organisation at the top of the sidebar: its menu holds the appearance, help, and signing out. */
export function OrgMenu({ children }: { children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false)
  const ref = useRef<HTMLButtonElement>(null)
  return (
    <>
      <button
        ref={ref}
        type="button"
        class="org"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={`${boot.value.org.name}, ${texts().organisation}`}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && ref.current && (
        <Menu anchor={ref.current} label={texts().organisation} groups={orgMenu()} onClose={() => setOpen(false)} />
      )}
    </>
  )
}

export function orgMenu(): MenuGroup[] {
  const { version } = boot.value
  return [
    { label: texts().theme, items: (['system', 'light', 'dark'] as const).map(themeItem) },
    {
      items: [
        { label: texts().preferences, icon: 'person', onPick: () => void navigate('/settings/me') },
        // A phone has no keys.
        ...(isPhone.value ? [] : (commandMenu([['app.keys']])[0]?.items ?? [])),
        { label: texts().reference, icon: 'hook', onPick: () => location.assign(`${base}/reference`) },
      ],
    },
    { label: texts().version(version), items: commandMenu([['app.sign-out']])[0]?.items ?? [] },
  ]
}

const themeItem = (each: Theme) => ({
  label: { system: texts().themeSystem, light: texts().themeLight, dark: texts().themeDark }[each],
  checked: theme.value === each,
  onPick: () => void setTheme(each),
})

export function setTheme(next: Theme): Promise<void> {
  return savePreferences({ theme: next }).catch(() => {
    showToast({ kind: 'error', text: texts().notSaved })
  })
}
