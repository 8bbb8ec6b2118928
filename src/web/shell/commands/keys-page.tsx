import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Kbd } from '../../components/kbd.tsx'
import { isMac } from '../../lib/keyboard.ts'
import { navigate } from '../../lib/router.ts'
import { t } from '../../lib/texts/texts.ts'
import { keysOf } from './dispatch.ts'
import { keyLabels } from './keys.ts'
import { bindings } from './listen.ts'
import { isKeysPageOpen } from './opened.ts'
import { paletteTexts } from './palette-texts.ts'
import { type Command, commands, GROUPS } from './registry.ts'
import { texts } from './texts.ts'
import './keys-page.css'

/** The place of the page of keys, in the app once. */
export function KeysPage({ onClose: close }: { onClose: () => void }) {
  if (!isKeysPageOpen.value) return null
  const shown = commands.value.filter((command) => !command.isAlias && keysOf(command, bindings.value) !== undefined)
  return (
    <Dialog
      title={texts().keys}
      wide
      onClose={close}
      footer={
        <>
          <Button
            plain
            large
            onClick={() => {
              close()
              void navigate('/settings/me')
            }}
          >
            {paletteTexts().change}
          </Button>
          <Button large autofocus onClick={close}>
            {t().close}
          </Button>
        </>
      }
    >
      <p class="dim">{bindings.value.singles ? paletteTexts().keysBody : paletteTexts().keysOff}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard */}
      <section class="keys-page" tabIndex={0} aria-label={texts().keys}>
        {GROUPS.map((group) => {
          const rows = shown.filter((command) => command.group === group)
          return rows.length === 0 ? null : <KeyGroup key={group} label={paletteTexts().groups[group]} rows={rows} />
        })}
      </section>
    </Dialog>
  )
}

function KeyGroup({ label, rows }: { label: string; rows: Command[] }) {
  return (
    <div>
      <h3 class="caption">{label}</h3>
      <dl>
        {rows.map((command) => (
          <div key={command.id} class="row strip">
            <dt class="grow">{command.title()}</dt>
            <dd class="row">
              <KeyList keys={keysOf(command, bindings.value) ?? ''} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

/** Keys one after the other; screen readers hear their names. */
export function KeyList({ keys }: { keys: string }) {
  const labels = keyLabels(keys, isMac)
  return (
    <>
      <span class="sr">{labels.join(` ${paletteTexts().thenKey} `)}</span>
      {labels.map((label, index) => (
        <Kbd key={`${index}${label}`} keys={label} />
      ))}
    </>
  )
}
