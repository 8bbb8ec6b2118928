import { first as known } from '#first-texts'
import type { Like, Source } from './texts.ts'

type First = typeof known
type All = { [Name in keyof First]: First[Name] | Like<First[Name]> }

/** What has been loaded. Node has the English ones at once, a browser nothing: the page names one file beside the script. */
const files: { en: First | undefined; de: All | undefined } = { en: known, de: undefined }

const english = async (): Promise<First> => (files.en = (await import('./first-en.ts')).first)
const german = async (): Promise<All> => (files.de = (await import('./first-de.ts')).first)

/** A part of the texts of the first page. They are there before the first screen is drawn. */
export const firstTexts = <Name extends keyof First>(name: Name): Source<First[Name]> => ({
  en: files.en?.[name] ?? (async () => (await english())[name]),
  de: async () => (await german())[name] as Like<First[Name]>,
  here: (language) => files[language === 'de' ? 'de' : 'en']?.[name],
})
