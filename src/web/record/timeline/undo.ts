import type { PageKind } from '../../components/kinds.ts'
import type { MenuGroup, MenuItem } from '../../components/menu-items.ts'
import { propertyNamed } from '../../components/properties/properties.ts'
import { sayFailed } from '../../components/say-failed.ts'
import { showToast } from '../../components/toast.tsx'
import { ApiProblem } from '../../data/api.ts'
import { client } from '../../data/current.ts'
import { patch, type Rec, record } from '../../data/records.ts'
import { t } from '../../lib/texts/texts.ts'
import { texts as stepTexts } from '../../shell/steps/texts.ts'
import { describeFields, describeRefusal } from '../../shell/steps/words.ts'
import { texts } from '../texts.ts'
import { titleOf } from '../title.tsx'
import { type Change, fieldChanges, type Shown } from './entries.ts'

/** What can be taken back of an entry: each change by itself, whoever made it. */
export function undoGroups(kind: PageKind, id: string, { entry, changes }: Shown): MenuGroup[] {
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
    return [
      {
        items: [{ label: words.undoStage, icon: 'undo', onPick: () => void undoEvent(kind, id, event_id, ['stage']) }],
      },
    ]
  }
  if (entry.kind === 'merge' && entry.merge.undone_at === null) {
    const { id, title } = entry.merge
    return [{ items: [{ label: words.undoMerge, icon: 'undo', onPick: () => void undoMerge(id, title) }] }]
  }
  if (entry.kind !== 'change') return []
  return [
    {
      items: changes.map(
        (change): MenuItem => ({
          label: words.undoChange(namesIn(kind, change)),
          icon: 'undo',
          onPick: () => void undoEvent(kind, id, change.event_id, fieldsIn(change)),
        }),
      ),
    },
  ]
}

const namesIn = (kind: PageKind, change: Change): string =>
  fieldChanges([change])
    .map(({ name }) => propertyNamed(kind, name).field.label)
    .join(', ')

const fieldsIn = (change: Change): string[] => fieldChanges([change]).map(({ name }) => name)

/**
 * Takes a change back through the server, or does it anew, and says what came back. If somebody has changed the same since,
 * it says who and what, and nothing is written.
 */
async function undoEvent(
  kind: PageKind,
  id: string,
  eventId: string,
  fields: readonly string[],
  isAgain = false,
): Promise<void> {
  const words = texts().timeline
  const title = () => {
    const found = record(kind, id).peek()
    return found ? titleOf(kind, found as Rec) : null
  }
  try {
    const { body } = await client().api.request<{ event: { id: string } | null }>('POST', '/app/undo', {
      body: { event_id: eventId },
      key: `undo-${eventId}-${client().seq()}`,
    })
    const again = body.event?.id
    // Not by Z, which goes on with the change before: this is what was asked for.
    const action = again ? { label: t().redo, run: () => void undoEvent(kind, id, again, fields, !isAgain) } : undefined
    const said = isAgain ? stepTexts().doneAgain : stepTexts().takenBack
    showToast({ text: said(describeFields(kind, fields, title())), icon: 'undo', action })
  } catch (error) {
    if (!(error instanceof ApiProblem && error.code === 'changed_since')) return sayFailed(words.notUndone, error)
    const { fields: changed = [], by = null } = error.body as { fields?: string[]; by?: string | null }
    const left = { code: error.code, fields: changed, by, record: { kind, title: title() } }
    showToast({ text: describeRefusal(undefined, left, error.message), kind: 'error' })
  }
}

/** Takes two records apart again that were merged, whoever did that. */
async function undoMerge(id: string, title: string | null): Promise<void> {
  const words = texts().timeline
  try {
    const { body } = await client().api.request<{ left: unknown[] }>('POST', `/app/merges/${id}/undo`)
    const text = words.unmerged(title)
    showToast({ icon: 'undo', text: body.left.length > 0 ? `${text}. ${words.mergeLeft(body.left.length)}` : text })
  } catch (error) {
    sayFailed(words.notUndone, error)
  }
}
