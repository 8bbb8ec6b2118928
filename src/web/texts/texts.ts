import { signal } from '@preact/signals'
import { en } from './en.ts'

/**
 * A catalogue is an object of texts, and of functions that make one from values. The English one is the type of the others:
 * a text that German lacks does not compile. A part of the app that loads late has a catalogue of its own, by `catalogue`.
 */
export type Texts = { readonly [key: string]: string | ((...values: never[]) => string) | Texts }
/** The same keys with other words. */
export type Like<T extends Texts> = {
  readonly [Key in keyof T]: T[Key] extends string ? string : T[Key] extends Texts ? Like<T[Key]> : T[Key]
}

/** `pseudo` is English made 40 % longer, which the tests use to find where a text overflows. */
export type Language = 'en' | 'de' | 'pseudo'

const language = signal<Language>('en')
type Source<T extends Texts> = { en: T; de: () => Promise<Like<T>> }
type Entry = { source: Source<Texts>; texts: ReturnType<typeof signal<Texts>> }
const entries: Entry[] = []

/**
 * Registers the texts of a part of the app: English at once, German when it is asked for. Returns what reads them:
 *
 *     const texts = catalogue({ en, de: () => import('./de.ts').then(({ de }) => de) })
 *     texts().noDeals
 */
export function catalogue<T extends Texts>(source: Source<T>): () => Like<T> {
  const entry = { source, texts: signal<Texts>(source.en) } as unknown as Entry
  entries.push(entry)
  // A screen whose code comes late may meet German: until its texts are here it shows English, for a moment.
  if (language.peek() !== 'en') void load(entry, language.peek())
  return () => entry.texts.value as Like<T>
}

/** The texts that the whole app shares. */
export const t = catalogue({ en, de: () => import('./de.ts').then(({ de }) => de) })

/** Changes the language of the page, once all texts of it are here. */
export async function setLanguage(next: Language): Promise<void> {
  language.value = next
  await Promise.all(entries.map((entry) => load(entry, next)))
  document.documentElement.lang = next === 'pseudo' ? 'en' : next
}

const pseudo = async <T extends Texts>(en: T) => (await import('./pseudo.ts')).pseudoOf(en)

async function load({ source, texts }: Entry, next: Language): Promise<void> {
  const found = next === 'de' ? await source.de() : next === 'pseudo' ? await pseudo(source.en) : source.en
  if (language.peek() === next) texts.value = found
}
