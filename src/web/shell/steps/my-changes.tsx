import { useEffect, useMemo, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { Bar as Grey } from '../../components/skeleton.tsx'
import { client } from '../../data/current.ts'
import { mySteps } from '../../data/my-steps.ts'
import type { Step } from '../../data/take-back.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { texts as shellTexts } from '../texts.ts'
import { takeBackStep } from './take-back.ts'
import { texts } from './texts.ts'
import { describe } from './words.ts'
import './my-changes.css'

/** What I did in the last 30 days, newest first: each step can be taken back, whenever and wherever I made it. */
export function MyChanges() {
  const list = useMemo(() => mySteps(client()), [])
  useEffect(() => {
    void list.reload()
    return list.dispose
  }, [list])
  const words = texts()
  const { steps, isDone, isLoading, error } = list
  return (
    <div class="my-changes">
      {steps.value.length > 0 && (
        <ul aria-label={words.steps} data-scroll="my-changes">
          {steps.value.map((step) => (
            <StepRow key={step.id} step={step} />
          ))}
          {!isDone.value && (
            <li class="one">
              <Button plain working={isLoading.value ? '…' : undefined} onClick={() => void list.more()}>
                {words.more}
              </Button>
            </li>
          )}
        </ul>
      )}
      {steps.value.length === 0 && isLoading.value && [0, 1, 2].map((row) => <Grey key={row} row={row} />)}
      {error.value !== undefined && (
        <Empty
          icon="alert"
          title={words.failed}
          actions={<Button onClick={() => void list.reload()}>{shellTexts().tryAgain}</Button>}
        >
          {sayWhy(error.value)}
        </Empty>
      )}
      {steps.value.length === 0 && isDone.value && (
        <Empty icon="undo" title={words.empty}>
          {words.emptyBody}
        </Empty>
      )}
    </div>
  )
}

const ICONS: Readonly<Record<string, IconName>> = {
  created: 'plus',
  deleted: 'trash',
  restored: 'undo',
  closed: 'flag',
  stage_changed: 'deal',
  completed: 'check',
}

function iconOf({ types, bulk, merged_into }: Step): IconName {
  if (merged_into) return 'merge'
  if (bulk) return bulk.change.delete ? 'trash' : 'list'
  const changes = new Set(types.map((type) => type.slice(type.indexOf('.') + 1)))
  return (changes.size === 1 && ICONS[[...changes][0] as string]) || 'pen'
}

function StepRow({ step }: { step: Step }) {
  const [isWorking, setWorking] = useState(false)
  const [refusal, setRefusal] = useState('')
  const words = texts()
  const what = describe(step)
  const href = addressOf(step)
  async function take(): Promise<void> {
    setWorking(true)
    setRefusal('')
    setRefusal((await takeBackStep(step.id, step)) ?? '')
    setWorking(false)
  }
  return (
    <li class={step.is_undone ? 'one is-undone' : 'one'} data-step={step.id}>
      <Icon name={iconOf(step)} small class="mute" />
      <span class="grow">
        {href ? (
          <a href={href} dir="auto">
            {what}
          </a>
        ) : (
          <span dir="auto">{what}</span>
        )}
        <time class="small mute" dateTime={step.at}>
          {format.value.when(step.at, now.value)}
        </time>
        {refusal && (
          <span class="small late" role="alert">
            {refusal}
          </span>
        )}
      </span>
      {step.is_undone ? (
        <span class="small mute">{words.isTakenBack}</span>
      ) : (
        <Button
          icon="undo"
          aria-label={words.takeBackOf(what)}
          working={isWorking ? words.takingBack : step.bulk?.is_running ? words.onItsWay : undefined}
          onClick={() => void take()}
        >
          {words.takeBack}
        </Button>
      )}
    </li>
  )
}

const PAGES = ['deals', 'contacts', 'companies']

/** The page of the one record that it was about, if it is there. */
function addressOf({ records, count, types, is_undone, merged_into }: Step): string | undefined {
  const [first] = merged_into && !is_undone ? [merged_into] : records
  const isGone = types.some((type) => type.endsWith(is_undone ? '.created' : '.deleted')) && !merged_into
  if (!first || count !== 1 || isGone || !PAGES.includes(first.kind)) return undefined
  return `/${first.kind}/${first.id}`
}
