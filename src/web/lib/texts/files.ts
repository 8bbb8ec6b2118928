import { parts as known } from '#first-texts'
import type { Source, Texts } from './like.ts'

// Some files hold the texts of several parts of the app. Those parts are above this one, which is therefore given the files.

type Parts = Readonly<Record<string, Texts>>
/** The texts of the first page in both languages, and the German ones of what opens on a key or a click. */
type Name = 'en' | 'de' | 'later'
type Files = Readonly<Record<Name, () => Promise<{ parts: Parts }>>>

let files: Files
/** What has been loaded. Node has the English ones at once, a browser nothing: the page names one file beside the script. */
const loaded: { [File in Name]?: Parts | undefined } = { en: known }

/** Says which files they are, before a language is set. */
export function takeTextsFrom(given: Files): void {
  files = given
}

/** Whoever asks for a part knows its type. */
const partOf = (file: Name, part: string) => async () => {
  loaded[file] ??= (await files[file]()).parts
  return loaded[file][part] as never
}

/** A part of the texts of the first page. They are there before the first screen is drawn. */
export const firstTexts = <T extends Texts>(part: string): Source<T> => ({
  en: (loaded.en?.[part] as T | undefined) ?? partOf('en', part),
  de: partOf('de', part),
  here: (language) => loaded[language === 'de' ? 'de' : 'en']?.[part] as T | undefined,
})

/** The German texts of a part that opens on a key or a click: they come in one file, as its code does. */
export const laterGerman = (part: string) => partOf('later', part)
