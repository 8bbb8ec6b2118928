import { useId, useRef, useState } from 'preact/hooks'
import { Button } from '../../../components/button.tsx'
import { Check } from '../../../components/check.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { Icon } from '../../../components/icon.tsx'
import { sayWhy } from '../../../components/say-why.ts'
import { showToast } from '../../../components/toast.tsx'
import { BegunBefore, useBegun } from '../../../components/typed/begun.tsx'
import { ApiProblem } from '../../../data/api.ts'
import { create, patch } from '../../../data/records.ts'
import type { Fields, Meeting } from '../../../data/types.ts'
import { asStep } from '../../../data/writes.ts'
import { locale } from '../../../lib/locale.ts'
import { t } from '../../../lib/texts/texts.ts'
import type { About } from '../address.ts'
import { texts } from '../texts.ts'
import { type Draft, draftOf, emptyDraft, fieldsOf } from './draft.ts'
import { Line, Times } from './lines.tsx'
import { countOf, useMails, WhoIsTold } from './mails.tsx'
import { Participants } from './participants.tsx'

type MeetingFormProps = {
  /** The one that is changed; without it, it is a new one. */
  meeting?: Meeting
  about?: { name: About; id: string } | undefined
  onClose: () => void
  onSaved: (id: string) => void
}

/** A meeting with its time, place and people. Who would get which mail is said before it is saved. */
export function MeetingForm({ meeting, about, onClose, onSaved }: MeetingFormProps) {
  const id = useId()
  const words = texts()
  const [opened] = useState(meeting)
  const [empty] = useState<Draft>(() => (opened ? draftOf(opened) : emptyDraft(about)))
  const begun = useBegun<Draft>(opened ? `meeting:${opened.id}` : 'meetings', empty)
  const draft = begun.values
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [isSaving, setSaving] = useState(false)
  const box = useRef<HTMLFormElement>(null)
  const given = fieldsOf(draft, opened, about)
  const known = useMails(opened?.id ?? null, given)
  const set = (part: Partial<Draft>) => {
    setErrors({})
    begun.set(part)
  }

  async function save(event: Event): Promise<void> {
    event.preventDefault()
    if (isSaving) return
    if (!given) return refuse({ [draft.title.trim() === '' ? 'title' : 'starts_at']: words.needed })
    setSaving(true)
    try {
      const saved = await written(given)
      begun.clear()
      onSaved(saved)
    } catch (error) {
      setSaving(false)
      const found = error instanceof ApiProblem ? error.errors : []
      const named = Object.fromEntries(
        found.map(({ pointer, code, message }) => [
          pointer.split('/')[1] ?? '',
          (words.refusals as Readonly<Record<string, string>>)[code] ?? message,
        ]),
      )
      refuse(Object.keys(named).length > 0 ? named : { '': sayWhy(error) })
    }
  }

  async function written(fields: Fields): Promise<string> {
    let job: Promise<string> | undefined
    const step = asStep(() => {
      job = opened
        ? patch('meetings', opened.id, fields, opened as unknown as Fields).then(() => opened.id)
        : create('meetings', fields).then((made) => made.id)
    })
    const made = await (job as unknown as Promise<string>)
    showToast({ text: opened ? words.saved : words.made(draft.title.trim()), icon: 'cal', step })
    return made
  }

  function refuse(named: Record<string, string>): void {
    setErrors(named)
    const [first = ''] = Object.keys(named)
    box.current?.querySelector<HTMLElement>(`[data-field="${CSS.escape(first)}"] :is(input, textarea)`)?.focus()
  }

  const count = draft.send_invitations ? countOf(known.mails) : 0
  const verb = count > 0 ? words.saveAndSend(count) : opened ? words.save : words.make
  const isUnchanged = opened !== undefined && given !== undefined && Object.keys(given).length === 0
  const general = [errors[''], errors.participants, errors.send_invitations].filter(Boolean).join(' ')
  return (
    <Dialog
      wide
      title={opened ? words.edit : words.newMeeting}
      onClose={onClose}
      footer={
        <>
          <Button plain large onClick={onClose}>
            {t().cancel}
          </Button>
          <Button
            first
            large
            type="submit"
            form={id}
            off={isUnchanged ? words.unchanged : undefined}
            working={isSaving ? t().saving : undefined}
          >
            {verb}
          </Button>
        </>
      }
    >
      <form id={id} ref={box} class="form meeting-form" noValidate onSubmit={(event) => void save(event)}>
        <div role="alert">
          {general && (
            <p class="help late">
              <Icon name="alert" small />
              {general}
            </p>
          )}
        </div>
        <BegunBefore form={begun.form} />
        <Line
          name="title"
          label={words.fields.title}
          value={draft.title}
          error={errors.title}
          isNeeded
          onInput={(title) => set({ title })}
        />
        <Check checked={draft.is_whole} onChange={(is_whole) => set({ is_whole })}>
          {words.isWhole}
        </Check>
        <Times draft={draft} error={errors.starts_at ?? errors.ends_at} zone={locale.value.timezone} onChange={set} />
        <Participants all={draft.participants} onChange={(participants) => set({ participants })} />
        <Line
          name="location"
          label={words.fields.location}
          value={draft.location}
          error={errors.location}
          onInput={(location) => set({ location })}
        />
        <Line
          name="conference_url"
          label={words.fields.conference_url}
          value={draft.conference_url}
          error={errors.conference_url}
          onInput={(conference_url) => set({ conference_url })}
        />
        <Line
          name="description"
          label={words.fields.description}
          value={draft.description}
          error={errors.description}
          isLong
          onInput={(description) => set({ description })}
        />
        <WhoIsTold
          known={known}
          isTold={draft.send_invitations}
          onTold={(send_invitations) => set({ send_invitations })}
          isThere={opened !== undefined}
        />
      </form>
    </Dialog>
  )
}
