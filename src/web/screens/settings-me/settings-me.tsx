import { Switch } from '../../components/check.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { showToast } from '../../components/toast.tsx'
import { hasRole } from '../../data/may.ts'
import { format, locale } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { bindings } from '../../shell/commands/listen.ts'
import { Section, Setting, Sheet } from '../../shell/pages/sheet.tsx'
import { type Preferences, savePreferences } from '../../shell/preferences.ts'
import { texts as settingsTexts } from '../../shell/settings/texts.ts'
import { theme } from '../../shell/theme.ts'
import { KeyEditor } from './key-editor.tsx'
import { Signature } from './signature.tsx'
import { texts } from './texts.ts'

const LANGUAGES: { value: 'en' | 'de'; label: string }[] = [
  { value: 'en', label: 'English' },
  { value: 'de', label: 'Deutsch' },
]

/** What a member chooses for themselves. Everything takes effect at once. */
export default function SettingsMe() {
  const themes = (['system', 'light', 'dark'] as const).map((value) => ({ value, label: texts().themes[value] }))
  const { language, timezone } = locale.value
  return (
    <Sheet title={settingsTexts().me}>
      <Section title={texts().appearance}>
        <Setting label={texts().language} help={texts().languageHelp}>
          <Segmented
            label={texts().language}
            value={language === 'de' ? 'de' : 'en'}
            choices={LANGUAGES}
            onChange={(language) => save({ language })}
          />
        </Setting>
        <Setting label={texts().theme}>
          <Segmented label={texts().theme} value={theme.value} choices={themes} onChange={(theme) => save({ theme })} />
        </Setting>
        <Setting label={texts().timezone} help={`${texts().timezoneHelp} ${texts().now(format.value.time(now.value))}`}>
          <div class="input">
            <Combobox
              label={texts().timezone}
              value={zone(timezone)}
              choices={zones().map(zone)}
              onPick={(choice) => choice && save({ timezone: choice.value })}
            />
          </div>
        </Setting>
      </Section>
      {hasRole('member') && <Signature />}
      <Section title={texts().keys}>
        <Setting label={texts().singles} help={texts().singlesHelp}>
          <Switch checked={bindings.value.singles} onChange={(shortcuts) => save({ shortcuts })}>
            {texts().on}
          </Switch>
        </Setting>
        <KeyEditor onChange={(keys) => save({ keys })} />
      </Section>
    </Sheet>
  )
}

const zone = (name: string) => ({ value: name, label: name.replaceAll('_', ' ') })
const zones = (): string[] => [...new Set([locale.value.timezone, ...Intl.supportedValuesOf('timeZone'), 'UTC'])]

function save(changes: Partial<Preferences>): void {
  savePreferences(changes).catch(() => showToast({ kind: 'error', text: texts().notSaved }))
}
