import { emailKey } from '../../lib/email.ts'
import type { Language } from '../../lib/language.ts'
import { domainOf } from '../../lib/mail/hosts.ts'
import { foldWhole } from '../../lib/pure/fold.ts'
import type { Rule } from './rule.ts'

/** What rules ask of a mail: of one that comes in, and of one that is stored. */
export type Facts = {
  mailbox_id: string | null
  from: string | null
  subject: string
  text: string
  /** What the text is written in; asked for only where a rule says something of it. */
  language: () => Language | null
  /** Nobody has had to do with its sender by mail before. */
  isNew: boolean
}

/** Case and accents do not count. */
export function matches({ mailbox_id, conditions }: Rule, mail: Facts): boolean {
  const { from, subject, text, language, sender } = conditions
  return (
    (mailbox_id === null || mailbox_id === mail.mailbox_id) &&
    (from === undefined || (mail.from !== null && isFrom(mail.from, from))) &&
    (subject === undefined || contains(mail.subject, subject)) &&
    (text === undefined || contains(mail.text, text)) &&
    (language === undefined || mail.language() === language) &&
    (sender === undefined || mail.isNew === (sender === 'new'))
  )
}

const contains = (whole: string, part: string): boolean => foldWhole(whole).includes(foldWhole(part.trim()))

function isFrom(email: string, wanted: string): boolean {
  if (wanted.includes('@')) return emailKey(email) === emailKey(wanted)
  const domain = domainOf(email)
  return domain === wanted || domain.endsWith(`.${wanted}`)
}
