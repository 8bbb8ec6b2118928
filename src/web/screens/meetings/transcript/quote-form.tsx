import { showToast } from '../../../components/toast.tsx'
import { me } from '../../../data/boot.ts'
import { create } from '../../../data/records.ts'
import type { Meeting } from '../../../data/types.ts'
import { asStep } from '../../../data/writes.ts'
import { Form } from '../../../shell/pages/form.tsx'
import { texts } from '../texts.ts'
import { markdownOf, type Quote, textOf } from './quote.ts'

type QuoteFormProps = { meeting: Meeting; quote: Quote; onClose: () => void }

/** A note about the meeting and its deal, which begins with what was said. */
export function QuoteNote({ meeting, quote, onClose }: QuoteFormProps) {
  const words = texts()
  return (
    <Form<{ body: string }>
      isDialog
      name={`quote:${meeting.id}:${quote.ms}`}
      title={words.quoteNote}
      entries={[{ key: 'body', label: words.note, type: 'long_text', is_required: true, isLong: true }]}
      initial={{ body: markdownOf(meeting.id, quote) }}
      verb={words.addNote}
      send={async ({ body }) => {
        const made = doAsStep(() => create('notes', { body, meeting_id: meeting.id, ...linksOf(meeting) }))
        await made.job
        showToast({ text: words.noteAdded, icon: 'note', step: made.step })
      }}
      onClose={onClose}
    />
  )
}

/** A task of mine, which says where it comes from. */
export function QuoteTask({ meeting, quote, onClose }: QuoteFormProps) {
  const words = texts()
  return (
    <Form<{ title: string; due_at: string | null; owner_id: string | null; body: string }>
      isDialog
      name={`quote-task:${meeting.id}:${quote.ms}`}
      title={words.makeTask}
      entries={[
        { key: 'title', label: words.taskTitle, type: 'text', is_required: true },
        { key: 'due_at', label: words.due, type: 'datetime' },
        { key: 'owner_id', label: words.fields.owner_id, type: 'member' },
        { key: 'body', label: words.note, type: 'long_text', isLong: true },
      ]}
      initial={{ title: shortened(quote.text), owner_id: me.peek().id, body: textOf(meeting.id, quote) }}
      verb={words.makeTask}
      send={async (values) => {
        const made = doAsStep(() => create('tasks', { ...values, ...linksOf(meeting) }))
        await made.job
        showToast({ text: words.taskMade(values.title), icon: 'task', step: made.step })
      }}
      onClose={onClose}
    />
  )
}

function doAsStep<T>(run: () => Promise<T>): { job: Promise<T>; step: ReturnType<typeof asStep> } {
  let job: Promise<T> | undefined
  const step = asStep(() => {
    job = run()
  })
  return { job: job as unknown as Promise<T>, step }
}

/** What the meeting is about; without anything, the first contact who takes part, as a task needs no record but is found by one. */
function linksOf({ deal_id, company_id, participants }: Meeting) {
  const contact = participants.find(({ contact_id }) => contact_id !== null)?.contact_id
  return {
    deal_ids: deal_id ? [deal_id] : [],
    company_ids: company_id ? [company_id] : [],
    contact_ids: !deal_id && !company_id && contact ? [contact] : [],
  }
}

const MOST_LETTERS = 120
const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= MOST_LETTERS ? line : `${line.slice(0, MOST_LETTERS).toWellFormed()}…`
}
