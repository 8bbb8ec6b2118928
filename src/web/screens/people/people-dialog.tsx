import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { loadFigures } from '../../components/fields/figures.ts'
import { FormField } from '../../components/fields/form-field.tsx'
import { Icon } from '../../components/icon.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { showToast } from '../../components/toast.tsx'
import { ApiProblem } from '../../data/api.ts'
import { me } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { format } from '../../lib/locale.ts'
import { navigate } from '../../lib/router.ts'
import { texts as tableTexts } from '../../tables/texts.ts'
import { checked, nameOfPerson, type Person, type PersonFound, personOf, reachOf } from './person.ts'
import { PersonForm } from './person-form.tsx'
import { type Made, type Saved, save } from './save.ts'
import { texts } from './texts.ts'
import './people.css'

type PeopleDialogProps = {
  text: string
  /** What was read before and is to be gone on with. */
  begun?: readonly Person[] | undefined
  onClose: (left?: readonly Person[]) => void
}

/** Shows who is in a text, to be corrected, and makes contacts of them. Nothing is written before. */
export function PeopleDialog({ text, begun, onClose }: PeopleDialogProps) {
  const [people, setPeople] = useState<readonly Person[] | null>(begun ?? null)
  const [fault, setFault] = useState<string | null>(null)
  const [isReading, setReading] = useState(false)
  const [done, setDone] = useState<number | null>(null)
  const [owner, setOwner] = useState<string | null>(me.peek().id)
  const [opened, setOpened] = useState(0)
  const typed = useRef(text)
  const words = texts()

  const read = async () => {
    if (typed.current.trim() === '') return
    setReading(true)
    setFault(null)
    try {
      await loadFigures()
      const { body } = await client().api.request<{ people: PersonFound[] }>('POST', '/app/people/read', {
        body: { text: typed.current },
      })
      if (body.people.length === 0) setFault(texts().nobody)
      else setPeople(body.people.map(personOf))
    } catch (error) {
      setFault(whyUnread(error))
    }
    setReading(false)
  }
  useEffect(() => {
    if (!begun) void read()
  }, [])

  const wanted = (people ?? []).filter(({ choice, isMade }) => choice !== 'skip' && !isMade)
  const close = (made?: readonly Person[]) => onClose(made ? undefined : (people ?? undefined))
  const write = async () => {
    if (!people || done !== null || wanted.length === 0) return
    const all = people.map((person) => (person.choice === 'skip' || person.isMade ? person : checked(person)))
    const wrong = all.findIndex(({ errors, choice }) => choice !== 'skip' && Object.keys(errors).length > 0)
    setPeople(all)
    if (wrong >= 0) return setOpened(wrong)
    setDone(0)
    const saved = await save(all, owner, setDone)
    setDone(null)
    tell(saved)
    const left = saved.people.findIndex(({ choice, isMade }) => choice !== 'skip' && !isMade)
    if (left < 0) return close(saved.people)
    setPeople(saved.people)
    const refused = saved.people.findIndex(({ fault: why }) => why !== undefined)
    setOpened(refused < 0 ? left : refused)
  }
  const change = (at: number) => (person: Person) =>
    setPeople((before) => (before ?? []).map((each, index) => (index === at ? person : each)))
  const faults = wanted.filter(({ fault: why, errors }) => why !== undefined || Object.keys(errors).length > 0).length

  return (
    <Dialog
      wide
      title={words.title}
      onClose={() => close()}
      footer={
        <>
          {faults > 0 && (
            <span class="small late grow" role="alert">
              {words.wrong(faults)}
            </span>
          )}
          <Button plain large onClick={() => close()}>
            {words.cancel}
          </Button>
          {people === null ? (
            <Button first large type="submit" form="pasted-people" working={isReading ? words.reading : undefined}>
              {words.read}
            </Button>
          ) : (
            <Button
              first
              large
              type="submit"
              form="pasted-people"
              working={done === null ? undefined : words.working(String(done), String(wanted.length + done))}
            >
              {verbFor(wanted)}
            </Button>
          )}
        </>
      }
    >
      <form
        id="pasted-people"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void (people === null ? read() : write())
        }}
      >
        {people === null ? (
          <PasteField text={text} fault={fault} isReading={isReading} onText={(next) => (typed.current = next)} />
        ) : (
          <>
            <p class="row found" role="status">
              <span class="grow">{words.foundNow(words.found(people.length))}</span>
              <button type="button" class="link" onClick={() => setPeople(null)}>
                {words.another}
              </button>
            </p>
            <ul class="pasted-people">
              {people.map((person, at) => (
                <Row
                  key={at}
                  person={person}
                  twin={person.found.twin === null ? undefined : people[person.found.twin]}
                  isOpen={at === opened && !person.isMade}
                  onToggle={() => setOpened(at === opened ? -1 : at)}
                  onChange={change(at)}
                  onOpen={(id) => {
                    close()
                    void navigate(`/contacts/${id}`)
                  }}
                />
              ))}
            </ul>
            {wanted.some(({ choice }) => choice === 'create') && (
              <FormField
                field={{ key: 'owner_id', label: words.owner, type: 'member' }}
                draft={owner}
                onDraft={(draft) => setOwner(draft as string | null)}
              />
            )}
          </>
        )}
      </form>
    </Dialog>
  )
}

type PasteFieldProps = { text: string; fault: string | null; isReading: boolean; onText: (text: string) => void }

function PasteField({ text, fault, isReading, onText }: PasteFieldProps) {
  const words = texts()
  const [shown, setShown] = useState(text)
  if (isReading) return <p role="status">{words.reading}</p>
  return (
    <div class="field">
      <label class="label" for="pasted-text">
        {words.pasteLabel}
      </label>
      <div class="area">
        <textarea
          id="pasted-text"
          class="bare"
          dir="auto"
          rows={8}
          value={shown}
          aria-describedby="pasted-help"
          onInput={(event) => {
            setShown(event.currentTarget.value)
            onText(event.currentTarget.value)
          }}
        />
      </div>
      {fault && (
        <p class="help late" role="alert">
          <Icon name="alert" small />
          {fault}
        </p>
      )}
      <p class="help" id="pasted-help">
        {words.pasteHelp}
      </p>
    </div>
  )
}

type RowProps = {
  person: Person
  twin: Person | undefined
  isOpen: boolean
  onToggle: () => void
  onChange: (person: Person) => void
  onOpen: (id: string) => void
}

function Row({ person, twin, isOpen, onToggle, onChange, onOpen }: RowProps) {
  const words = texts()
  const company = String(person.drafts.company ?? '').trim()
  const isWrong = person.fault !== undefined || Object.keys(person.errors).length > 0
  return (
    <li class={person.choice === 'skip' ? 'is-skipped' : undefined}>
      <button type="button" class="person-head" aria-expanded={isOpen} disabled={person.isMade} onClick={onToggle}>
        <Icon name={isOpen ? 'down' : 'right'} small />
        <span class="mid cut" dir="auto">
          {nameOfPerson(person) || reachOf(person) || words.noName}
        </span>
        <span class="mute cut" dir="auto">
          {[nameOfPerson(person) ? reachOf(person) : '', company].filter(Boolean).join(' · ')}
        </span>
        <span class={isWrong ? 'small late' : 'small mute'}>
          {person.isMade ? words.state.made : isWrong ? words.state.wrong : stateOf(person, twin)}
        </span>
      </button>
      {isOpen && <PersonForm person={person} onChange={onChange} onOpen={onOpen} />}
    </li>
  )
}

function stateOf({ choice, found: { known } }: Person, twin: Person | undefined): string {
  const words = texts()
  if (twin) return words.twin(nameOfPerson(twin) || reachOf(twin))
  if (choice === 'skip') return words.skip
  if (choice === 'add') return words.add(known?.name ?? '')
  return known ? words.isThere[known.because] : ''
}

function verbFor(wanted: readonly Person[]): string {
  const words = texts()
  const added = wanted.filter(({ choice }) => choice === 'add').length
  if (added === 0) return words.make(wanted.length)
  return added === wanted.length ? words.change(added) : words.apply(wanted.length)
}

function whyUnread(error: unknown): string {
  const [first] = error instanceof ApiProblem ? error.errors : []
  if (first?.code === 'too_many_people') return texts().tooMany(format.peek().number(500))
  if (first?.code === 'too_long' || first?.code === 'too_many_columns') return texts().tooLong
  return error instanceof ApiProblem && error.status === 413 ? texts().tooLong : sayWhy(error)
}

function tell({ made, step }: Saved): void {
  const words = texts()
  const all = made.filter((each): each is Made => each !== undefined)
  const [first] = all
  if (!first) return
  const news = all.filter(({ result }) => result === 'created')
  const others = all.filter(({ result }) => result !== 'created')
  const parts = [
    ...(news.length === 0 ? [] : [news.length === 1 ? words.addedOne(news[0]?.name ?? '') : words.added(news.length)]),
    ...(others.length === 0
      ? []
      : [others.length === 1 ? words.changedOne(others[0]?.name ?? '') : words.changed(others.length)]),
  ]
  const [one = '', other] = parts
  showToast({
    text: other === undefined ? one : words.both(one, other),
    icon: 'person',
    step,
    ...(all.length === 1
      ? { action: { label: tableTexts().add.open, run: () => void navigate(`/contacts/${first.id}`) } }
      : {}),
  })
}
