import { ApiProblem } from '../../../data/api.ts'
import { client } from '../../../data/current.ts'
import { patch } from '../../../data/records.ts'
import type { MenuGroup, MenuItem } from '../../menu.tsx'
import { showToast } from '../../toast.tsx'
import { propertyNamed } from '../fields.ts'
import type { PageKind } from '../kinds.ts'
import { sayFailed } from '../say-failed.ts'
import { texts } from '../texts.ts'
import { type Change, fieldChanges, type Shown } from './entries.ts'

/** What can be taken back of an entry: each change by itself, whoever made it. */
export function undoGroups(kind: PageKind, _id: string, { entry, changes }: Shown): MenuGroup[] {
  const words = texts().timeline
  if (entry.kind === 'task_completed') {
    const reopen = () =>
      patch('tasks', entry.task.id, { status: 'open' }).catch((error) => sayFailed(words.notUndone, error))
    return [{ items: [{ label: words.reopenTask, icon: 'undo', onPick: () => void reopen() }] }]
  }
  if (entry.kind === 'task' && entry.task.status === 'open') {
    const finish = () =>
      patch('tasks', entry.task.id, { status: 'done' }).catch((error) => sayFailed(words.notUndone, error))
    return [{ items: [{ label: words.finishTask, icon: 'check', onPick: () => void finish() }] }]
  }
  if (entry.kind === 'stage' && entry.stage.event_id && entry.stage.from_stage_id) {
    const { event_id } = entry.stage
    return [{ items: [{ label: words.undoStage, icon: 'undo', onPick: () => void undoEvent(kind, event_id) }] }]
  }
  if (entry.kind !== 'change') return []
  return [
    {
      items: changes.map(
        (change): MenuItem => ({
          label: words.undoChange(namesIn(kind, change)),
          icon: 'undo',
          onPick: () => void undoEvent(kind, change.event_id),
        }),
      ),
    },
  ]
}

const namesIn = (kind: PageKind, change: Change): string =>
  fieldChanges([change])
    .map(({ name }) => propertyNamed(kind, name).field.label)
    .join(', ')

/** Takes a change back through the server. If somebody has changed the same since, it says what, and nothing is written. */
export async function undoEvent(kind: PageKind, eventId: string): Promise<void> {
  const words = texts().timeline
  try {
    const { body } = await client().api.request<{ event: { id: string } | null }>('POST', '/app/undo', {
      body: { event_id: eventId },
      key: `undo-${eventId}-${client().seq()}`,
    })
    const again = body.event?.id
    showToast({ text: words.undone, icon: 'undo', ...(again ? { undo: () => void undoEvent(kind, again) } : {}) })
  } catch (error) {
    if (!(error instanceof ApiProblem && error.code === 'changed_since')) return sayFailed(words.notUndone, error)
    const fields = ((error.body.fields as string[] | undefined) ?? []).map((name) =>
      name === 'stage' ? words.stage : propertyNamed(kind, name).field.label,
    )
    showToast({ text: words.changedSince(fields.join(', ')), kind: 'error' })
  }
}
