import { useEffect, useMemo } from 'preact/hooks'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { Check } from '../../components/check.tsx'
import type { Field } from '../../components/fields/field.ts'
import { State } from '../../components/state.tsx'
import { list, type Query } from '../../data/pages.ts'
import { patch, record } from '../../data/records.ts'
import type { Meeting, Note, Task } from '../../data/types.ts'
import { asStep } from '../../data/writes.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { Markdown } from '../../record/markdown/markdown.tsx'
import { Section } from '../../record/section.tsx'
import { MeetingField } from './field.tsx'
import { dotOf, mayWriteMeetings } from './state.ts'
import { texts } from './texts.ts'
import { TalkTime } from './transcript/talk-time.tsx'

/** What is known of a meeting beside what was said in it. */
export function Aside({ meeting, onEdit }: { meeting: Meeting; onEdit: () => void }) {
  const words = texts()
  const { fields } = words
  return (
    <aside class="meeting-aside scroll" aria-label={words.partNames.facts}>
      <TalkTime meeting={meeting.id} />
      <Section title={fields.summary}>
        <MeetingField
          meeting={meeting}
          field={{ key: 'summary', label: fields.summary, type: 'long_text', add: words.addSummary }}
        />
      </Section>
      <Section title={fields.description}>
        {meeting.description ? (
          <p class="agenda-text" dir="auto">
            {meeting.description}
          </p>
        ) : (
          <p class="small mute">{words.noAgenda}</p>
        )}
        {mayWriteMeetings() && (
          <Button plain onClick={onEdit}>
            {words.edit}
          </Button>
        )}
      </Section>
      <People meeting={meeting} />
      <Section title={words.about}>
        <dl class="props">
          <Row meeting={meeting} field={{ key: 'company_id', label: fields.company_id, type: 'company' }} />
          <Row meeting={meeting} field={{ key: 'deal_id', label: fields.deal_id, type: 'deals' }} />
          <Row meeting={meeting} field={{ key: 'owner_id', label: fields.owner_id, type: 'member' }} />
          <Row meeting={meeting} field={{ key: 'recording_url', label: fields.recording_url, type: 'url' }} />
        </dl>
      </Section>
      <Notes meeting={meeting.id} />
      <Tasks meeting={meeting.id} />
    </aside>
  )
}

const Row = (props: { meeting: Meeting; field: Field }) => (
  <div data-property={props.field.key}>
    <dt>{props.field.label}</dt>
    <dd>
      <MeetingField {...props} />
    </dd>
  </div>
)

function People({ meeting: { participants } }: { meeting: Meeting }) {
  const words = texts()
  return (
    <Section title={words.participants} count={String(participants.length)}>
      <ul class="people">
        {participants.map(({ contact_id, member_id, name, email, role, response }, at) => {
          const shown = name ?? email ?? ''
          return (
            <li key={at} class="row">
              <Avatar kind={member_id ? 'member' : 'contact'} id={member_id ?? undefined} name={shown} />
              <span class="cut grow" dir="auto">
                {contact_id ? <a href={`/contacts/${contact_id}`}>{shown}</a> : shown}
              </span>
              {role === 'organizer' ? (
                <span class="small mute">{words.organizer}</span>
              ) : (
                <State is={dotOf(response)}>{words.responses[response]}</State>
              )}
            </li>
          )
        })}
      </ul>
      {participants.length === 0 && <p class="small mute">{words.nobody}</p>}
    </Section>
  )
}

/** A list of the server as long as it is shown, kept current. */
function useShort(kind: 'notes' | 'tasks', query: Query) {
  const made = useMemo(() => list(kind, query), [JSON.stringify(query)])
  useEffect(() => {
    void made.more()
    const stop = made.fresh.subscribe((count) => count > 0 && queueMicrotask(made.showFresh))
    return () => {
      stop()
      made.dispose()
    }
  }, [made])
  return made.ids.value
}

function Notes({ meeting }: { meeting: string }) {
  const words = texts()
  const ids = useShort('notes', { meeting_id: meeting, sort: '-created_at' })
  const notes = ids.flatMap((id) => (record('notes', id).value as Note | null | undefined) ?? [])
  if (notes.length === 0) return null
  return (
    <Section title={words.notes} count={String(notes.length)}>
      {notes.map(({ id, body, created_at }) => (
        <article key={id} class="meeting-note">
          <Markdown text={body} />
          <small>{format.value.when(created_at, now.value)}</small>
        </article>
      ))}
    </Section>
  )
}

/** The tasks that were made of what was said here: they name the meeting by its address. */
function Tasks({ meeting }: { meeting: string }) {
  const words = texts()
  const ids = useShort('tasks', { q: meeting, sort: 'due_at' })
  const tasks = ids.flatMap((id) => {
    const task = record('tasks', id).value as Task | null | undefined
    return task?.body?.includes(`/meetings/${meeting}`) ? [task] : []
  })
  if (tasks.length === 0) return null
  return (
    <Section title={words.tasks} count={String(tasks.length)}>
      <ul class="people">
        {tasks.map(({ id, title, status, due_at }) => (
          <li key={id} class="row">
            <Check
              checked={status === 'done'}
              title={words.done(title)}
              onChange={(isDone) =>
                void asStep(() => void patch('tasks', id, { status: isDone ? 'done' : 'open' }).catch(() => undefined))
              }
            />
            <a
              class={status === 'done' ? 'cut grow is-done' : 'cut grow'}
              dir="auto"
              href={`/tasks?who=team&task=${id}`}
            >
              {title}
            </a>
            {due_at && <span class="small mute">{format.value.when(due_at, now.value)}</span>}
          </li>
        ))}
      </ul>
    </Section>
  )
}
