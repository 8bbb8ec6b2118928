import type { ComponentChildren } from 'preact'
import { Avatar } from '../../components/avatar.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import type { PageKind } from '../../components/kinds.ts'
import { boot, memberName } from '../../data/boot.ts'
import { nameOf } from '../../data/names.ts'
import { format } from '../../lib/locale.ts'
import { t } from '../../lib/texts/texts.ts'
import { factsIn } from '../../shell/calls/call.ts'
import { texts as callTexts } from '../../shell/calls/texts.ts'
import { texts } from '../texts.ts'
import { ChangeLine } from './change-line.tsx'
import { type Entry, fieldChanges, type Shown } from './entries.ts'
import { MailBody } from './mail-body.tsx'
import { NoteBody } from './note-body.tsx'
import { Row } from './row.tsx'
import { undoGroups } from './undo.ts'

type EntryProps = {
  kind: PageKind
  id: string
  shown: Shown
  /** How long the stage before lasted, if it is known. */
  stayedMs: number | undefined
  mayWrite: boolean
}

/** One entry: a mark on the line, who did what, when, and the text where there is one. */
export function TimelineEntry(props: EntryProps) {
  const { shown, mayWrite } = props
  const { entry } = shown
  if (entry.kind === 'note') return <NoteEntryRow {...props} entry={entry} />
  const groups = mayWrite ? undoGroups(props.kind, props.id, shown) : []
  return (
    <Row
      at={entry.at}
      mark={<Icon name={isCall(entry) ? 'phone' : ICONS[entry.kind]} />}
      sentence={sentenceOf(props)}
      groups={groups}
    >
      {entry.kind === 'task_completed' && <TaskBody body={entry.task.body} />}
      {entry.kind === 'mail' && <MailBody mail={entry.mail} />}
      {entry.kind === 'meeting' && entry.meeting.summary && (
        <div class="box">
          <p class="three">{entry.meeting.summary}</p>
        </div>
      )}
    </Row>
  )
}

function TaskBody({ body }: { body: string | null }) {
  const { rest } = factsIn(body)
  if (rest === '') return null
  return (
    <div class="box">
      <p class="three" dir="auto">
        {rest}
      </p>
    </div>
  )
}

const ICONS: Record<Exclude<Entry['kind'], 'note'>, IconName> = {
  mail: 'mail',
  task: 'task',
  task_completed: 'task',
  meeting: 'cal',
  enrollment: 'seq',
  enrollment_finished: 'seq',
  stage: 'deal',
  change: 'pen',
  merge: 'merge',
  created: 'plus',
  originally_created: 'plus',
  restored: 'undo',
  deleted: 'trash',
}

function NoteEntryRow({ entry, mayWrite }: EntryProps & { entry: Extract<Entry, { kind: 'note' }> }) {
  const { author_id } = entry.note
  const name = who(author_id)
  const mark = author_id ? <Avatar kind="member" id={author_id} name={name} size={24} /> : <Icon name="note" />
  return <NoteBody entry={entry} mayWrite={mayWrite} mark={mark} name={name} />
}

const isCall = (entry: Entry): boolean => entry.kind === 'task_completed' && entry.task.type === 'call'

const who = (id: string | null): string => (id === null ? texts().timeline.system : (memberName(id) ?? t().unknown))

const first = (name: string): string => name.split(' ')[0] ?? name

function By({ id }: { id: string | null }): ComponentChildren {
  return id === null ? null : texts().timeline.by(first(who(id)))
}

/** How a call went is part of what happened; when it was stands there if that is not when it was written down. */
function CallLine({ entry }: { entry: Extract<Entry, { kind: 'task' | 'task_completed' }> }) {
  const { title, body, due_at } = entry.task
  const words = callTexts()
  const { direction, outcome } = factsIn(body)
  const facts = [
    direction && words.directions[direction],
    outcome && words.outcomes[outcome],
    due_at && `${format.value.date(Date.parse(due_at))}, ${format.value.time(Date.parse(due_at))}`,
  ].filter(Boolean)
  return (
    <>
      {words.call}: <b dir="auto">{title}</b> {facts.length > 0 && <span class="mute">{facts.join(' · ')}</span>}{' '}
      <By id={entry.actor_id} />
    </>
  )
}

function sentenceOf({ kind, shown, stayedMs }: EntryProps): ComponentChildren {
  const { entry, changes } = shown
  const words = texts().timeline
  switch (entry.kind) {
    case 'mail':
      return <MailLine entry={entry} />
    case 'task':
      return (
        <>
          <b>{entry.task.title}</b> {words.taskAdded} <By id={entry.actor_id} />
        </>
      )
    case 'task_completed':
      if (entry.task.type === 'call') return <CallLine entry={entry} />
      return (
        <>
          <b>{entry.task.title}</b> {words.taskDone} <By id={entry.actor_id} />
        </>
      )
    case 'meeting': {
      const { title, starts_at, ends_at, participants, status, has_transcript } = entry.meeting
      const facts = [
        status === 'canceled' ? words.canceled : format.value.duration(Date.parse(ends_at) - Date.parse(starts_at)),
        participants.length > 0 ? words.people(participants.length) : '',
        has_transcript ? words.transcript : '',
      ]
      return (
        <>
          <a class="link" href={`/meetings/${entry.meeting.id}`}>
            <b dir="auto">{title}</b>
          </a>
          , {facts.filter(Boolean).join(', ')}
        </>
      )
    }
    case 'enrollment':
      return (
        <>
          <b>{words.enrolled}</b> {words.inSequence(entry.enrollment.sequence_name)} <By id={entry.actor_id} />
        </>
      )
    case 'enrollment_finished': {
      const { status, stop_reason, sequence_name } = entry.enrollment
      const reason = stop_reason === null ? '' : words.stopReason(stop_reason)
      return (
        <>
          <b>{status === 'completed' ? words.enrollmentCompleted : words.enrollmentStopped}</b>,{' '}
          {[reason, `“${sequence_name}”`].filter(Boolean).join(', ')}
        </>
      )
    }
    case 'stage':
      return <StageLine stage={entry.stage} actor={entry.actor_id} stayedMs={stayedMs} />
    case 'change':
      return (
        <>
          {fieldChanges(changes).map((change, index) => (
            <span key={change.name} class="line wraps">
              <ChangeLine kind={kind} change={change} /> {index === 0 && <By id={entry.actor_id} />}
            </span>
          ))}
        </>
      )
    case 'merge':
      return (
        <>
          <b>
            {entry.merge.undone_at === null ? words.merged(entry.merge.title) : words.mergeUndone(entry.merge.title)}
          </b>{' '}
          <By id={entry.actor_id} />
        </>
      )
    case 'created':
      return (
        <>
          <b>{words.created[kind]}</b> <By id={entry.actor_id} />
        </>
      )
    case 'originally_created':
      return <b>{words.originallyCreated}</b>
    case 'restored':
      return (
        <>
          <b>{words.restored}</b> <By id={entry.actor_id} />
        </>
      )
    case 'deleted':
      return (
        <>
          <b>{words.deleted}</b> <By id={entry.actor_id} />
        </>
      )
    case 'note':
      return null
  }
}

function MailLine({ entry }: { entry: Extract<Entry, { kind: 'mail' }> }) {
  const { author, direction } = entry.mail
  const name =
    author?.name ?? (author?.id ? (memberName(author.id) ?? nameOf('contacts', author.id)) : undefined) ?? author?.email
  const words = texts().timeline
  const said = direction === 'inbound' ? words.wrote : direction === 'note' ? words.internalNote : words.answered
  return (
    <>
      <b>{name ?? words.system}</b> {said}
    </>
  )
}

type StageLineProps = {
  stage: { from_stage_id: string | null; to_stage_id: string }
  actor: string | null
  stayedMs: number | undefined
}

function StageLine({ stage, actor, stayedMs }: StageLineProps) {
  const words = texts().timeline
  const nameOfStage = (id: string | null) => boot.value.stages.find((each) => each.id === id)?.name ?? '…'
  const days = stayedMs === undefined ? undefined : Math.floor(stayedMs / DAY_MS)
  if (stage.from_stage_id === null) {
    return (
      <>
        {words.stage} <b>{nameOfStage(stage.to_stage_id)}</b> <By id={actor} />
      </>
    )
  }
  return (
    <>
      {words.stage} <b>{nameOfStage(stage.from_stage_id)}</b>{' '}
      <Icon name="to" small class="mute" title={texts().timeline.to} /> <b>{nameOfStage(stage.to_stage_id)}</b>{' '}
      <By id={actor} /> {days !== undefined && days > 0 && words.afterDays(days)}
    </>
  )
}

const DAY_MS = 86_400_000
