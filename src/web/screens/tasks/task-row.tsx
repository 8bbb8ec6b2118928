import { Avatar } from '../../components/avatar.tsx'
import { Check } from '../../components/check.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { Pips } from '../../components/pips.tsx'
import type { RowProps } from '../../components/windowed.tsx'
import { boot, memberName } from '../../data/boot.ts'
import { mayWrite } from '../../data/may.ts'
import { type Named, nameOf } from '../../data/names.ts'
import { record } from '../../data/records.ts'
import type { Task } from '../../data/types.ts'
import { format, locale } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import type { Anchor } from '../../lib/place.ts'
import { anchorOf } from '../../shell/commands/context-menu.tsx'
import { isBrowsersMenu } from '../../shell/commands/own-menu.ts'
import { setDone } from './actions.ts'
import { isAnyTime } from './groups.ts'
import { texts } from './texts.ts'

export const TYPE_ICONS: Record<Task['type'], IconName> = { todo: 'task', call: 'phone', email: 'mail', meeting: 'cal' }

type TaskRowProps = {
  task: Task
  row: RowProps
  isHere: boolean
  href: string
  onEnter: () => void
  onMenu: (anchor: Anchor) => void
}

/** A task in one line: the link shows its details, the circle is "done". */
export function TaskRow({ task, row, isHere, href, onEnter, onMenu }: TaskRowProps) {
  const isDone = task.status === 'done'
  return (
    // biome-ignore lint/a11y/useSemanticElements: windowed rows are placed by themselves, so they are no li of one ul
    <div
      {...row}
      role="listitem"
      class={`tr pick${isHere ? ' is-at' : ''}${isDone ? ' is-done' : ''}`}
      data-id={task.id}
      onFocusIn={onEnter}
      onContextMenu={(event) => {
        if (isBrowsersMenu(event)) return
        event.preventDefault()
        onEnter()
        onMenu(anchorOf(event))
      }}
    >
      <a class="ti cut" dir="auto" href={href} tabIndex={isHere ? 0 : -1} aria-current={isHere || undefined}>
        {task.title}
      </a>
      <span class="ck">
        <Check
          round
          checked={isDone}
          disabled={!mayWrite('tasks')}
          tabIndex={-1}
          title={isDone ? texts().reopenAction(task.title) : texts().doneAction(task.title)}
          onChange={(checked) => setDone(task.id, checked)}
        />
      </span>
      <Icon class="ty mute" name={TYPE_ICONS[task.type]} small title={texts().types[task.type]} />
      <span class="hi">{task.priority === 'high' && <Icon name="flag" small title={texts().highPriority} />}</span>
      <span class="rel cut" dir="auto">
        <About task={task} />
      </span>
      <DueText task={task} />
      <Owner id={task.owner_id} />
    </div>
  )
}

function Owner({ id }: { id: string | null }) {
  if (id === null) return <Avatar kind="nobody" name={texts().nobody} alone />
  return <Avatar kind="member" id={id} name={memberName(id) ?? ''} alone />
}

/** The record that a task is about: its deal with its place in the pipeline, else a person, a company, where it came from. */
function About({ task }: { task: Task }) {
  const found = recordOf(task)
  if (found) {
    return (
      <>
        {found.kind === 'deals' && <DealPips id={found.id} />}
        {nameOf(found.kind, found.id)}
      </>
    )
  }
  if (task.conversation_id) return texts().conversation
  return task.enrollment_id ? texts().sequence : <span class="mute">{texts().noRecord}</span>
}

export function recordOf({ deal_ids, contact_ids, company_ids }: Task): { kind: Named; id: string } | undefined {
  if (deal_ids[0]) return { kind: 'deals', id: deal_ids[0] }
  if (contact_ids[0]) return { kind: 'contacts', id: contact_ids[0] }
  return company_ids[0] ? { kind: 'companies', id: company_ids[0] } : undefined
}

export function DealPips({ id }: { id: string }) {
  const stage = boot.value.stages.find((one) => one.id === record('deals', id).value?.stage)
  if (!stage) return null
  const open = boot.value.stages.filter(({ pipeline_id, outcome }) => pipeline_id === stage.pipeline_id && !outcome)
  const at = open.sort((one, other) => one.position - other.position).indexOf(stage) + 1
  return <Pips of={open.length} at={at} outcome={stage.outcome} />
}

function DueText({ task }: { task: Task }) {
  const due = dueText(task)
  return <span class={due.isLate ? 'due late' : 'due'}>{due.text}</span>
}

/** "today 15:00", "19 Nov, 5 d late", "done 09:41". */
export function dueText({ due_at, status, completed_at }: Task): { text: string; isLate: boolean } {
  const at = now.value
  const words = format.value
  if (status === 'done' && completed_at) return { text: texts().doneAt(words.time(completed_at)), isLate: false }
  if (due_at === null) return { text: texts().anyTime, isLate: false }
  const day = words.day(due_at, at)
  const when = isAnyTime(due_at, locale.value.timezone) ? day : words.when(due_at, at)
  const late = at - Date.parse(due_at)
  if (late > 0 && status === 'open') {
    const day = words.daysAway(due_at, at) < 0 ? words.dayOfMonth(due_at, at) : when
    return { text: `${day}, ${words.late(late)}`, isLate: true }
  }
  return { text: when, isLate: false }
}
