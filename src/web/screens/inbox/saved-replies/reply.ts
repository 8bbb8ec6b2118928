import type { SavedReply } from '../../../../personal/saved-replies.ts'
import { matching } from '../../../lib/match.ts'

export type { SavedReply } from '../../../../personal/saved-replies.ts'

/** As it would stand in a conversation. */
export type Filled = SavedReply & { filled: string }

/** What fits by its title, then what fits by its text. */
export function found<Reply extends SavedReply>(typed: string, replies: readonly Reply[]): Reply[] {
  const byName = [...replies].sort((one, other) => one.title.localeCompare(other.title))
  const byTitle = matching(typed, byName, ({ title }) => title)
  return [...byTitle, ...matching(typed, byName, ({ text }) => text).filter((each) => !byTitle.includes(each))]
}

const VARIABLE = /\{\{\s*(?:contact|company|deal|sender|org)\.[\w.]+\s*\}\}/g

/** The variables that are still in a text, each once. */
export const unfilledIn = (text: string): string[] => [...new Set(text.match(VARIABLE) ?? [])]
