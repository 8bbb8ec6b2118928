import { useEffect, useId, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Check } from '../../components/check.tsx'
import { type Choice, Combobox, MultiCombobox } from '../../components/combobox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { showOver } from '../../components/over.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { Segmented } from '../../components/segmented.tsx'
import { showToast } from '../../components/toast.tsx'
import { boot } from '../../data/boot.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { t } from '../../lib/texts/texts.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { sources } from '../../shell/sources.ts'
import { texts } from './texts.ts'
import { type EnrollPreview, enrollAll, type Listed, MOST_CONTACTS, type Whom, wouldEnroll } from './wire.ts'

type EnrollDialogProps = {
  /** Into which; without one, it is asked. */
  sequence?: { id: string; name: string }
  /** Whom; without them, it is asked. */
  contacts?: readonly string[]
  onClose: () => void
}

/** Whom to enroll in which sequence, who would be skipped and why, and when the first mails leave: before it is done. */
export function EnrollDialog({ sequence, contacts, onClose }: EnrollDialogProps) {
  const known = useAsk<Listed>(sequence ? null : '/app/sequences', ['sequences'])
  const [into, setInto] = useState(sequence)
  const [by, setBy] = useState<'contacts' | 'list'>('contacts')
  const [chosen, setChosen] = useState<Choice[]>([])
  const [listChosen, setList] = useState<Choice | null>(null)
  const [isAgain, setAgain] = useState(false)
  const [isWorking, setWorking] = useState(false)
  const [found, setFound] = useState<{ as: string; preview?: EnrollPreview; fault?: unknown } | undefined>(undefined)
  const id = useId()
  const words = texts()
  const whom = whomOf()
  const as = JSON.stringify([into?.id, whom])
  useEffect(() => {
    if (!into || !whom) return
    let isOver = false
    wouldEnroll(into.id, whom).then(
      (preview) => !isOver && setFound({ as, preview }),
      (fault) => !isOver && setFound({ as, fault }),
    )
    return () => {
      isOver = true
    }
  }, [as])

  function whomOf(): Whom | undefined {
    if (contacts) return { contact_ids: [...contacts] }
    if (by === 'list') return listChosen ? { list_id: listChosen.value } : undefined
    return chosen.length > 0 ? { contact_ids: chosen.map(({ value }) => value) } : undefined
  }

  const shown = found?.as === as ? found : undefined
  const preview = shown?.preview
  const again = new Set(preview?.again.map(({ contact_id }) => contact_id))
  const goes = preview?.goes.map(({ contact_id }) => contact_id).filter((each) => isAgain || !again.has(each)) ?? []
  const isTooMany = by === 'contacts' && !contacts && chosen.length > MOST_CONTACTS

  async function enroll(): Promise<void> {
    if (!into || goes.length === 0 || isWorking) return
    setWorking(true)
    try {
      const count = await enrollAll(into.id, goes)
      showToast({ text: words.enrolledNow(count, into.name), icon: 'useradd' })
      onClose()
    } catch (fault) {
      setWorking(false)
      setFound({ as, fault })
    }
  }

  return (
    <Dialog
      title={into ? words.enrollIn(into.name) : words.enrollTitle}
      onClose={onClose}
      wide
      footer={
        <>
          <Button plain large onClick={onClose}>
            {t().cancel}
          </Button>
          <Button
            first
            large
            off={goes.length === 0 ? words.goIn : isTooMany ? words.tooMany(MOST_CONTACTS) : undefined}
            working={isWorking ? words.enroll : undefined}
            onClick={() => void enroll()}
          >
            {words.enrollCount(goes.length)}
          </Button>
        </>
      }
    >
      <div class="form">
        {!sequence && (
          <div class="field">
            <label class="label" for={`${id}-into`}>
              {words.sequence}
            </label>
            <div class="input">
              <select
                id={`${id}-into`}
                class="bare"
                value={into?.id ?? ''}
                onChange={(event) => {
                  const wanted = event.currentTarget.value
                  setInto(known.value?.data.find((each) => each.id === wanted))
                }}
              >
                <option value="">{words.choose}</option>
                {known.value?.data
                  .filter(({ status }) => status === 'active')
                  .map((each) => (
                    <option key={each.id} value={each.id}>
                      {each.name}
                    </option>
                  ))}
              </select>
            </div>
          </div>
        )}
        {!contacts && (
          <>
            <Segmented
              label={words.whom}
              value={by}
              choices={[
                { value: 'contacts', label: words.aContact },
                { value: 'list', label: words.aList },
              ]}
              onChange={setBy}
            />
            <div class="input">
              {by === 'contacts' ? (
                <MultiCombobox
                  label={words.aContact}
                  value={chosen}
                  search={sources.search('contact')}
                  onChange={setChosen}
                />
              ) : (
                <Combobox
                  label={words.list}
                  value={listChosen}
                  choices={boot.value.lists
                    .filter(({ object }) => object === 'contact')
                    .map((each) => ({ value: each.id, label: each.name }))}
                  onPick={setList}
                />
              )}
            </div>
          </>
        )}
        <div role="status">
          {shown?.fault !== undefined && <p class="late">{sayWhy(shown.fault)}</p>}
          {preview && <Seen preview={preview} goes={goes.length} isAgain={isAgain} onAgain={setAgain} />}
        </div>
      </div>
    </Dialog>
  )
}

/** Over whatever is on the page; the sequence is asked. */
export async function showEnroll(contacts: readonly string[]): Promise<void> {
  await texts.ready()
  showOver((close) => <EnrollDialog contacts={contacts} onClose={close} />)
}

type SeenProps = { preview: EnrollPreview; goes: number; isAgain: boolean; onAgain: (isAgain: boolean) => void }

function Seen({ preview, goes, isAgain, onAgain }: SeenProps) {
  const words = texts()
  const when = (at: string | null) => (at === null ? '—' : format.value.when(at, now.value))
  const begins = (at: string | null) => when(goes === 0 ? null : at)
  const reasons = Map.groupBy(preview.skipped, ({ reason }) => reason)
  return (
    <div class="stack">
      <dl class="seq-facts">
        {[
          [words.goIn, format.value.number(goes)],
          [words.skipped, format.value.number(preview.skipped.length)],
          [words.firstLeaves, begins(preview.first_at)],
          ...(preview.goes.length > 1 ? [[words.lastLeaves, begins(preview.last_at)]] : []),
        ].map(([name, value]) => (
          <div key={name}>
            <dt class="small mute">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {[...reasons].map(([reason, people]) => (
        <p key={reason}>
          <strong>{format.value.number(people.length)}</strong> {words.why[reason]}
          <span class="small mute">
            {' '}
            {people
              .slice(0, 20)
              .map(({ name }) => name)
              .join(', ')}
          </span>
        </p>
      ))}
      {preview.again.length > 0 && (
        <>
          <Check checked={isAgain} onChange={onAgain}>
            {words.hadIt(preview.again.length)}
          </Check>
          <ul class="small mute">
            {preview.again.slice(0, 20).map(({ contact_id, name, at, steps }) => (
              <li key={contact_id} dir="auto">
                {words.hadItOf(name, when(at), steps)}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
