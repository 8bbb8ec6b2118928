import { commandHints } from '../../commands/listen.ts'
import { Button, IconButton } from '../../components/button.tsx'
import type { Field } from '../../components/fields/field.ts'
import { InlineEdit } from '../../components/fields/inline-edit.tsx'
import { Icon } from '../../components/icon.tsx'
import { Kbd } from '../../components/kbd.tsx'
import { MenuButton } from '../../components/menu.tsx'
import { fieldState, patch, record, useMine, useTheirs } from '../../data/records.ts'
import type { Task } from '../../data/types.ts'
import { setDone, toTomorrow } from './actions.ts'
import { recordOf, TYPE_ICONS } from './task-row.tsx'
import { mayWrite } from './task-rows.ts'
import { texts } from './texts.ts'

const options = <K extends string>(names: Record<K, string>) =>
  (Object.keys(names) as K[]).map((value) => ({ value, label: names[value] }))

function fields(): Record<'title' | 'body', Field> & { rows: Field[] } {
  const words = texts().fields
  const off = mayWrite() ? undefined : texts().notAllowed
  return {
    title: { key: 'title', label: words.title, type: 'text', is_required: true, off },
    body: { key: 'body', label: words.body, type: 'long_text', off },
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
        {mayWrite() && (
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
      {mayWrite() && (
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
            <Button plain onClick={onOpen}>
              {texts().open}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

function TaskField({ task, field }: { task: Task; field: Field }) {
  return (
    <InlineEdit
      key={`${task.id} ${field.key}`}
      field={field}
      value={(task as Record<string, unknown>)[field.key]}
      state={fieldState('tasks', task.id, field.key)}
      onSave={(value) => void patch('tasks', task.id, { [field.key]: value }).catch(() => undefined)}
      onUseMine={() => void useMine('tasks', task.id, field.key)}
      onUseTheirs={() => useTheirs('tasks', task.id, field.key)}
    />
  )
}

/** The keys of this screen, as long as there is room for them. */
export function Legend() {
  const lines: [string[], string][] = [
    [['J', 'K'], texts().nextPrevious],
    [['E'], texts().doneKey],
    [['D'], texts().dueDate],
    [['A'], texts().ownerKey],
    [['Enter'], texts().openKey],
    [['?'], texts().allKeys],
  ]
  return (
    <div class="legend small mute">
      {lines.map(([keys, words]) => (
        <span key={words}>
          {keys.map((key) => (
            <>
              <Kbd key={key} keys={key} />{' '}
            </>
          ))}
          {words}
        </span>
      ))}
    </div>
  )
}
