import { mailLinks } from '../../auth/mail-links.ts'
import { type Deps, once } from '../../deps.ts'
import { heldStore } from '../../inbox/messages/held.ts'
import { escaped, textHtml } from '../../lib/html/from-text.ts'
import type { Waiting } from '../sending.ts'
import { ratingStore } from './ratings.ts'
import { satisfactionSettings, wordsOf } from './settings.ts'
import { ANSWERS, type Answer } from './words.ts'

/** The question, and its answers with their links. */
type Linked = { question: string; answers: [string, string][] }
type Bodies = { text: string; html: string | null }

/** Puts the question into mails that close: docs/decisions/079-satisfaction.md. */
export const asking = once((deps: Deps) => {
  const links = mailLinks(deps)
  const { of } = satisfactionSettings(deps)
  const { isLeftAlone, ask, askedBy } = ratingStore(deps)
  const { willClose } = heldStore(deps)

  /** Whether a mail that is about to leave is to ask and does not yet. */
  function isDue(org: number, { message, mail, mailbox }: Waiting): boolean {
    const { id, conversation_id, author, is_automatic, forwards_message_id } = message
    const isAnswer = author.type === 'member' && !is_automatic && forwards_message_id === null && mail.is_aside === 0
    if (!isAnswer || mail.enrollment_id !== null || !mailbox || !willClose(org, message)) return false
    const { is_active, mailbox_ids, pause_days } = of(org)
    if (!is_active || (mailbox_ids !== null && !mailbox_ids.includes(mailbox.id))) return false
    if (askedBy(org, id) || links.url(org, 'rating', id) === null) return false
    return !isLeftAlone(org, conversation_id, pause_days)
  }

  /** Call this in a transaction, before the first attempt: each attempt is to send the same. */
  function decide(org: number, waiting: Waiting): void {
    if (isDue(org, waiting)) ask(org, waiting.message.id, wordsOf(of(org)))
  }

  function linked(org: number, id: string): Linked | undefined {
    const words = askedBy(org, id)
    const link = words && links.url(org, 'rating', id)
    if (!words || !link) return undefined
    return { question: words.question, answers: ANSWERS.map((name) => [words[name], `${link}/${pathOf(name)}`]) }
  }

  /** The bodies of a mail, with the question at the end if it asks. */
  function withQuestion(org: number, id: string, { text, html }: Bodies): Bodies {
    const asked = linked(org, id)
    if (!asked) return { text, html }
    const anchors = asked.answers.map(([name, url]) => `<a href="${escaped(url)}">${escaped(name)}</a>`)
    return {
      text: `${text.trimEnd()}\n\n${linesOf(asked)}\n`,
      html: `${html ?? textHtml(text)}\n<p>${escaped(asked.question)}<br />${anchors.join(' &nbsp;·&nbsp; ')}</p>`,
    }
  }

  /**
   * What stands below the text of a mail that asked, as answers quote it, but without the addresses: whoever has them can
   * answer. Empty for any other.
   */
  function questionOf(org: number, id: string): string {
    const words = askedBy(org, id)
    return words ? [words.question, ...ANSWERS.map((name) => `${words[name]}:`)].join('\n') : ''
  }

  return { isDue, decide, withQuestion, questionOf }
})

const pathOf = (answer: Answer): string => answer.replace('_', '-')

const linesOf = ({ question, answers }: Linked): string =>
  [question, ...answers.map(([name, url]) => `${name}: ${url}`)].join('\n')
