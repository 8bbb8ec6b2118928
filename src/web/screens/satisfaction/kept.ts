import type { SatisfactionSettings } from '../../../mail/satisfaction/settings.ts'
import type { Words } from '../../../mail/satisfaction/words.ts'

export type Settings = { [Name in keyof SatisfactionSettings]?: SatisfactionSettings[Name] | undefined }

/** What the server has, as it stands in the mail, and its version. */
export type Kept = SatisfactionSettings & { words: Words; version: number }
