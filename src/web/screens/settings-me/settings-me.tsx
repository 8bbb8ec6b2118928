import { Switch } from '../../components/check.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { showToast } from '../../components/toast.tsx'
import { format, locale } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { bindings } from '../../shell/commands/listen.ts'
import { type Preferences, savePreferences } from '../../shell/preferences.ts'
import { SettingsFrame } from '../../shell/settings-frame.tsx'
import { texts as shellTexts } from '../../shell/texts.ts'
import { theme } from '../../shell/theme.ts'
import { KeyEditor } from './key-editor.tsx'
import { Setting } from './setting.tsx'
import { texts } from './texts.ts'

/** What a member chooses for themselves. Everything takes effect at once. */
export default function SettingsMe() {
  return (
    <SettingsFrame title={shellTexts().places.me}>
      <div class="sheet">
        <section>
          <h2>{texts().appearance}</h2>
          <Setting label={texts().language} help={texts().languageHelp}>
            <Segmented
              label={texts().language}
              value={locale.value.language}
              choices={[
                { value: 'en', label: 'English' },
                { value: 'de', label: 'Deutsch' },
              ]}
              onChange={(language) => save({ language: language === 'de' ? 'de' : 'en' })}
            />
          </Setting>
          <Setting label={texts().theme}>
            <Segmented
              label={texts().theme}
              value={theme.value}
              choices={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: texts().themes[value] }))}
              onChange={(next) => save({ theme: next })}
            />
          </Setting>
          <Setting
            label={texts().timezone}
            help={`${texts().timezoneHelp} ${texts().now(format.value.time(now.value))}`}
          >
            <div class="input">
              <Combobox
                label={texts().timezone}
                value={zone(locale.value.timezone)}
                choices={zones().map(zone)}
                onPick={(choice) => choice && save({ timezone: choice.value })}
              />
            </div>
          </Setting>
        </section>
        <section>
          <h2>{texts().keys}</h2>
          <Setting label={texts().singles} help={texts().singlesHelp}>
            <Switch checked={bindings.value.singles} onChange={(shortcuts) => save({ shortcuts })}>
              {texts().on}
            </Switch>
          </Setting>
          <KeyEditor onChange={(keys) => save({ keys })} />
        </section>
      </div>
    </SettingsFrame>
  )
}

const zone = (name: string) => ({ value: name, label: name.replaceAll('_', ' ') })
const zones = (): string[] => [...new Set([locale.value.timezone, ...Intl.supportedValuesOf('timeZone'), 'UTC'])]

function save(changes: Partial<Preferences>): void {
  savePreferences(changes).catch(() => showToast({ kind: 'error', text: texts().notSaved }))
}
