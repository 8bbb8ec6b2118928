import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Segmented } from '../../components/segmented.tsx'
import { WaitingCreates } from '../../components/waiting-creates.tsx'
import { record } from '../../data/records.ts'
import type { Meeting } from '../../data/types.ts'
import { navigate, query, setQuery } from '../../lib/router.ts'
import { Bar } from '../../shell/bar.tsx'
import { CommandButton } from '../../shell/commands/command-button.tsx'
import { provideTargets, register } from '../../shell/commands/registry.ts'
import { state, VIEWS, type View } from './address.ts'
import { Agenda, type AgendaHandle } from './agenda.tsx'
import { listCommands } from './commands.ts'
import { Filters } from './filters.tsx'
import { MeetingForm } from './form/meeting-form.tsx'
import { mayWriteMeetings } from './state.ts'
import { texts } from './texts.ts'
import { WeekView } from './week.tsx'
import './meetings.css'

const ICONS = { upcoming: 'list', past: 'clock', week: 'cal' } as const

/** All meetings: those to come, those that are over, a week, and what was said in them. */
export default function Meetings() {
  const { view, q } = state.value
  const words = texts()
  const agenda = useRef<AgendaHandle>(null)
  const search = useRef<HTMLInputElement>(null)
  const here = useSignal<string | null>(null)
  const [isNew, setNew] = useState(false)
  const asked = query.value.get('new')
  useEffect(() => {
    if (asked === null || !mayWriteMeetings()) return
    setNew(true)
  }, [asked])
  const close = () => {
    setNew(false)
    if (query.peek().get('new') !== null) void setQuery({ new: null }, { replace: true })
  }
  const show = (next: View) => void setQuery({ view: next === 'upcoming' ? null : next })
  const current = (): Meeting | undefined =>
    here.peek() === null
      ? undefined
      : ((record('meetings', here.peek() as string).peek() as Meeting | null) ?? undefined)
  useLayoutEffect(
    () =>
      register(
        listCommands({
          open: () => setNew(true),
          search: () => search.current?.focus(),
          step: (by) => agenda.current?.step(by),
          show,
          current,
        }),
      ),
    [],
  )
  useLayoutEffect(
    () => provideTargets(() => (here.peek() ? { kind: 'meetings', ids: [here.peek() as string] } : null)),
    [],
  )
  return (
    <>
      <Bar title={words.title} actions={mayWriteMeetings() && <CommandButton id="meetings.new" first isIconOnPhone />}>
        <Segmented
          label={words.view}
          value={view}
          choices={VIEWS.map((value) => ({ value, label: words.views[value], icon: ICONS[value] }))}
          onChange={show}
        />
      </Bar>
      <div class="meetings fill">
        <Filters input={search} />
        <WaitingCreates kind="meetings" />
        {view === 'week' && q === '' ? (
          <WeekView />
        ) : (
          <Agenda
            ref={agenda}
            onHere={(id) => {
              here.value = id
            }}
          />
        )}
      </div>
      {isNew && (
        <MeetingForm
          about={state.peek().about}
          onClose={close}
          onSaved={(id) => {
            close()
            void navigate(`/meetings/${id}`)
          }}
        />
      )}
    </>
  )
}
