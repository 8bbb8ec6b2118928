import { effect, signal } from '@preact/signals'
import { boot, me, page } from '../data/boot.ts'
import { client } from '../data/current.ts'
import { locale } from '../lib/locale.ts'
import type { Language } from '../lib/texts/like.ts'
import { setLanguage } from '../lib/texts/texts.ts'
import { bindings } from './commands/listen.ts'
import { keepTheme, type Theme, theme } from './theme.ts'

export type Preferences = {
  language: Language
  theme: Theme
  timezone: string
  shortcuts: boolean
  keys: Record<string, string>
}

const saving = signal(0)

/** Takes the member's preferences over from what the page came with. */
export async function applyPreferences(given: Preferences): Promise<void> {
  keepTheme()
  await apply(given)
  // Another tab may change them: the stream says so, and boot is read again.
  effect(() => {
    const { language, theme, timezone, shortcuts, keys } = me.value
    // What is being saved here is newer than what the server said before.
    if (saving.value === 0) void apply({ language, theme, timezone, shortcuts, keys })
  })
}

async function apply(given: Partial<Preferences>): Promise<void> {
  if (given.theme !== undefined) theme.value = given.theme
  if (given.shortcuts !== undefined) bindings.value = { ...bindings.peek(), singles: given.shortcuts }
  if (given.keys !== undefined) bindings.value = { ...bindings.peek(), keys: given.keys }
  const { language, timezone } = locale.peek()
  if (given.language !== undefined || given.timezone !== undefined) {
    locale.value = { language: given.language ?? language, timezone: given.timezone ?? timezone }
  }
  if (given.language !== undefined) await setLanguage(given.language)
}

/** Shows the change at once and saves it. Throws if the server refuses or does not answer; then the page is as before. */
export async function savePreferences(changes: Partial<Preferences>): Promise<void> {
  const before = preferencesNow()
  saving.value++
  await apply(changes)
  try {
    await client().api.request('PATCH', '/app/preferences', { body: changes })
    const { language = boot.peek().me.language, ...others } = changes
    const after = { ...boot.peek().me, ...others, language: language === 'de' ? ('de' as const) : ('en' as const) }
    page.value = { ...boot.peek(), me: after }
  } catch (error) {
    await apply(before)
    throw error
  } finally {
    saving.value--
  }
}

export function preferencesNow(): Preferences {
  const { me } = boot.peek()
  const { singles, keys } = bindings.peek()
  const { language, timezone } = locale.peek()
  return { language: language as Language, timezone, theme: theme.peek() ?? me.theme, shortcuts: singles, keys }
}
