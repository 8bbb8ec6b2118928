import { useEffect } from 'preact/hooks'
import { SourcesContext } from '../../components/fields/sources.ts'
import { isPageKind } from '../../components/kinds.ts'
import { load, record } from '../../data/records.ts'
import { whole } from '../../lib/base.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { navigate } from '../../lib/router.ts'
import { PeekBody } from '../../record/peek-panel.tsx'
import { texts } from '../../shell/bell/texts.ts'
import { copyText } from '../../shell/copy.ts'
import { type Notice, placeOf } from '../../shell/notice-data.ts'
import { titleOf, whatOf } from '../../shell/notice-row.tsx'
import { sources } from '../../shell/sources.ts'
import { deleteTask } from '../tasks/actions.ts'
import { TaskDetails } from '../tasks/task-details.tsx'
import { recordOf } from '../tasks/task-row.tsx'
import { texts as taskTexts } from '../tasks/texts.ts'

/** A notice with its record, where that can be read and changed. */
export function Details({ notice }: { notice: Notice }) {
  const { record: about, at } = notice
  const href = placeOf(notice)
  return (
    <aside aria-label={whatOf(notice)}>
      <div class="about stack strip">
        <p class="small mute">
          {whatOf(notice)}, {format.value.when(at, now.value)}
        </p>
        <h2 class="wraps" dir="auto">
          {titleOf(notice)}
        </h2>
        {href !== null && (
          <a class="btn" href={href}>
            {texts().open}
          </a>
        )}
      </div>
      {isPageKind(about.kind) && <PeekBody kind={about.kind} id={about.id} />}
      {about.kind === 'tasks' && <TaskOf id={about.id} />}
    </aside>
  )
}

function TaskOf({ id }: { id: string }) {
  useEffect(() => void load('tasks', id).catch(() => undefined), [id])
  const address = `/tasks?task=${id}`
  return (
    <SourcesContext.Provider value={sources}>
      <TaskDetails
        id={id}
        onCopyLink={() => void copyText(whole(address), taskTexts().linkCopied)}
        onOpen={() => {
          const task = record('tasks', id).peek()
          const found = task && recordOf(task)
          if (found) void navigate(`/${found.kind}/${found.id}`)
        }}
        onDelete={() => deleteTask(id, () => undefined)}
      />
    </SourcesContext.Provider>
  )
}
