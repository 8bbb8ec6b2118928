import { boot } from '../../data/boot.ts'
import { format } from '../../lib/locale.ts'
import { texts as inboxTexts } from '../inbox/texts.ts'
import { texts } from './texts.ts'
import type { RuleForm } from './wire.ts'

/** "de" → "German". */
export const languageName = (language: string): string =>
  new Intl.DisplayNames(format.value.tag, { type: 'language', fallback: 'code' }).of(language) ?? language

/** A rule as one sentence. */
export const sentenceOf = (rule: RuleForm): string => texts().sentence(whenOf(rule), doesOf(rule))

function whenOf({ when = {} }: RuleForm): string {
  const { when: words } = texts()
  const parts = [
    when.mailbox && words.mailbox(when.mailbox),
    when.from && words.from(when.from),
    when.subject && words.subject(when.subject),
    when.text && words.text(when.text),
    when.language && words.language(languageName(when.language)),
    when.sender && words[when.sender],
  ].filter(Boolean)
  return parts.length === 0 ? words.any : `${words.mail} ${parts.join(', ')}`
}

function doesOf({ do: acts }: RuleForm): string {
  const { does: words } = texts()
  const nameOf = (email: string) => boot.value.members.find((member) => member.email === email)?.name ?? email
  const parts = [
    acts.assign && words.assign(nameOf(acts.assign)),
    acts.tags && acts.tags.length > 0 && words.tags(format.value.list(acts.tags)),
    acts.priority && words.priority(inboxTexts().priorities[acts.priority]),
    acts.answer !== undefined && words.answer,
    acts.close && words.close,
  ].filter((each) => typeof each === 'string')
  // What it named may have gone since.
  return parts.length === 0 ? words.nothing : format.value.list(parts)
}
