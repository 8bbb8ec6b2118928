import { signal } from '@preact/signals'
import type { en } from './en.ts'
import { firstTexts } from './files.ts'
import type { Language, Like, Source, Texts } from './like.ts'

const language = signal<Language>('en')
/** Until the page knows its language, no file of texts is asked for. */
let isSet = false
/** `ready` is resolved once its texts are in the language of the page. */
type Catalogue<T extends Texts> = { (): Like<T>; ready: () => Promise<void> }
type Entry = { source: Source<Texts>; texts: ReturnType<typeof signal<Texts | undefined>> }
const entries: Entry[] = []

/**
 * Registers the texts of a part of the app: English at once, German when it is asked for. Returns what reads them:
 *
 *     const texts = catalogue({ en, de: () => import('./de.ts').then(({ de }) => de) })
 *     texts().noDeals
 */
export function catalogue<T extends Texts>(source: Source<T>): Catalogue<T> {
  const entry = { source, texts: signal(atOnce(source as Source<Texts>)) } as Entry
  entries.push(entry)
  // A screen whose code comes late may meet German: until its texts are here it shows English, for a moment.
  const isThere = language.peek() === 'en' && typeof source.en !== 'function'
  const loading = isThere || !isSet ? undefined : load(entry, language.peek())
  return Object.assign(() => entry.texts.value as Like<T>, { ready: async () => loading })
}

function atOnce({ en, here }: Source<Texts>): Texts | undefined {
  const found = here?.(language.peek()) ?? (typeof en === 'function' ? undefined : en)
  return found && withIsolates(found)
}

/** A text with letters that are written from right to left: Hebrew, Arabic, Syriac, Thaana and others. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/
const isolated = (value: unknown) =>
  typeof value === 'string' && RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value

/** What people have written keeps its own direction inside a sentence, and does not turn the rest of it. */
function withIsolates<T extends Texts>(texts: T): T {
  const entries = Object.entries(texts).map(([key, text]) => {
    if (typeof text === 'string') return [key, text]
    if (typeof text === 'object') return [key, withIsolates(text)]
    return [key, (...values: unknown[]) => text(...(values.map(isolated) as never[]))]
  })
  return Object.fromEntries(entries) as T
}

/** The texts that the whole app shares. */
export const t = catalogue(firstTexts<typeof en>('t'))

/** Changes the language of the page, once all texts of it are here. */
export async function setLanguage(next: Language): Promise<void> {
  isSet = true
  language.value = next
  await Promise.all(entries.map((entry) => load(entry, next)))
  document.documentElement.lang = next === 'pseudo' ? 'en' : next
}

const pseudo = async <T extends Texts>(en: T) => (await import('./pseudo.ts')).pseudoOf(en)

async function load({ source, texts }: Entry, next: Language): Promise<void> {
  const english = async () => (typeof source.en === 'function' ? source.en() : source.en)
  const found = next === 'de' ? await source.de() : next === 'pseudo' ? await pseudo(await english()) : await english()
  if (language.peek() === next) texts.value = withIsolates(found)
}
