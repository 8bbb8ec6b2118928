import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { SidePanel } from '../../components/side-panel.tsx'
import { WaitingCreates } from '../../components/waiting-creates.tsx'
import { Windowed, type WindowedHandle } from '../../components/windowed.tsx'
import { mayWrite } from '../../data/may.ts'
import type { Task } from '../../data/types.ts'
import { whole } from '../../lib/base.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { navigate, query, setQuery } from '../../lib/router.ts'
import { scaled } from '../../lib/scale.ts'
import { isPhone } from '../../lib/widths.ts'
import { Bar } from '../../shell/bar.tsx'
import { CommandButton } from '../../shell/commands/command-button.tsx'
import { provideTargets, register } from '../../shell/commands/registry.ts'
import { copyText } from '../../shell/copy.ts'
import { deleteTask, setDone } from './actions.ts'
import type { Group, Row } from './groups.ts'
import { NewTask } from './new-task.tsx'
import { commandsOf, openTaskMenu } from './task-commands.ts'
import { Legend, TaskDetails } from './task-details.tsx'
import { Nothing, Person } from './task-parts.tsx'
import { recordOf, TaskRow } from './task-row.tsx'
import { type TaskRows, taskRows, type Who } from './task-rows.ts'
import { texts } from './texts.ts'
import './tasks.css'

const WHO = ['mine', 'team', 'nobody'] as const

/** The work of a day: what is late, due today, tomorrow and later; gone through with j and e. */
export default function Tasks() {
  const who: Who = query.value.get('who') ?? 'mine'
  const rows = useMemo(() => taskRows(who), [who])
  useEffect(() => rows.dispose, [rows])
  return <TaskList key={who} who={who} data={rows} />
}

function TaskList({ who, data }: { who: Who; data: TaskRows }) {
  const here = useSignal<string | null>(query.peek().get('task'))
  const list = useRef<WindowedHandle>(null)
  const input = useRef<HTMLInputElement>(null)
  const rows = data.rows.value
  const keys = useComputed(() => data.rows.value.map(keyOf))
  const tasks = useComputed(() => data.rows.value.flatMap((row) => (row.kind === 'task' ? [row.task] : [])))
  const at = tasks.value.find(({ id }) => id === here.value) ?? (isPhone.value ? undefined : tasks.value[0])

  const go = (task: Task | undefined) => {
    if (!task) return
    here.value = task.id
    list.current?.focus(keys.peek().indexOf(task.id))
  }
  const step = (by: number) => {
    const all = tasks.peek()
    const index = all.findIndex(({ id }) => id === at?.id)
    go(all[Math.max(0, Math.min(all.length - 1, index + by))])
  }
  const finish = (task: Task) => {
    data.keep(task.id)
    const isDone = task.status === 'done'
    if (!isDone) {
      // The next one is at hand at once: the one that is done stands at the end of its group.
      const open = tasks.peek().filter(({ status, id }) => status === 'open' || id === task.id)
      go(open[open.findIndex(({ id }) => id === task.id) + 1])
    }
    setDone(task.id, !isDone)
  }
  const openRecord = (task: Task) => {
    const found = recordOf(task)
    if (found) void navigate(`/${found.kind}/${found.id}`)
  }
  const address = (task: Task) => `/tasks?${new URLSearchParams({ ...(who === 'mine' ? {} : { who }), task: task.id })}`

  const copyLink = (task: Task) => copyText(whole(address(task)), texts().linkCopied)

  const acts = {
    keep: data.keep,
    step,
    finish,
    openRecord,
    copyLink,
    input,
    current: () => tasks.peek().find(({ id }) => id === at?.id),
  }
  useLayoutEffect(() => register(commandsOf(acts)), [at?.id])
  useLayoutEffect(() => provideTargets(() => (at ? { kind: 'tasks', ids: [at.id] } : null)), [at?.id])
  const asked = query.value.get('task')
  useEffect(() => {
    if (asked !== null) here.value = asked
  }, [asked])

  const details = (task: Task) => (
    <TaskDetails
      id={task.id}
      onCopyLink={() => void copyLink(task)}
      onOpen={() => openRecord(task)}
      onDelete={() => deleteTask(task.id, data.keep)}
    />
  )

  const { open, late, done, isMore } = data.counts.value
  const isShownAlone = isPhone.value && here.value !== null && at !== undefined
  return (
    <>
      <Bar
        title={texts().title}
        summary={texts().summary(open, late, done, isMore)}
        actions={mayWrite('tasks') && <CommandButton id="tasks.new" first isIconOnPhone />}
      >
        <Segmented
          label={texts().who}
          value={WHO.find((each) => each === who) ?? 'team'}
          choices={WHO.map((value) => ({ value, label: texts()[value] }))}
          onChange={(value) => void setQuery({ who: value === 'mine' ? null : value, task: null })}
        />
        {!WHO.some((each) => each === who && each !== 'team') && <Person who={who} />}
      </Bar>
      <div class={at ? 'tasks has-details' : 'tasks'}>
        <section class="ls" data-scroller aria-label={texts().title} onKeyDown={arrows(step)}>
          {mayWrite('tasks') && <NewTask who={who} input={input} />}
          <WaitingCreates kind="tasks" />
          {data.open.fresh.value > 0 && (
            <Button class="fresh" plain icon="up" onClick={() => data.open.showFresh()}>
              {texts().fresh(data.open.fresh.value)}
            </Button>
          )}
          <Nothing data={data} who={who} />
          <Windowed
            ref={list}
            keys={keys.value}
            rowHeight={scaled(isPhone.value ? 48 : 36)}
            measured
            label={texts().title}
            onEnd={(index) => {
              if (index > rows.length - 20) void data.open.more()
            }}
            render={(index, row) => {
              const each = rows[index]
              if (!each) return null
              if (each.kind === 'head') return <Head key={each.group} head={each} row={row} />
              return (
                <TaskRow
                  key={each.task.id}
                  task={each.task}
                  row={row}
                  isHere={each.task.id === at?.id}
                  href={address(each.task)}
                  onEnter={() => {
                    if (!isPhone.peek()) here.value = each.task.id
                  }}
                  onMenu={(anchor) => openTaskMenu(anchor, each.task)}
                />
              )
            }}
          />
        </section>
        {at && !isPhone.value && (
          <aside class="dt" aria-label={texts().details}>
            {details(at)}
            <Legend />
          </aside>
        )}
        {isShownAlone && at && (
          <SidePanel
            title={texts().details}
            onClose={() => {
              here.value = null
              void setQuery({ task: null }, { replace: true })
            }}
          >
            {details(at)}
          </SidePanel>
        )}
      </div>
    </>
  )
}

const keyOf = (row: Row<Task>): string => (row.kind === 'head' ? row.group : row.task.id)

function Head({ head, row }: { head: Extract<Row<Task>, { kind: 'head' }>; row: object }) {
  const { group, count, open } = head
  return (
    // biome-ignore lint/a11y/useSemanticElements: see TaskRow
    <div {...row} role="listitem" class={group === 'late' ? 'gh late' : 'gh'}>
      <h2>{texts().groups[group]}</h2>
      <span class="n">{group === 'today' ? `${dayOf(group)}, ${texts().left(open)}` : count}</span>
    </div>
  )
}

const dayOf = (_: Group): string => format.value.date(now.value)

function arrows(step: (by: number) => void) {
  return (event: KeyboardEvent) => {
    const isInRow = (event.target as Element).closest('.tr') !== null
    if (!isInRow || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'ArrowDown') step(1)
    else if (event.key === 'ArrowUp') step(-1)
    else return
    event.preventDefault()
  }
}
