import { Segmented } from '../../../components/segmented.tsx'
import { locale } from '../../../lib/locale.ts'
import { setLanguage } from '../../../lib/texts/texts.ts'
import { texts } from './texts.ts'

/** The language of the page, and of the member who is made with it. */
export function LanguageChoice() {
  const language = locale.value.language === 'de' ? 'de' : 'en'
  return (
    <div class="form-field">
      <div class="line">
        <span class="label">{texts().language}</span>
      </div>
      <Segmented
        label={texts().language}
        value={language}
        choices={(['en', 'de'] as const).map((value) => ({ value, label: texts().languages[value] }))}
        onChange={(next) => {
          locale.value = { ...locale.peek(), language: next }
          void setLanguage(next)
        }}
      />
    </div>
  )
}
