import { signal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { Menu } from '../components/menu.tsx'
import { Popover } from '../components/popover.tsx'
import { memberName } from '../data/boot.ts'
import { mayWrite } from '../data/may.ts'
import { fieldState, useMine, useTheirs } from '../data/records.ts'
import type { Deal } from '../data/types.ts'
import { format } from '../lib/locale.ts'
import { now } from '../lib/now.ts'
import { commandHints } from '../shell/commands/listen.ts'
import { closeDeal, moveDeal, type Outcome, reasonsFor, stagesFor } from './deal-changes.ts'
import { texts } from './texts.ts'
import type { Entry } from './timeline/entries.ts'
import { timelineOf } from './timeline/timeline-data.ts'
import './stepper.css'
import { fieldTexts } from '../components/fields/texts.ts'

const DAY_MS = 86_400_000

/** The outcome whose reason is asked for, by a press or a key. */
export const asking = signal<{ id: string; outcome: Outcome } | null>(null)

/** Where a deal is on its way, how long it was where, and how it ends. */
export function Stepper({ deal }: { deal: Deal }) {
  const stages = stagesFor(deal)
  const at = stages.findIndex(({ id }) => id === deal.stage)
  const days = daysIn(timelineOf('deals', deal.id).entries.value, deal, now.value)
  const isOpen = deal.status === 'open'
  const isFree = isOpen && mayWrite('deals')
  const reached = deal.status === 'lost' ? lostAt(deal, stages) : at
  const words = texts().stepper
  return (
    <>
      <ol class={isOpen ? 'steps' : `steps is-${deal.status}`} aria-label={words.label}>
        {stages.map((stage, index) => {
          const state = isOpen && index === at ? 'now' : deal.status === 'won' || index <= reached ? 'done' : ''
          const stayed = days.get(stage.id)
          const isOver = state === 'now' && stage.usual_days !== null && (stayed ?? 0) > stage.usual_days
          return (
            <li key={stage.id} class={state}>
              <button
                type="button"
                class="step"
                aria-current={state === 'now' ? 'step' : undefined}
                aria-disabled={!isFree || undefined}
                title={state === 'now' || !isFree ? stage.name : words.moveTo(stage.name)}
                onClick={() => isFree && moveDeal(deal, stage)}
              >
                <span class="nm">{stage.name}</span>
                {stayed !== undefined && (
                  <span class={isOver ? 'dy over' : 'dy'}>
                    {state === 'now' && stage.usual_days !== null
                      ? words.usually(
                          format.value.duration(stayed * DAY_MS),
                          format.value.duration(stage.usual_days * DAY_MS),
                        )
                      : format.value.duration(stayed * DAY_MS)}
                  </span>
                )}
              </button>
            </li>
          )
        })}
        <li class="fin row">{isOpen ? isFree && <Closing deal={deal} /> : <Closed deal={deal} />}</li>
      </ol>
      <StageClash deal={deal} />
    </>
  )
}

function Closing({ deal }: { deal: Deal }) {
  const won = useRef<HTMLButtonElement>(null)
  const lost = useRef<HTMLButtonElement>(null)
  const asked = asking.value?.id === deal.id ? asking.value.outcome : null
  const ask = (outcome: Outcome) => {
    asking.value = { id: deal.id, outcome }
  }
  const close = () => {
    asking.value = null
  }
  const anchor = asked === 'won' ? won.current : lost.current
  return (
    <>
      <Button
        ref={won}
        icon="won"
        aria-haspopup="menu"
        aria-expanded={asked === 'won'}
        aria-keyshortcuts={commandHints('record.won').aria}
        onClick={() => ask('won')}
      >
        {texts().stepper.closeAsWon}
      </Button>
      <Button
        ref={lost}
        plain
        aria-haspopup="menu"
        aria-expanded={asked === 'lost'}
        aria-keyshortcuts={commandHints('record.lost').aria}
        title={texts().stepper.closeAsLost}
        onClick={() => ask('lost')}
      >
        {texts().stepper.lost}
      </Button>
      {asked && anchor && <Reasons deal={deal} outcome={asked} anchor={anchor} onClose={close} />}
    </>
  )
}

type ReasonsProps = { deal: Deal; outcome: Outcome; anchor: HTMLElement; onClose: () => void }

/** Why it was won or lost, in a menu under the button. Esc leaves the deal open. */
function Reasons({ deal, outcome, anchor, onClose }: ReasonsProps) {
  const words = texts().stepper
  const question = outcome === 'won' ? words.whyWon : words.whyLost
  const items = reasonsFor(outcome).map(({ id, name }) => ({
    label: name,
    onPick: () => closeDeal(deal, outcome, id),
  }))
  if (items.length === 0) {
    return (
      <Popover anchor={anchor} onClose={onClose} align="end" class="no-reasons" role="dialog" aria-label={question}>
        <p>{words.noReasons}</p>
      </Popover>
    )
  }
  return <Menu anchor={anchor} align="end" label={question} groups={[{ label: question, items }]} onClose={onClose} />
}

function Closed({ deal }: { deal: Deal }) {
  const words = texts().stepper
  const isWon = deal.status === 'won'
  const all = reasonsFor(isWon ? 'won' : 'lost')
  const reason = all.find(({ id }) => id === deal.close_reason_id)?.name
  return (
    <span class={isWon ? 'ended row good mid' : 'ended row late mid'}>
      <Icon name={isWon ? 'won' : 'lost'} />
      {[isWon ? words.won : words.lost, reason].filter(Boolean).join(', ')}
    </span>
  )
}

/** Two members moved the deal at once. */
function StageClash({ deal }: { deal: Deal }) {
  const state = fieldState('deals', deal.id, 'stage').value
  if (state?.state !== 'conflict') return null
  const nameOf = (id: unknown) => stagesFor(deal).find((stage) => stage.id === id)?.name ?? '…'
  const name = memberName(state.by ?? '')?.split(' ')[0] ?? null
  const who = name ?? fieldTexts().conflict.someone
  return (
    <div class="clash row" role="alert">
      <span class="grow">{texts().stepper.clash(who, nameOf(state.theirs), nameOf(state.mine))}</span>
      <Button onClick={() => void useMine('deals', deal.id, 'stage').catch(() => undefined)}>
        {fieldTexts().conflict.useMine}
      </Button>
      <Button onClick={() => useTheirs('deals', deal.id, 'stage')}>{fieldTexts().conflict.useTheirs(name)}</Button>
    </div>
  )
}

/** The stage that a lost deal had come to; all of them as long as that is not known. */
function lostAt({ id }: Deal, stages: readonly { id: string }[]): number {
  const closing = timelineOf('deals', id).entries.value.find(({ kind }) => kind === 'stage')
  const from = closing?.kind === 'stage' ? closing.stage.from_stage_id : undefined
  const at = stages.findIndex((stage) => stage.id === from)
  return at < 0 ? stages.length : at
}

/** Whole days that the deal has been in each of its stages, as far as its timeline is loaded. */
function daysIn(entries: readonly Entry[], deal: Deal, at: number): Map<string, number> {
  const ms = new Map<string, number>()
  const add = (stage: string, stayed: number) => ms.set(stage, (ms.get(stage) ?? 0) + Math.max(0, stayed))
  if (deal.status === 'open') add(deal.stage, at - Date.parse(deal.stage_changed_at))
  let left: { stage: string; at: string } | undefined
  for (const entry of entries) {
    if (entry.kind !== 'stage' && entry.kind !== 'created') continue
    if (left) add(left.stage, Date.parse(left.at) - Date.parse(entry.at))
    left =
      entry.kind === 'stage' && entry.stage.from_stage_id !== null
        ? { stage: entry.stage.from_stage_id, at: entry.at }
        : undefined
  }
  return new Map([...ms].map(([stage, stayed]) => [stage, Math.floor(stayed / DAY_MS)]))
}
