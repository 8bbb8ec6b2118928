import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { confirmFinal } from '../../components/confirm.tsx'
import { Empty } from '../../components/empty.tsx'
import { Icon } from '../../components/icon.tsx'
import { laterInFocus } from '../../components/later.tsx'
import { MenuButton } from '../../components/menu.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { Bar as Grey } from '../../components/skeleton.tsx'
import { State } from '../../components/state.tsx'
import { isAdmin, mayWrite } from '../../data/may.ts'
import type { ScreenProps } from '../../lib/router/types.ts'
import { navigate, query, setTitle } from '../../lib/router.ts'
import { words as pageWords } from '../../lib/texts/words/texts.ts'
import { Bar } from '../../shell/bar.tsx'
import { CommandButton } from '../../shell/commands/command-button.tsx'
import { register } from '../../shell/commands/registry.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { attempt } from '../../shell/pages/attempt.ts'
import { Missing } from '../../shell/screen-host.tsx'
import { Figures } from './figures.tsx'
import { FlowOf } from './flow.tsx'
import { People } from './people.tsx'
import { STATE_MARKS } from './sequences.tsx'
import { StartDialog } from './start-dialog.tsx'
import { texts } from './texts.ts'
import { changeSequence, type Flow, type Listed, type SequenceShown } from './wire.ts'
import './sequences.css'
import './sequence.css'

const Builder = laterInFocus(() => import('./builder/builder.tsx').then((module) => module.Builder))
const EnrollDialog = laterInFocus(() => import('./enroll.tsx').then((module) => module.EnrollDialog))

/** One sequence: the way through it, its figures, and who is in it; or, with `?edit`, its steps. */
export default function SequenceScreen({ params }: ScreenProps) {
  const id = params.id ?? ''
  const asked = useAsk<Listed>('/app/sequences', ['sequences'])
  const found = asked.value?.data.find((each) => each.id === id)
  useEffect(() => setTitle(found?.name ?? null), [found?.name])
  const crumbs = [{ href: '/sequences', label: texts().title }]
  if (asked.value && !found) return <Missing />
  if (!asked.value || !found) {
    return (
      <>
        <Bar title="…" crumbs={crumbs} />
        {asked.error === undefined ? (
          [0, 1, 2].map((row) => <Grey key={row} row={row} />)
        ) : (
          <Empty
            icon="alert"
            title={pageWords().notRead}
            actions={<Button onClick={() => void asked.again()}>{pageWords().again}</Button>}
          >
            {sayWhy(asked.error)}
          </Empty>
        )}
      </>
    )
  }
  return <Whole key={id} sequence={found} known={asked.value} again={asked.again} />
}

type WholeProps = { sequence: SequenceShown; known: Listed; again: () => Promise<void> }

function Whole({ sequence, known, again }: WholeProps) {
  const { id, name, status, current_version } = sequence
  const [open, setOpen] = useState<'start' | 'enroll' | undefined>(undefined)
  const isEditing = query.value.has('edit') && isAdmin()
  const version = query.value.get('version')
  const path = `/app/sequences/${id}/flow${version ? `?version=${encodeURIComponent(version)}` : ''}`
  const flow = useAsk<Flow>(path, ['sequences', 'enrollments'])
  const words = texts()
  const close = () => setOpen(undefined)
  const mayEnroll = mayWrite() && status === 'active'

  useLayoutEffect(() => {
    if (!mayEnroll) return
    const run = () => setOpen('enroll')
    return register([
      { id: 'sequences.enroll', title: () => texts().enroll, keys: 'n', icon: 'useradd', group: 'new', run },
    ])
  }, [mayEnroll])

  async function become(next: SequenceShown['status'], said: string): Promise<void> {
    await attempt(() => changeSequence(id, sequence.version, { status: next }), said)
    await again()
  }
  async function archive(): Promise<void> {
    const live = sequence.versions.reduce((sum, each) => sum + each.live, 0)
    const question = {
      title: words.archiveTitle(name),
      text: words.archiveBody(live),
      keep: words.stay,
      verb: words.archive,
    }
    if (await confirmFinal(question)) await become('archived', words.isArchived(name))
  }

  return (
    <>
      <Bar
        title={name}
        crumbs={[{ href: '/sequences', label: words.title }]}
        summary={
          <>
            <State {...(STATE_MARKS[status] ? { is: STATE_MARKS[status] } : {})}>{words.states[status]}</State> ·{' '}
            {words.steps(sequence.steps.length, current_version)}
          </>
        }
        actions={
          isEditing ? (
            <Button onClick={() => void navigate(`/sequences/${id}`)}>{words.read}</Button>
          ) : (
            <>
              {isAdmin() && status === 'active' && (
                <Button plain onClick={() => void become('paused', words.isPaused(name))}>
                  {words.pause}
                </Button>
              )}
              {isAdmin() && (status === 'draft' || status === 'paused') && (
                <Button first onClick={() => setOpen('start')}>
                  {words.start}
                </Button>
              )}
              {isAdmin() && (
                <MenuButton
                  plain
                  class="icon"
                  menuLabel={words.more}
                  title={words.more}
                  aria-label={words.more}
                  align="end"
                  groups={() => [
                    {
                      items: [
                        {
                          label: words.edit,
                          icon: 'pen' as const,
                          onPick: () => void navigate(`/sequences/${id}?edit=1`),
                        },
                        ...(status === 'archived' ? [] : [{ label: words.archive, onPick: () => void archive() }]),
                      ],
                    },
                  ]}
                >
                  <Icon name="dots" />
                </MenuButton>
              )}
              {mayEnroll && <CommandButton id="sequences.enroll" first isIconOnPhone />}
            </>
          )
        }
      />
      {isEditing ? (
        <Builder sequence={sequence} known={known} again={again} onClose={() => void navigate(`/sequences/${id}`)} />
      ) : (
        <div class="seq-page scroll" data-scroll="sequence" data-scroller>
          <div class="seq-way">
            {flow.value ? (
              <FlowOf flow={flow.value} sequence={sequence} known={known} />
            ) : flow.error === undefined ? (
              [0, 1, 2].map((row) => <Grey key={row} row={row} />)
            ) : (
              <p class="late">{sayWhy(flow.error)}</p>
            )}
          </div>
          <div class="seq-rest">
            <Figures id={id} />
            <People sequence={sequence} />
          </div>
        </div>
      )}
      {open === 'start' && (
        <StartDialog
          sequence={sequence}
          due={flow.value?.due ?? 0}
          onClose={close}
          onStart={() => become('active', words.started(name))}
        />
      )}
      {open === 'enroll' && <EnrollDialog sequence={{ id, name }} onClose={close} />}
    </>
  )
}
