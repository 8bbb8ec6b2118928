import { boot } from '../../data/boot.ts'
import { format } from '../../lib/locale.ts'
import type { Entry } from '../../shell/pages/form.tsx'
import { texts as inboxTexts } from '../inbox/texts.ts'
import { texts } from './texts.ts'
import type { Listed, RuleForm } from './wire.ts'
import { languageName } from './words.ts'

/** A rule as its form has it: members and tags by their ids, and nothing where it says nothing. */
export type Values = {
  name: string
  mailbox: string | null
  from: string | null
  subject: string | null
  text: string | null
  language: string | null
  sender: string | null
  assign: string | null
  tags: string[]
  priority: string | null
  answer: string | null
  close: boolean
}

export function valuesOf({ name, when = {}, do: acts }: RuleForm): Values {
  return {
    name,
    mailbox: when.mailbox ?? null,
    from: when.from ?? null,
    subject: when.subject ?? null,
    text: when.text ?? null,
    language: when.language ?? null,
    sender: when.sender ?? null,
    assign: boot.peek().members.find(({ email }) => email === acts.assign)?.id ?? null,
    tags: boot.peek().tags.flatMap(({ id, name }) => (acts.tags?.includes(name) ? [id] : [])),
    priority: acts.priority ?? null,
    answer: acts.answer ?? null,
    close: acts.close ?? false,
  }
}

/** Without what is empty. */
export function ruleOf(values: Values, is_active: boolean): RuleForm {
  const { name, mailbox, from, subject, text, language, sender, priority, answer } = values
  const assign = boot.peek().members.find(({ id }) => id === values.assign)?.email
  const tags = values.tags.flatMap((id) => boot.peek().tags.find((tag) => tag.id === id)?.name ?? [])
  return {
    name,
    is_active,
    when: given({ mailbox, from, subject, text, language, sender }),
    do: {
      ...given({ assign: assign ?? null, priority, answer }),
      ...(tags.length > 0 ? { tags } : {}),
      ...(values.close ? { close: true } : {}),
    },
  } as RuleForm
}

const given = (fields: Record<string, string | null>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== ''))

export type RuleFields = { name: Entry; when: Entry[]; does: Entry[] }

/** The fields of the form, in its three parts. */
export function fieldsOf({ mailboxes, languages }: Listed): RuleFields {
  const { fields: words } = texts()
  const { priorities } = inboxTexts()
  const named = languages
    .map((value) => ({ value, label: languageName(value) }))
    .toSorted((one, other) => one.label.localeCompare(other.label, format.peek().tag))
  return {
    name: { key: 'name', label: words.name, type: 'text', is_required: true },
    when: [
      {
        ...{ key: 'mailbox', label: words.mailbox, type: 'select' },
        options: mailboxes.map(({ key, name, address }) => ({ value: key, label: `${name} (${address})` })),
      },
      { key: 'from', label: words.from, type: 'text', example: 'orders@example.com', help_text: words.fromHelp },
      { key: 'subject', label: words.subject, type: 'text' },
      { key: 'text', label: words.text, type: 'text', help_text: words.textHelp },
      { key: 'language', label: words.language, type: 'select', options: named, help_text: words.languageHelp },
      {
        ...{ key: 'sender', label: words.sender, type: 'select' },
        options: [
          { value: 'new', label: words.new },
          { value: 'known', label: words.known },
        ],
        help_text: words.senderHelp,
      },
    ],
    does: [
      { key: 'assign', label: words.assign, type: 'member' },
      { key: 'tags', label: words.tags, type: 'tags' },
      {
        ...{ key: 'priority', label: words.priority, type: 'select' },
        options: Object.entries(priorities).map(([value, label]) => ({ value, label })),
      },
      { key: 'answer', label: words.answer, type: 'long_text', isLong: true, help_text: words.answerHelp },
    ],
  }
}
