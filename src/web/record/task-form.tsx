import { Icon } from '../components/icon.tsx'
import { WhenInput } from '../components/when-input.tsx'
import { awayNote } from '../data/away.ts'
import { boot } from '../data/boot.ts'
import { texts } from './texts.ts'

export type TaskDraft = {
  title: string
  type: 'todo' | 'call' | 'email' | 'meeting'
  /** YYYY-MM-DD and HH:MM, empty for none. */
  day: string
  time: string
  owner_id: string
}

const TYPES = ['todo', 'call', 'email', 'meeting'] as const

type TaskFormProps = {
  task: TaskDraft
  fault: string | undefined
  onChange: (changed: Partial<TaskDraft>) => void
  onSend: () => void
}

/** What is to be done, of which kind, until when and by whom. */
export function TaskForm({ task, fault, onChange, onSend }: TaskFormProps) {
  const words = texts().composer
  return (
    <form
      class="task-form stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSend()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        onSend()
      }}
    >
      <input
        class="what"
        dir="auto"
        type="text"
        autocomplete="off"
        aria-label={words.taskLabel}
        aria-invalid={fault !== undefined || undefined}
        aria-describedby={fault === undefined ? undefined : 'task-fault'}
        placeholder={words.taskPlaceholder}
        value={task.title}
        onInput={(event) => onChange({ title: event.currentTarget.value })}
      />
      {fault && (
        <p class="help late" id="task-fault" role="alert">
          <Icon name="alert" small />
          {fault}
        </p>
      )}
      <div class="facts">
        <select
          class="select"
          aria-label={words.type}
          value={task.type}
          onChange={(event) => onChange({ type: event.currentTarget.value as TaskDraft['type'] })}
        >
          {TYPES.map((type) => (
            <option key={type} value={type}>
              {words.types[type]}
            </option>
          ))}
        </select>
        <WhenInput type="date" label={words.due} value={task.day} onChange={(day) => onChange({ day })} />
        <WhenInput type="time" label={words.time} value={task.time} onChange={(time) => onChange({ time })} />
        <select
          class="select"
          aria-label={words.owner}
          value={task.owner_id}
          onChange={(event) => onChange({ owner_id: event.currentTarget.value })}
        >
          {boot.value.members
            .filter(({ status, id }) => status === 'active' || id === task.owner_id)
            .map(({ id, name }) => (
              <option key={id} value={id}>
                {[name, awayNote(id)].filter(Boolean).join(', ')}
              </option>
            ))}
          <option value="">{words.nobody}</option>
        </select>
      </div>
    </form>
  )
}
