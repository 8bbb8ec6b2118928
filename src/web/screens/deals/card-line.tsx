import { Icon, type IconName } from '../../components/icon.tsx'
import type { NextTask } from '../../data/board-row.ts'
import { format } from '../../lib/locale.ts'
import type { TaskType } from '../../tables/deals/model.ts'
import type { NextStep } from '../../tables/deals/next-step.ts'
import { texts } from '../../tables/deals/texts/texts.ts'

export const TASK_ICONS: Record<TaskType, IconName> = { todo: 'task', call: 'phone', email: 'mail', meeting: 'cal' }

/** The last line of a card: what is late, idle or next. */
export function CardLine({ step, now }: { step: NextStep; now: number }) {
  if (step.kind === 'late') {
    return (
      <p class="next is-late">
        <Icon name="alert" small />
        <span class="cut" dir="auto">
          {step.task.title}
        </span>
        <span class="when">{format.value.late(step.late_ms)}</span>
      </p>
    )
  }
  if (step.kind === 'idle') {
    return (
      <p class="next is-idle">
        <Icon name="idle" small />
        <span class="cut" dir="auto">
          {texts().idle(step.days)}
        </span>
      </p>
    )
  }
  if (step.kind === 'none') {
    return (
      <p class="next is-none">
        <Icon name="minus" small />
        <span class="cut" dir="auto">
          {texts().noNextTask}
        </span>
      </p>
    )
  }
  return (
    <p class="next">
      <Icon name={TASK_ICONS[step.task.type]} small />
      <span class="cut" dir="auto">
        {step.task.title}
      </span>
      <span class="when">{dueWords(step.task, now)}</span>
    </p>
  )
}

/** "today 15:00", "Wed", "30 Nov": a time of day only where somebody set one. */
function dueWords({ due_at }: NextTask, now: number): string {
  if (due_at === null) return ''
  return isWholeDay(due_at) ? format.value.day(due_at, now) : format.value.when(due_at, now)
}

/** A task that is due on a day, at no particular time, has the beginning or the end of it. */
const isWholeDay = (at: number): boolean => /^(00:00|23:59)$/.test(format.value.time(at))
