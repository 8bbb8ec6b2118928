import { useRef } from 'preact/hooks'
import { Button, IconButton } from '../../components/button.tsx'
import type { Field } from '../../components/fields/field.ts'
import { InlineEdit } from '../../components/fields/inline-edit.tsx'
import { Icon } from '../../components/icon.tsx'
import { MenuButton } from '../../components/menu.tsx'
import { mayWrite } from '../../data/may.ts'
import { fieldState, patch, record, useMine, useTheirs } from '../../data/records.ts'
import type { Task } from '../../data/types.ts'
import { commandHints } from '../../shell/commands/listen.ts'
import { openKeysPage } from '../../shell/commands/opened.ts'
import { setDone, toTomorrow } from './actions.ts'
import { recordOf, TYPE_ICONS } from './task-row.tsx'
import { texts } from './texts.ts'

const options = <K extends string>(names: Record<K, string>) =>
  (Object.keys(names) as K[]).map((value) => ({ value, label: names[value] }))

function fields(): Record<'title' | 'body', Field> & { rows: Field[] } {
  const words = texts().fields
  const off = mayWrite('tasks') ? undefined : texts().notAllowed
  return {
    title: { key: 'title', label: words.title, type: 'text', is_required: true, off },
    body: { key: 'body', label: words.body, type: 'long_text', add: texts().addNotes, off },
    rows: [
      { key: 'due_at', label: words.due, type: 'datetime', off },
      { key: 'owner_id', label: words.owner, type: 'member', off },
      { key: 'priority', label: words.priority, type: 'select', options: options(texts().priorities), off },
      { key: 'type', label: words.type, type: 'select', options: options(texts().types), off },
      { key: 'deal_ids', label: words.deals, type: 'deals', off },
      { key: 'contact_ids', label: words.contacts, type: 'contacts', off },
      { key: 'company_ids', label: words.companies, type: 'companies', off },
    ],
  }
}

type TaskDetailsProps = { id: string; onCopyLink: () => void; onOpen: () => void; onDelete: () => void }

/** A task with everything that can be changed of it, where it is read. */
export function TaskDetails({ id, onCopyLink, onOpen, onDelete }: TaskDetailsProps) {
  const task = record('tasks', id).value
  if (!task) return null
  const { title, body, rows } = fields()
  const isDone = task.status === 'done'
  return (
    <div class="task">
      <div class="row">
        <span class="small mute">
          <Icon name={TYPE_ICONS[task.type]} small /> {texts().types[task.type]}
        </span>
        <span class="grow" />
        <IconButton plain icon="link" title={texts().copyLink} onClick={onCopyLink} />
        {mayWrite('tasks') && (
          <MenuButton
            plain
            class="icon"
            icon="dots"
            aria-label={texts().details}
            menuLabel={texts().details}
            align="end"
            groups={() => [
              {
                items: [
                  {
                    label: texts().remove,
                    icon: 'trash',
                    danger: true,
                    keys: 'Backspace',
                    onPick: onDelete,
                  },
                ],
              },
            ]}
          />
        )}
      </div>
      <h2 class="wraps">
        <TaskField task={task} field={title} />
      </h2>
      <dl class="props">
        {rows.map((field) => (
          <div key={field.key} data-prop={field.key}>
            <dt>{field.label}</dt>
            <dd>
              <TaskField task={task} field={field} />
            </dd>
          </div>
        ))}
      </dl>
      <div class="tx">
        <TaskField task={task} field={body} />
      </div>
      {mayWrite('tasks') && (
        <div class="row acts">
          <Button
            first={!isDone}
            icon={isDone ? 'undo' : 'check'}
            keys={commandHints('tasks.done').keys}
            onClick={() => setDone(id, !isDone)}
          >
            {isDone ? texts().reopen : texts().done}
          </Button>
          {!isDone && (
            <Button icon="snooze" keys={commandHints('tasks.tomorrow').keys} onClick={() => toTomorrow(id)}>
              {texts().tomorrow}
            </Button>
          )}
          {recordOf(task) && (
            <Button icon="right" onClick={onOpen}>
              {texts().open}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

function TaskField({ task, field }: { task: Task; field: Field }) {
  /** As it was when I began to type: what somebody else has set since is a conflict. */
  const opened = useRef(task)
  return (
    <InlineEdit
      key={`${task.id} ${field.key}`}
      field={field}
      value={(task as Record<string, unknown>)[field.key]}
      state={fieldState('tasks', task.id, field.key)}
      onSave={(value) => void patch('tasks', task.id, { [field.key]: value }, opened.current).catch(() => undefined)}
      onEditing={(isEditing) => {
        if (isEditing) opened.current = task
      }}
      onUseMine={() => void useMine('tasks', task.id, field.key)}
      onUseTheirs={() => useTheirs('tasks', task.id, field.key)}
    />
  )
}

/** Where the keys are: those that one needs stand in the buttons. */
export const Legend = () => (
  <Button plain class="legend" keys={commandHints('app.keys').keys} onClick={openKeysPage}>
    {texts().allKeys}
  </Button>
)
