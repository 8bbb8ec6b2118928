import { pathWith } from '../../data/api.ts'
import { boot } from '../../data/boot.ts'
import { isAdmin } from '../../data/may.ts'
import type { Sequence } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { navigate } from '../../lib/router.ts'
import { serverNow } from '../../lib/server-time.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { Form } from '../../shell/pages/form.tsx'
import { ListPage } from '../../shell/pages/list-page.tsx'
import { texts } from './texts.ts'
import { addSequence, type Listed, type Performance } from './wire.ts'
import './sequences.css'

const STATES = ['active', 'paused', 'draft', 'archived'] as const
export const STATE_MARKS = { active: 'good', paused: 'warn', draft: 'hollow', archived: undefined } as const

type Row = Sequence & { current_version: number }

/** All sequences: their state, who is in them, and how many answered. */
export default function Sequences() {
  const asked = useAsk<{ data: Sequence[] }>('/api/v1/sequences?limit=100', ['sequences', 'enrollments'])
  const known = useAsk<Listed>('/app/sequences', ['sequences'])
  const words = texts()
  const versionOf = (id: string) => known.value?.data.find((each) => each.id === id)?.current_version ?? 1
  const rows = asked.value?.data.map((each) => ({ ...each, current_version: versionOf(each.id) }))
  const active = rows?.filter(({ status }) => status === 'active').length ?? 0
  const inside = rows?.reduce((sum, { counts }) => sum + counts.active + counts.paused, 0) ?? 0
  return (
    <ListPage<Row>
      at="/sequences"
      title={words.title}
      summary={rows && words.summary(active, inside)}
      rows={rows}
      error={asked.error}
      again={asked.again}
      idOf={({ id }) => id}
      hrefOf={({ id }) => `/sequences/${id}`}
      isTall
      tabs={{
        by: 'state',
        values: STATES,
        of: ({ status }) => status,
        names: words.states,
        label: words.byState,
      }}
      columns={(column) => [
        column.name(words.name, ({ name, steps, current_version }) => ({
          ...{ name, mark: 'seq' as const, below: words.steps(steps.length, current_version) },
        })),
        column.state(words.state, ({ status }) => ({ is: STATE_MARKS[status], text: words.states[status] }), {
          width: '110px',
          phone: '90px',
        }),
        column.count(words.inIt, ({ counts }) => counts.active + counts.paused, { width: '80px', phone: '60px' }),
        column.count(words.done, ({ counts }) => counts.completed, { width: '110px', phone: null }),
        column.count(words.left, ({ counts }) => counts.stopped, { width: '90px', phone: null }),
        {
          title: words.sent,
          isNumber: true,
          ...{ width: '140px', phone: null },
          cell: ({ id, status }) => (status === 'draft' ? '—' : <Figure id={id} of="sent" />),
        },
        {
          title: words.replied,
          isNumber: true,
          ...{ width: '190px', phone: null },
          cell: ({ id, status }) => (status === 'draft' ? '—' : <Figure id={id} of="reply_rate" />),
        },
      ]}
      create={
        isAdmin()
          ? {
              id: 'sequences.create',
              title: () => texts().create,
              keys: 'n',
              form: (close) => <NewSequence onClose={close} />,
            }
          : undefined
      }
      empty={(tab) => ({
        icon: 'seq',
        title: tab === 'all' ? words.none : words.noneHere,
        text: isAdmin() ? words.noneBody : `${words.noneBody} ${words.adminsChange}`,
      })}
    />
  )
}

/** Of the last twelve weeks, as the page of the sequence has them. */
function Figure({ id, of }: { id: string; of: 'sent' | 'reply_rate' }) {
  const summary = useAsk<Performance>(performancePath(id, 'week'), ['enrollments']).value?.summary
  if (!summary) return <span class="mute">…</span>
  if (of === 'sent') return <>{format.value.number(summary.sent)}</>
  return <>{summary.reply_rate === null ? '—' : percent(summary.reply_rate)}</>
}

const DAYS = { day: 29, week: 83, month: 365 } as const
export type Interval = keyof typeof DAYS

/** The performance up to today. Days are those of the organisation. */
export function performancePath(id: string, interval: Interval): string {
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: boot.value.org.timezone })
  const from = day.format(serverNow() - DAYS[interval] * 86_400_000)
  return pathWith(`/api/v1/sequences/${id}/performance`, { interval, from })
}

export const percent = (share: number): string => format.value.percent(share * 100)

function NewSequence({ onClose }: { onClose: () => void }) {
  const words = texts()
  return (
    <Form<{ name: string }>
      name="sequence"
      title={words.create}
      entries={[{ key: 'name', label: words.name, type: 'text', is_required: true }]}
      verb={words.make}
      onClose={onClose}
      send={async ({ name }) => {
        const { id } = await addSequence({ name, status: 'draft', steps: [] })
        await navigate(`/sequences/${id}?edit=1`)
      }}
    />
  )
}
