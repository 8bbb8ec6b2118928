import { useId, useState } from 'preact/hooks'
import { Button } from '../../../components/button.tsx'
import { Check } from '../../../components/check.tsx'
import { type Choice, MultiCombobox } from '../../../components/combobox.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { sayWhy } from '../../../components/say-why.ts'
import { Segmented } from '../../../components/segmented.tsx'
import { ApiProblem } from '../../../data/api.ts'
import { boot } from '../../../data/boot.ts'
import { format } from '../../../lib/locale.ts'
import { t } from '../../../lib/texts/texts.ts'
import { texts as workTexts } from '../../../lib/texts/work/texts.ts'
import { ownerChoices } from '../../../tables/filters/common-fields.tsx'
import { type Asked, asked, handOver, readWork, tomorrow } from './actions.ts'
import { type Counts, kindsOf, offered, type Plan, type Receivers, shares, sumOf } from './plan.ts'
import { texts } from './texts.ts'
import './hand-over.css'

const NOTHING: Plan = { to: {}, isWhole: false, returnsOn: '' }

/** What was chosen stays until it is sent, also where the dialog was closed before. */
const begun = new Map<string, Plan>()

/** Whoever only reads cannot go on with anything. */
const receiversOf = (id: string): Choice[] => {
  const able = new Set(boot.value.members.filter(({ role }) => role !== 'viewer').map((member) => member.id))
  return ownerChoices().filter(({ value }) => value !== id && able.has(value))
}

const listOf = (counts: Counts, word: (kind: string, count: number) => string): string =>
  format.value.list(kindsOf(counts).map((kind) => word(kind, counts[kind] as number)))

/** Who gets what a member has: evenly among several, by kind, for good or until a date. Shows what will happen. */
export function HandOverDialog({ about }: { about: Asked }) {
  const { member, isLeaving } = about
  const { id, name } = member
  const [work, setWork] = useState(about.work)
  const [plan, setPlan] = useState(begun.get(id) ?? { ...NOTHING, returnsOn: boot.value.away[id] ?? '' })
  const [isForNow, setForNow] = useState(plan.returnsOn !== '')
  const [error, setError] = useState<string | null>(null)
  const [isSending, setSending] = useState(false)
  const words = texts()
  const change = (part: Partial<Plan>) => {
    const next = { ...plan, ...part }
    begun.set(id, next)
    setPlan(next)
  }
  const isAway = isForNow && !isLeaving
  const chosen: Plan = { ...plan, isWhole: plan.isWhole && !isAway, returnsOn: isAway ? plan.returnsOn : '' }
  const counts = offered(work, chosen.isWhole)
  const { given, stays } = shares(counts, chosen.to)
  const total = [...given.values()].reduce((sum, each) => sum + sumOf(each), 0)
  const what = workTexts().records(total)
  const off =
    isAway && chosen.returnsOn === '' ? words.noDate : total > 0 || isLeaving || isAway ? undefined : words.nobodyYet

  async function send(): Promise<void> {
    setSending(true)
    setError(null)
    try {
      await handOver({ ...about, work }, chosen)
      begun.delete(id)
    } catch (problem) {
      setSending(false)
      if (!(problem instanceof ApiProblem) || problem.code !== 'count_changed') return setError(sayWhy(problem))
      setError(words.changed(name))
      setWork(await readWork(id).catch(() => work))
    }
  }

  const submit = isLeaving
    ? total > 0
      ? words.submitLeaving(what)
      : words.submitLeavingAlone
    : total > 0
      ? words.submit(what)
      : isAway
        ? words.submitAway
        : words.submitNothing
  return (
    <Dialog
      wide
      title={(isLeaving ? words.titleLeaving : words.title)(name)}
      onClose={() => {
        asked.value = undefined
      }}
      footer={
        <>
          <Button
            plain
            large
            onClick={() => {
              asked.value = undefined
            }}
          >
            {t().cancel}
          </Button>
          <Button
            first
            large
            danger={isLeaving}
            off={off}
            working={isSending ? words.sending : undefined}
            onClick={() => void send()}
          >
            {submit}
          </Button>
        </>
      }
    >
      <div class="hand-over">
        <p>{sumOf(work.open) > 0 ? words.has(name, listOf(work.open, workTexts().open)) : words.hasNothing(name)}</p>
        {!isLeaving && member.status === 'active' && (
          <Period member={name} isForNow={isForNow} setForNow={setForNow} plan={plan} change={change} />
        )}
        {sumOf(counts) > 0 && (
          <Whom
            id={id}
            name={name}
            counts={counts}
            isWhole={chosen.isWhole}
            to={plan.to}
            onTo={(to) => change({ to })}
          />
        )}
        {!isAway && sumOf(work.finished) > 0 && (
          <Check checked={plan.isWhole} onChange={(isWhole) => change({ isWhole })}>
            {words.finished(listOf(work.finished, workTexts().finished))}
          </Check>
        )}
        {total > 0 && (
          <section class="preview" aria-label={words.preview} role="status">
            {[...given].map(([to, share]) => (
              <p key={to}>
                {words.gets(nameOf(to), listOf(share, chosen.isWhole ? workTexts().all : workTexts().open))}
              </p>
            ))}
            {sumOf(stays) > 0 && (
              <p class="mute">
                {words.keeps(name, listOf(stays, chosen.isWhole ? workTexts().all : workTexts().open))}
              </p>
            )}
          </section>
        )}
        {error !== null && (
          <p class="late" role="alert">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  )
}

const nameOf = (id: string): string => boot.value.members.find((each) => each.id === id)?.name ?? ''

type WhomProps = {
  id: string
  name: string
  counts: Counts
  isWhole: boolean
  to: Receivers
  onTo: (to: Receivers) => void
}

/** One line for everything, and one for each kind, which can have others. */
function Whom({ id, name, counts, isWhole, to, onTo }: WhomProps) {
  const words = texts()
  const choices = receiversOf(id)
  const kinds = kindsOf(counts)
  const chosen = (ids: readonly string[] = []) => choices.filter(({ value }) => ids.includes(value))
  // Those whom all kinds have.
  const common = chosen(to[kinds[0] as keyof Receivers]).filter(({ value }) =>
    kinds.every((kind) => to[kind]?.includes(value)),
  )
  const idsOf = (picked: readonly Choice[]) => picked.map(({ value }) => value)
  const label = isWhole ? workTexts().all : workTexts().open
  return (
    <>
      <Line label={words.everything} help={kinds.length > 0 ? words.everythingHelp : undefined}>
        {(fieldId, describedBy) => (
          <MultiCombobox
            id={fieldId}
            describedBy={describedBy}
            label={words.everything}
            value={common}
            choices={choices}
            placeholder={common.length > 0 ? undefined : words.stays(name)}
            onChange={(picked) => onTo(Object.fromEntries(kinds.map((kind) => [kind, idsOf(picked)])))}
          />
        )}
      </Line>
      {kinds.length > 1 && (
        <div class="kinds">
          {kinds.map((kind) => (
            <Line key={kind} label={words.kindTo(label(kind, counts[kind] as number))}>
              {(fieldId) => (
                <MultiCombobox
                  id={fieldId}
                  label={words.kindTo(label(kind, counts[kind] as number))}
                  value={chosen(to[kind])}
                  choices={choices}
                  placeholder={(to[kind] ?? []).length > 0 ? undefined : words.stays(name)}
                  onChange={(picked) => onTo({ ...to, [kind]: idsOf(picked) })}
                />
              )}
            </Line>
          ))}
        </div>
      )}
    </>
  )
}

type LineProps = {
  label: string
  help?: string | undefined
  children: (id: string, describedBy: string | undefined) => preact.ComponentChildren
}

function Line({ label, help, children }: LineProps) {
  const id = useId()
  return (
    <div class="line">
      <label for={id}>{label}</label>
      <div>
        <div class="input">{children(id, help && `${id}-help`)}</div>
        {help && (
          <p class="small mute" id={`${id}-help`}>
            {help}
          </p>
        )}
      </div>
    </div>
  )
}

type PeriodProps = {
  member: string
  isForNow: boolean
  setForNow: (isForNow: boolean) => void
  plan: Plan
  change: (part: Partial<Plan>) => void
}

/** For good, or for a holiday. */
function Period({ member, isForNow, setForNow, plan, change }: PeriodProps) {
  const id = useId()
  const words = texts()
  return (
    <>
      <Segmented
        label={words.forHowLong}
        value={isForNow ? 'now' : 'good'}
        choices={[
          { value: 'good', label: words.forGood },
          { value: 'now', label: words.forNow },
        ]}
        onChange={(value) => setForNow(value === 'now')}
      />
      {isForNow && (
        <div class="line">
          <label for={id}>{words.backOn}</label>
          <div>
            <input
              id={id}
              class="input"
              type="date"
              min={tomorrow()}
              aria-describedby={`${id}-help`}
              value={plan.returnsOn}
              onInput={(event) => change({ returnsOn: event.currentTarget.value })}
            />
            <p class="small mute" id={`${id}-help`}>
              {words.backHelp(member)}
            </p>
          </div>
        </div>
      )}
    </>
  )
}
